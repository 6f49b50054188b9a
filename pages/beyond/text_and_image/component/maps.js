// @ts-check
// Weights of both models between words and patches, and the pictures they are laid over. Free of the DOM.

import { drawPixels } from "#canvas/pad.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Side} Side */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

export const PATCHES = 6; // along a side
const CELLS = 3;
const HEAD_GAP = 6;
const HEAD_TITLE = 15;
const HEAD_LEAST = 40; // pixels: a head's name fits above its picture

/**
 * Weights of one row for one head (from 1), or the mean of all (0).
 * @param {Side} side
 * @param {number} row
 * @param {number} head
 * @returns {number[]}
 */
export function rowOf({ maps, layers, heads, columns }, row, head) {
  const maybe = head ? [head - 1] : Array.from({ length: layers * heads }, (_, i) => i);
  return Array.from({ length: columns }, (_, column) =>
    maybe.reduce((sum, each) => sum + maps[(row * layers * heads + each) * columns + column], 0) / maybe.length);
}

/**
 * What each row gave to one column.
 * @param {Side} side
 * @param {number} column
 * @param {number} head
 */
export function columnOf(side, column, head) {
  return Array.from({ length: side.rows }, (_, row) => rowOf(side, row, head)[column]);
}

/**
 * What is laid over the picture of the model whose words ask, and of the turned one: a weight for each patch, or null.
 * @param {View} v
 * @param {number} [head]
 */
export function asksWeights(v, head = v.shown.head) {
  return v.shown.word && v.shown.word <= v.asks.rows ? rowOf(v.asks, v.shown.word - 1, head) : null;
}

/**
 * @param {View} v
 * @param {number} [head]
 */
export function turnedWeights(v, head = v.shown.turnedHead) {
  return v.shown.turnedWord && v.shown.turnedWord <= v.turned.columns ? columnOf(v.turned, v.shown.turnedWord - 1, head) : null;
}

/**
 * The cell, 0 to 8, of a patch.
 * @param {number} patch from 0
 */
export function cellOf(patch) {
  const half = PATCHES / CELLS;
  return Math.floor(Math.floor(patch / PATCHES) / half) * CELLS + Math.floor((patch % PATCHES) / half);
}

/**
 * Weights of patches summed by cell.
 * @param {ArrayLike<number>} weights
 */
export function byCell(weights) {
  const sums = new Array(CELLS * CELLS).fill(0);
  for (let patch = 0; patch < weights.length; patch++) sums[cellOf(patch)] += weights[patch];
  return sums;
}

/**
 * The picture, weights over it, marked patches outlined, and the chosen patch.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} size
 * @param {object} over
 * @param {number[] | null} over.weights
 * @param {number} over.full the weight that is drawn in full colour
 * @param {ArrayLike<number>} [over.marks]
 * @param {number} [over.patch] from 1
 * @param {boolean} [over.small]
 */
export function drawPicture(pen, v, theme, size, { weights, full, marks, patch = 0, small = false }) {
  const step = size / PATCHES;
  const [blue, orange] = theme.heads;
  drawPixels(pen, theme, v.pixels, 24, size);
  for (let i = 0; i < PATCHES * PATCHES; i++) {
    const [x, y] = [(i % PATCHES) * step, Math.floor(i / PATCHES) * step];
    if (weights && full > 0) pen.rect(x, y, step, step, orange, null, { alpha: 0.85 * Math.min(1, weights[i] / full) });
    if (!small) pen.rect(x, y, step, step, null, theme.faint);
  }
  for (let i = 0; marks && i < marks.length; i++) if (marks[i] > 0.5) outline(pen, marks, i, step, blue, small ? 1.5 : 3);
  for (let i = 0; i <= CELLS; i++) {
    pen.line((i * size) / CELLS, 0, (i * size) / CELLS, size, small ? theme.faint : theme.muted);
    pen.line(0, (i * size) / CELLS, size, (i * size) / CELLS, small ? theme.faint : theme.muted);
  }
  if (patch) pen.rect(((patch - 1) % PATCHES) * step + 1, Math.floor((patch - 1) / PATCHES) * step + 1, step - 2, step - 2, null, theme.primary, { width: 2.5 });
}

/**
 * The sides of a marked patch beyond which nothing is marked.
 * @param {Pen} pen
 * @param {ArrayLike<number>} marks
 * @param {number} i
 * @param {number} step
 * @param {string} color
 * @param {number} width
 */
function outline(pen, marks, i, step, color, width) {
  const [column, row] = [i % PATCHES, Math.floor(i / PATCHES)];
  const marked = (/** @type {number} */ c, /** @type {number} */ r) => c >= 0 && c < PATCHES && r >= 0 && r < PATCHES && marks[r * PATCHES + c] > 0.5;
  const [x, y, m] = [column * step, row * step, width / 2];
  if (!marked(column - 1, row)) pen.line(x + m, y, x + m, y + step, color, { width });
  if (!marked(column + 1, row)) pen.line(x + step - m, y, x + step - m, y + step, color, { width });
  if (!marked(column, row - 1)) pen.line(x, y + m, x + step, y + m, color, { width });
  if (!marked(column, row + 1)) pen.line(x, y + step - m, x + step, y + step - m, color, { width });
}

/**
 * Where the small picture of each head stands: the mean first.
 * @param {number} count heads of all layers
 * @param {number} width
 */
export function headPlaces(count, width) {
  const rows = Math.ceil((count + 1) / Math.max(1, Math.floor((width + HEAD_GAP) / (HEAD_LEAST + HEAD_GAP))));
  const across = Math.ceil((count + 1) / rows);
  const size = Math.min(66, Math.floor((width - (across - 1) * HEAD_GAP) / across));
  const places = Array.from({ length: count + 1 }, (_, i) => ({
    x: (i % across) * (size + HEAD_GAP),
    y: Math.floor(i / across) * (size + HEAD_TITLE + HEAD_GAP) + HEAD_TITLE,
  }));
  return { size, places, height: rows * (size + HEAD_TITLE + HEAD_GAP) };
}

/**
 * The small pictures of the mean and of each head.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 * @param {Side} side
 * @param {number} chosen
 * @param {(head: number) => number[] | null} weightsOf
 * @param {number} [full] the weight in full colour; else each picture's largest
 */
export function drawHeads(pen, v, theme, width, side, chosen, weightsOf, full) {
  const { size, places } = headPlaces(side.layers * side.heads, width);
  places.forEach(({ x, y }, head) => {
    const weights = weightsOf(head);
    pen.text(x + 1, y - 8, headName(side, head), { color: head === chosen ? theme.text : theme.muted, weight: head === chosen ? 700 : 400, size: 10 });
    pen.shifted(x, y, () => drawPicture(pen, v, theme, size, { weights, full: full ?? Math.max(...(weights ?? [0])), small: true }));
    if (head === chosen) pen.rect(x + 1, y + 1, size - 2, size - 2, null, theme.primary, { width: 2 });
  });
}

/**
 * @param {Side} side
 * @param {number} head from 1; 0 is the mean
 */
export function headName({ heads }, head) {
  return head ? `L${Math.floor((head - 1) / heads) + 1} H${((head - 1) % heads) + 1}` : "mean";
}
