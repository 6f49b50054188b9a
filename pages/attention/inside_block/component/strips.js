// @ts-check
// The rows as strips along the residual stream, and where their cells lie.

import { ANY } from "#canvas/hovered.js";
import { visible } from "#canvas/text.js";
import { fade, shade, textWidth } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

export const PITCH = 22; // pixels from one strip to the next
const TOP = 6;
const KEYS = { "key token": "text", "source token": "source" }; // what the cells of scores and weights are, of which text
const STRIP = 15;
const TRACK = { "": 9, attention: 23, "cross-attention": 23, MLP: 23 }; // x of the stream and of the branches

/**
 * Where the strips begin and end: behind the longest name, and on a wide screen behind what it is of.
 * @param {View} v
 * @param {number} width
 */
function across(v, width) {
  const longest = Math.max(...v.header.rows.map(({ name }) => name.length));
  const start = width < 560 ? 34 + 6.2 * longest : 230;
  return { start, length: width - start - 4 };
}

/**
 * The step, and the cell of it (-1: none), at a point.
 * @param {View} v
 * @param {number} width
 * @param {number} x
 * @param {number} y
 */
export function cellAt(v, width, x, y) {
  const number = Math.floor((y - TOP) / PITCH);
  if (number < 0 || number >= v.header.rows.length) return null;
  const { start, length } = across(v, width);
  const count = v.arrays[`values${number}`].length;
  const cell = x < start ? -1 : Math.min(count - 1, Math.floor(((x - start) / length) * count));
  return { number, cell };
}

/**
 * The middle of a cell, for what opens there.
 * @param {View} v
 * @param {number} width
 * @param {number} number
 * @param {number} cell
 */
export function middleOf(v, width, number, cell) {
  const { start, length } = across(v, width);
  return { x: start + ((cell + 0.5) / v.arrays[`values${number}`].length) * length, y: TOP + number * PITCH + STRIP };
}

/**
 * The token of the text that a cell is of, where the row has a cell for each key.
 * @param {View} v
 * @param {number} number
 * @param {number} cell
 * @returns {import("#canvas/hovered.js").Spot[]}
 */
export function tokenOf({ header, arrays }, number, cell) {
  const { x, labels } = header.rows[number];
  const text = /** @type {Record<string, "text" | "source" | undefined>} */ (KEYS)[x];
  if (!text || labels[cell] === undefined) return [];
  return [{ text, index: arrays[`places${number}`][cell], word: visible(labels[cell]) }];
}

/** @param {View} v */
export function heightOf(v) {
  return TOP + v.header.rows.length * PITCH + 2;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 */
export function drawStrips(pen, v, theme, width) {
  const { rows } = v.header;
  const { start, length } = across(v, width);
  const middle = (/** @type {number} */ number) => TOP + number * PITCH + STRIP / 2;
  pen.line(TRACK[""], middle(0), TRACK[""], middle(rows.length - 1), theme.muted, { width: 2.5 });
  rows.forEach(({ inside }, k) => { // a branch leaves the stream before its first step and comes back behind its last one
    if (!inside) return;
    const [first, last] = [rows[k - 1]?.inside !== inside, rows[k + 1]?.inside !== inside];
    const x = TRACK[inside];
    pen.line(x, middle(k), x, last ? middle(k) : middle(k + 1), theme.muted, { width: 1.5 });
    if (first) pen.line(TRACK[""], middle(k - 1), x, middle(k), theme.muted, { width: 1.5 });
    if (last) pen.line(x, middle(k), TRACK[""], middle(k + 1), theme.muted, { width: 1.5 });
  });
  rows.forEach((row, k) => {
    const chosen = row.name === v.step;
    const y = TOP + k * PITCH;
    if (chosen) pen.rect(0, y - 3, width, PITCH, fade(theme.primary, 0.14));
    pen.circle(TRACK[row.inside], y + STRIP / 2, chosen ? 5.5 : 4, chosen ? theme.primary : theme.text);
    pen.text(34, y + STRIP / 2, row.name, { color: theme.text, size: 11.5, weight: chosen ? 600 : 400 });
    const room = start - 40 - textWidth(theme, row.name, 11.5, 600) - 10;
    if (start > 200 && textWidth(theme, row.what, 10) <= room) pen.text(start - 8, y + STRIP / 2, row.what, { align: "right", color: theme.muted, size: 10 });
    strip(pen, v, theme, k, start, y, length);
  });
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} number
 * @param {number} x
 * @param {number} y
 * @param {number} length
 */
function strip(pen, v, theme, number, x, y, length) {
  const values = v.arrays[`values${number}`];
  const { kind, name } = v.header.rows[number];
  const wide = length / values.length;
  let most = 1e-9;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  pen.rect(x, y, length, STRIP, theme.missing);
  values.forEach((value, k) => {
    if (!Number.isFinite(value)) return;
    const color = kind === "probability" ? shade(theme.sequential, Math.sqrt(value / most)) : shade(theme.diverging, 0.5 + value / most / 2);
    pen.rect(x + k * wide, y, wide + 0.3, STRIP, color);
  });
  const places = v.header.rows[number].x in KEYS ? Array.from(values.keys()) : [];
  for (const k of places) {
    const [token] = tokenOf(v, number, k);
    const lit = token && v.lit.some(({ text, index, word }) => (text === ANY || (text === "source") === (token.text === "source")) && index === token.index && word === token.word);
    if (lit) pen.rect(x + k * wide, y - 1, Math.max(2, wide), STRIP + 2, null, theme.text);
  }
  if (name === v.step && v.cell >= 0 && v.cell < values.length) pen.rect(x + v.cell * wide - 1, y - 1.5, Math.max(3, wide) + 2, STRIP + 3, null, theme.text, { width: 1.5 });
}
