// @ts-check
// The two maps: a head's weights with the pin, and the score source by source with its margins.

import { _ } from "#canvas/language.js";
import { largestSize, numbersImage } from "#canvas/numbers_image.js";
import { minus, visible } from "#canvas/text.js";
import { inkOn, shadeRgb } from "#canvas/theme.js";

/** @typedef {{ x: number, y: number, cell: number }} Box */
/** @typedef {[number, number, number, number]} Place layer, head, query, key */
/** @typedef {{ name: string, place: Place, from: string, to: string }} Step */
/** @typedef {Record<string, [number, string]>} Reads of each head among the sources of one side: the key that it reads most, and its weight there */
/** @typedef {{ promoted: [string, number][], lowered: [string, number][], shares: [string, number][] }} Written */
/**
 * Positions in the map, sources at the query and at the key; `few`: not all of the `total` sources are shown; `written` is null
 * where nothing can be said of it.
 * @typedef {{ title: string, tokens: string[], places: number[], rows: string[], columns: string[], at: number, steps: Step[], reads: { query: Reads,
 *   key: Reads },
 *   score: string, weight: string, total: number, few: boolean, written: Written | null }} Header
 */
/** @typedef {import("#canvas/live.js").View<Header, { weights: Float32Array, values: Float32Array }, { pin: Place, path: Place[], at: number,
 * every: boolean }> & { taken: Place[] }} View `taken`: the path before a step was taken away */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */

const LABEL = 58; // pixels of a label beside a map
const TOP = 52; // above it
const SUMS = 44; // beside a map of sources
const NUMBER = 26; // pixels of a cell that a number fits into
const LINE = 10; // pixels from one label to the next, at least

/** @param {number} value */
export function two(value) {
  return minus(Math.abs(value) < 0.005 ? "0" : value.toFixed(2));
}

/**
 * @param {number} width
 * @param {number} count
 * @returns {Box}
 */
export function mapBox(width, count) {
  return { x: LABEL, y: 20, cell: (width - LABEL - 4) / count };
}

/**
 * Sums stand in a further row and column.
 * @param {number} width
 * @param {Header} header
 * @returns {Box}
 */
export function sourcesBox(width, header) {
  return { x: LABEL + 8, y: TOP + 18, cell: (width - LABEL - 12 - SUMS) / header.columns.length };
}

/**
 * Height of a row of sources: flat cells, so that the picture stays above the fold.
 * @param {Box} box
 * @param {Header} header
 */
export function rowHeight(box, header) {
  return Math.max(Math.min(box.cell, 30, 380 / (header.rows.length + 1)), 1.5);
}

/**
 * @param {Pen} pen
 * @param {Header} header
 * @param {ArrayLike<number>} weights
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawMap(pen, header, weights, box, theme) {
  const { places, tokens, steps, at } = header;
  const n = places.length;
  const step = steps[at];
  const [row, col] = step.place.slice(2).map((place) => places.indexOf(place));
  const size = box.cell * n;
  pen.text(0, 8, _("{head}: who looks at whom", { head: step.name }), { color: theme.text, weight: 600, size: 12 });
  pen.image(numbersImage(theme, weights, n, n, false, 1), box.x, box.y, size, size);
  pen.rect(box.x, box.y, size, size, null, theme.faint);
  pen.rect(box.x, box.y + row * box.cell, size, Math.max(box.cell, 2), null, theme.muted);
  pen.rect(box.x + col * box.cell - 1, box.y + row * box.cell - 1, Math.max(box.cell, 4) + 2, Math.max(box.cell, 4) + 2, null, theme.primary, { width: 2 });
  const every = Math.ceil(10 / box.cell);
  for (let i = 0; i < n; i++) {
    const marked = i === row || i === col;
    if (!marked && (i % every || Math.abs(i - row) * box.cell < 10 || Math.abs(i - col) * box.cell < 10)) continue;
    pen.text(box.x - 4, box.y + (i + 0.5) * box.cell + apart(i, row, col, box.cell), tokens[places[i]],
      { color: marked ? theme.text : theme.muted, weight: marked ? 700 : 400, align: "right", size: 10, token: LABEL - 6 });
  }
}

/**
 * How far the labels of query and key give way to each other where they are neighbours.
 * @param {number} i
 * @param {number} row
 * @param {number} col
 * @param {number} cell
 */
export function apart(i, row, col, cell) {
  const missing = LINE + 1 - Math.abs(row - col) * cell;
  if (row === col || missing <= 0 || (i !== row && i !== col)) return 0;
  return ((i === Math.max(row, col) ? 1 : -1) * missing) / 2;
}

/**
 * Sums of rows and columns.
 * @param {Header} header
 * @param {ArrayLike<number>} values
 */
export function margins({ rows, columns }, values) {
  const across = rows.map(() => 0);
  const down = columns.map(() => 0);
  rows.forEach((__, i) => columns.forEach((___, j) => {
    across[i] += values[i * columns.length + j];
    down[j] += values[i * columns.length + j];
  }));
  return { across, down };
}

/**
 * Which lines have a label, so that none overlap: those with the largest sums first.
 * @param {number[]} sums
 * @param {number} apart pixels from one line to the next
 * @param {number} least pixels from one label to the next
 */
export function labelled(sums, apart, least) {
  /** @type {Set<number>} */
  const chosen = new Set();
  const order = sums.map((__, i) => i).sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a]) || a - b);
  for (const i of order) if ([...chosen].every((other) => Math.abs(other - i) * apart >= least)) chosen.add(i);
  return chosen;
}

/**
 * @param {Pen} pen
 * @param {Header} header
 * @param {ArrayLike<number>} values
 * @param {Box} box
 * @param {Theme} theme
 * @param {{ row: number, col: number } | null} hover
 */
export function drawSources(pen, header, values, box, theme, hover) {
  const { rows, columns, steps, at, tokens } = header;
  const [, , query, key] = steps[at].place;
  const high = rowHeight(box, header);
  const [width, height] = [box.cell * columns.length, high * rows.length];
  const most = largestSize(values);
  const followed = steps[at + 1];
  pen.text(0, 8, _("The score, source by source"), { color: theme.text, weight: 600, size: 12 });
  pen.text(box.x + width, 26, _("at the key “{token}”", { token: visible(tokens[key]) }), { color: theme.muted, align: "right" });
  pen.text(0, 26, _("at the query “{token}” ↓", { token: visible(tokens[query]) }), { color: theme.muted });
  pen.image(numbersImage(theme, values, rows.length, columns.length, true, most), box.x, box.y, width, height);
  const { across, down } = margins(header, values);
  const wide = box.cell > NUMBER && high > 11;
  const [namedRows, namedColumns] = [labelled(across, high, LINE), labelled(down, box.cell, 1.6 * LINE)];
  rows.forEach((name, i) => {
    const y = box.y + (i + 0.5) * high;
    const source = followed && followed.name === name && followed.place[2] === query && query !== key;
    if (namedRows.has(i)) pen.text(box.x - 4, y, name, { color: source ? theme.primary : theme.text, weight: source ? 700 : 400, align: "right",
      size: high < 11 ? 9 : 11 });
    if (namedRows.has(i)) pen.text(box.x + width + SUMS - 2, y, two(across[i]), { color: theme.text, align: "right", size: 10 });
    if (wide) columns.forEach((__, j) => {
      const value = values[i * columns.length + j];
      if (Math.abs(value) < most / 50) return; // pointing at it says it
      pen.text(box.x + (j + 0.5) * box.cell, y, two(value), { color: inkOn(shadeRgb(theme.diverging, 0.5 + value / most / 2)), align: "center", size: 10 });
    });
  });
  columns.forEach((name, j) => {
    const x = box.x + (j + 0.5) * box.cell;
    const source = followed && followed.name === name && followed.place[2] === key;
    if (namedColumns.has(j)) pen.text(x, box.y - 4, name, { color: source ? theme.primary : theme.text, weight: source ? 700 : 400, rotate: -0.6, size: 11 });
    if (box.cell > NUMBER) pen.text(x, box.y + height + 9, two(down[j]), { color: theme.text, align: "center", size: 9 });
  });
  pen.text(box.x - 4, box.y + height + 9, _("sum"), { color: theme.muted, align: "right", size: 10 });
  pen.text(box.x + width + SUMS - 2, box.y + height + 9, header.score, { color: theme.text, align: "right", weight: 700, size: 11 });
  if (hover) pen.rect(box.x + hover.col * box.cell, box.y + hover.row * high, box.cell, high, null, theme.text, { width: 2 });
}

/**
 * The row and column at a point; −1 for a label's side, null elsewhere.
 * @param {Box} box
 * @param {number} rows
 * @param {number} cols
 * @param {number} high
 * @param {number} x
 * @param {number} y
 */
export function cellOf(box, rows, cols, high, x, y) {
  const row = Math.floor((y - box.y) / high);
  const col = Math.floor((x - box.x) / box.cell);
  if (row >= rows || col >= cols || (row < 0 && col < 0)) return null;
  return { row: Math.max(-1, row), col: Math.max(-1, col) };
}
