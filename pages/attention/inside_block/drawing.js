// @ts-check
// The rows as strips along the residual stream, and where their cells lie.

import { ANY } from "#canvas/hovered.js";
import { visible } from "#canvas/text.js";
import { fade, shade, textWidth } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {{ number: number, cell: number }} Place a step by its number, and a cell of its row (-1: none) */
/** @typedef {{ name: string, what: string, inside: "attention" | "cross-attention" | "MLP" | "", kind: "signed" | "probability", x: string, product: boolean,
 * labels: string[] }} Row */
/** @typedef {{ step: string, cell: number, total: number, actual: number, bias: number, count: number, left: string, right: string, terms: [string, number,
 * number][] }} Opened one cell of a product, taken apart: of its largest terms name and both factors */
/** @typedef {import("#canvas/live.js").View<{ title: string, step: string, opened: Opened | null, rows: Row[] }, Record<string, Float32Array>,
 * { step: string, cell: number | null }>} View */
/** @typedef {import("#canvas/hovered.js").Spot} Spot */

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
  const start = width < 700 ? 44 + 6.6 * longest : 230;
  return { start, length: width - start - 4 };
}

/**
 * The step, and the cell of it, at a point.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
export function cellAt(v, x, y) {
  const number = Math.floor((y - TOP) / PITCH);
  if (number < 0 || number >= v.header.rows.length) return null;
  const { start, length } = across(v, v.width);
  const count = v.arrays[`values${number}`].length;
  const cell = x < start ? -1 : Math.min(count - 1, Math.floor(((x - start) / length) * count));
  return { number, cell };
}

/**
 * The middle of a cell, for what opens there.
 * @param {View} v
 * @param {Place} place
 */
export function middleOf(v, { number, cell }) {
  const { start, length } = across(v, v.width);
  return { x: start + ((cell + 0.5) / v.arrays[`values${number}`].length) * length, y: TOP + number * PITCH + STRIP };
}

/**
 * The token of the text that a cell is of, where the row has a cell for each key.
 * @param {View} v
 * @param {Place} place
 * @returns {Spot[]}
 */
export function tokenOf({ header, arrays }, { number, cell }) {
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
 * @param {Spot[]} lit the tokens that are pointed at on the page
 */
export function drawStrips(pen, v, theme, width, lit) {
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
    const chosen = row.name === v.place.step;
    const y = TOP + k * PITCH;
    if (chosen) pen.rect(0, y - 3, width, PITCH, fade(theme.primary, 0.14));
    pen.circle(TRACK[row.inside], y + STRIP / 2, chosen ? 5.5 : 4, chosen ? theme.primary : theme.text);
    pen.text(34, y + STRIP / 2, row.name, { color: theme.text, size: 11.5, weight: chosen ? 600 : 400 });
    const room = start - 40 - textWidth(theme, row.name, 11.5, 600) - 10;
    if (start > 200 && textWidth(theme, row.what, 10) <= room) pen.text(start - 8, y + STRIP / 2, row.what, { align: "right", color: theme.muted, size: 10 });
    drawStrip(pen, v, theme, { k, x: start, y, length, lit });
  });
}

/**
 * One row's cells; those of tokens that are pointed at are framed.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ k: number, x: number, y: number, length: number, lit: Spot[] }} at
 */
function drawStrip(pen, v, theme, { k: number, x, y, length, lit }) {
  const values = v.arrays[`values${number}`];
  const { kind, name, x: of } = v.header.rows[number];
  const wide = length / values.length;
  const { cell } = v.place;
  let most = 1e-9;
  for (const value of values) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  pen.rect(x, y, length, STRIP, theme.missing);
  values.forEach((value, k) => {
    if (!Number.isFinite(value)) return;
    const color = kind === "probability" ? shade(theme.sequential, Math.sqrt(value / most)) : shade(theme.diverging, 0.5 + value / most / 2);
    pen.rect(x + k * wide, y, wide + 0.3, STRIP, color);
  });
  const same = (/** @type {Spot} */ token, /** @type {Spot} */ { text, index, word }) => (text === ANY || (text === "source") === (token.text === "source"))
    && index === token.index && word === token.word;
  if (of in KEYS && lit.length) values.forEach((__, k) => {
    const [token] = tokenOf(v, { number, cell: k });
    if (token && lit.some((spot) => same(token, spot))) pen.rect(x + k * wide, y - 1, Math.max(2, wide), STRIP + 2, null, theme.text);
  });
  if (name === v.place.step && cell !== null && cell < values.length)
    pen.rect(x + cell * wide - 1, y - 1.5, Math.max(3, wide) + 2, STRIP + 3, null, theme.text, { width: 1.5 });
}
