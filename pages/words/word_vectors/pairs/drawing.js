// @ts-check
// The window as boxes with arcs, and the matrix of counts.

import { _ } from "#canvas/language.js";
import { minus, short } from "#canvas/text.js";
import { fade, inkOn, shade, shadeRgb, textWidth } from "#canvas/theme.js";
import { contextOf } from "./counting.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Grid} Grid */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

export const LENS = 108; // pixels: the height of the window
const [BOX, ARCS] = [30, 58]; // of a box, and of the room above it
const [WIDEST, SMALLEST] = [30, 7]; // sides of a cell
const WRITTEN = 15; // pixels of a side from which counts are written into the cells

/**
 * The colours of the center and of its context.
 * @param {Theme} theme
 */
export function roles(theme) {
  return { center: theme.heads[1], context: theme.heads[0] };
}

/**
 * A count as it is written: whole numbers plainly, others with two digits.
 * @param {number} value
 */
export function countText(value) {
  return Number.isInteger(value) ? String(value) : minus(short(value));
}

/**
 * The window: the center in the middle, its context beside it, an arc for each pair with what it counts.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 */
export function drawLens(pen, v, theme, width) {
  const { window: reach, words, byDistance } = v.header;
  const slot = width / (2 * reach + 1);
  const { center, context } = roles(theme);
  const place = (/** @type {number} */ offset) => (offset + reach + 0.5) * slot;
  const boxOf = (/** @type {number} */ step, /** @type {string} */ color) => {
    const x = place(step - v.step);
    pen.rect(x - slot / 2 + 2, ARCS, slot - 4, BOX, fade(color, 0.16), color, { width: step === v.step ? 2 : 1 });
    pen.text(x, ARCS + BOX / 2, words[v.text.places[step]],
      { align: "center", color: theme.text, size: slot < 50 ? 10 : 13, weight: step === v.step ? 700 : 400, token: slot - 8 });
    pen.text(x, ARCS + BOX + 10, step === v.step ? _("center") : minus(`${step > v.step ? "+" : ""}${step - v.step}`),
      { align: "center", color: theme.muted, size: 10 });
  };
  for (const [step, distance] of contextOf(v.text, v.step)) {
    const [from, to] = [place(0), place(step - v.step)];
    const top = ARCS - 14 - (32 * distance) / reach;
    pen.path(`M${from} ${ARCS - 2}Q${(from + to) / 2} ${2 * top - ARCS} ${to} ${ARCS - 2}`, context, 1.5, 0.9);
    pen.text((from + to) / 2, top - 8, byDistance ? `1/${distance}` : "1", { align: "center", color: theme.muted, size: 10 });
    boxOf(step, context);
  }
  boxOf(v.step, center);
}

/**
 * Where the matrix of a view lies in a picture of this width.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 * @param {number} tallest
 * @returns {Grid}
 */
export function gridOf(v, theme, width, tallest) {
  const names = v.header.drawn.map((id) => v.header.vocabulary[id]);
  const longest = Math.min(84, 10 + Math.max(...names.map((name) => textWidth(theme, name, 11))));
  const side = Math.max(SMALLEST, Math.min(WIDEST, (Math.min(width, tallest) - longest - 6) / names.length));
  return { left: longest, top: longest, side };
}

/**
 * Counts of all windows so far; the cells that this window has added to are framed.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawMatrix(pen, v, theme) {
  const { drawn, vocabulary } = v.header;
  const { left, top, side } = v.grid;
  const { center, context } = roles(theme);
  const { counts, columns } = v.counted;
  const most = Math.max(1, ...counts);
  const row = v.rowOf[v.text.ids[v.text.places[v.step]]];
  const added = new Set(contextOf(v.text, v.step).map(([step]) => v.rowOf[v.text.ids[v.text.places[step]]]));
  drawn.forEach((id, i) => {
    const size = Math.min(11, Math.max(7, side));
    const own = (/** @type {number} */ k, /** @type {boolean} */ lit, /** @type {string} */ color) =>
      ({ color: lit ? theme.text : theme.muted, weight: lit ? 700 : 400, size, token: left - 8, ...(lit && k < 0 ? { color } : {}) });
    pen.text(left - 5, top + (i + 0.5) * side, vocabulary[id], { align: "right", ...own(i, i === row, center) });
    pen.text(left + (i + 0.5) * side, top - 5, vocabulary[id], { rotate: -Math.PI / 2, ...own(i, added.has(i), context) });
    drawn.forEach((other, j) => {
      const value = counts[i * columns + other];
      const [x, y] = [left + j * side, top + i * side];
      const share = Math.sqrt(value / most) * 0.8;
      pen.rect(x, y, side - 1, side - 1, value ? shade(theme.sequential, share) : fade(theme.text, 0.045));
      if (value && side >= WRITTEN) pen.text(x + side / 2 - 0.5, y + side / 2, countText(value),
        { align: "center", size: side < 22 ? 8 : 10, color: inkOn(shadeRgb(theme.sequential, share)) });
    });
  });
  if (row < 0) return;
  pen.rect(left - 1, top + row * side - 1, drawn.length * side + 1, side + 1, null, center, { width: 1.5 });
  for (const j of added) if (j >= 0) pen.rect(left + j * side, top + row * side, side - 1, side - 1, null, context, { width: 2 });
}

/**
 * The cell under a point of the matrix as [row, column], or null.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
export function cellUnder(v, x, y) {
  const { left, top, side } = v.grid;
  const [i, j] = [Math.floor((y - top) / side), Math.floor((x - left) / side)];
  const count = v.header.drawn.length;
  return i >= 0 && j >= 0 && i < count && j < count ? [i, j] : null;
}
