// @ts-check
// Headings and decibels, as all panels write them.

import { digits, minus } from "#canvas/text.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */

/** @param {number | null} value */
export function decibels(value) {
  return value === null || value === Infinity ? "nothing lost" : Number.isNaN(value) ? "–" : `${digits(value, 3)} dB`;
}

/**
 * @param {Pen} pen
 * @param {Box} box
 * @param {Theme} theme
 * @param {string} text
 * @param {string} right
 */
export function heading(pen, box, theme, text, right = "") {
  pen.text(box.x, box.y - 10, text, { color: theme.text, size: 12, weight: 600 });
  if (right) pen.text(box.x + box.w, box.y - 10, right, { color: theme.muted, align: "right" });
}

/**
 * A number beneath an axis, in two digits: 0.13, 20, 4100.
 * @param {number} value
 */
export function axisNumber(value) {
  return minus(String(Number(value.toPrecision(2))));
}
