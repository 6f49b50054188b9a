// @ts-check
// The matrix, the sum so far, the term with its column and row, what is left; singular values and errors below.

import { _, ngettext } from "#canvas/language.js";
import { largestSize, numbersImage } from "#canvas/numbers_image.js";
import { errorsOf, numberOf, percent, termAt } from "./terms.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").State} State */

const GAP = 22;
const EDGE = 9; // the term's column and row, thick
const TITLE = 18;
const TALLEST = 210;
const CHART = 118;
const NARROW = 620; // pixels, below which the panels stand in two rows

/**
 * @param {number} width
 * @param {{ rows: number, cols: number }} shape
 * @returns {Layout}
 */
export function layoutOf(width, { rows, cols }) {
  const across = width < NARROW ? 2 : 4;
  const wide = (width - GAP * (across - 1) - 2) / across;
  const high = Math.max(64, Math.min(TALLEST, ((wide - EDGE - 3) * rows) / cols));
  const wideOf = Math.min(wide - EDGE - 3, Math.max(48, (high * cols) / rows));
  const panels = Array.from({ length: 4 }, (_, i) => ({
    x: 1 + (i % across) * (wide + GAP) + EDGE + 3,
    y: TITLE + EDGE + 3 + Math.floor(i / across) * (high + TITLE + EDGE + 8),
    width: wideOf,
    height: high,
  }));
  const below = panels[3].y + high + 34;
  const halves = width < NARROW ? [width, width] : [(width - 60) * 0.36, (width - 60) * 0.64];
  const bars = { x: 38, y: below, width: halves[0] - 44, height: CHART };
  const curve = width < NARROW ? { x: 38, y: below + CHART + 56, width: width - 44, height: CHART } : {
    x: halves[0] + 60 + 38, y: below, width: halves[1] - 44, height: CHART };
  return { width, height: curve.y + CHART + 24, panels, bars, curve };
}

/**
 * The cell under a point, or null.
 * @param {Layout} layout
 * @param {{ rows: number, cols: number }} shape
 * @param {number} x
 * @param {number} y
 */
export function cellAt(layout, { rows, cols }, x, y) {
  for (const box of layout.panels) {
    const [across, down] = [(x - box.x) / box.width, (y - box.y) / box.height];
    if (across >= 0 && across < 1 && down >= 0 && down < 1) return { row: Math.floor(down * rows), col: Math.floor(across * cols) };
  }
  return null;
}

/**
 * The number of terms at an x of the curve, or null outside its chart.
 * @param {Layout} layout
 * @param {number} count of all terms
 * @param {number} x
 * @param {number} y
 */
export function countAt({ curve }, count, x, y) {
  if (y < curve.y - 16 || y > curve.y + curve.height + 22 || x < curve.x - 16 || x > curve.x + curve.width + 16) return null;
  return Math.max(0, Math.min(count, Math.round(((x - curve.x) / curve.width) * count)));
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {State & { hover: { row: number, col: number } | null }} state
 * @param {Float64Array} sum
 * @param {Layout} layout
 * @param {Theme} theme
 */
export function drawTerms(pen, data, state, sum, layout, theme) {
  const { header, whole } = data;
  const { rows, cols } = header;
  const most = largestSize(whole);
  const term = state.count ? termAt(data, state.way, numberOf(data, state, state.count - 1)) : { column: new Float64Array(rows), row: new Float64Array(cols) };
  const outer = new Float64Array(rows * cols);
  for (let i = 0; i < rows; i++) for (let j = 0; j < cols; j++) outer[i * cols + j] = term.column[i] * term.row[j];
  const left = whole.map((value, i) => value - sum[i]);
  const names = [_("the matrix, {rows} × {cols}", { rows, cols }), ngettext("sum of {n} term", "sum of {n} terms", state.count),
    state.count ? _("the last term: column × row") : _("no term yet"),
    _("left: {share}", { share: percent(errorsOf(data, state.way, state.sorted)[state.count]) })];
  [whole, sum, outer, left].forEach((values, i) => {
    const box = layout.panels[i];
    pen.text(box.x - (i === 2 ? EDGE + 3 : 0), box.y - EDGE - 12, names[i],
      { color: i === 1 ? theme.primary : theme.text, size: 12, weight: i === 1 ? 700 : 400 });
    pen.image(numbersImage(theme, values, rows, cols, true, most), box.x, box.y, box.width, box.height);
    pen.rect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, null, theme.faint);
    if (state.hover) {
      const [w, h] = [box.width / cols, box.height / rows];
      pen.rect(box.x + state.hover.col * w - 1, box.y + state.hover.row * h - 1, w + 2, h + 2, null, theme.text, { width: 1.5 });
    }
  });
  const box = layout.panels[2];
  pen.image(numbersImage(theme, term.column, rows, 1, true), box.x - EDGE - 3, box.y, EDGE, box.height);
  pen.image(numbersImage(theme, term.row, 1, cols, true), box.x, box.y - EDGE - 3, box.width, EDGE);
  drawBars(pen, data, state, layout.bars, theme);
  drawErrors(pen, data, state, layout.curve, theme);
}

/**
 * The singular values; the first ones, where the sum is of singular terms, in colour.
 * @param {Pen} pen
 * @param {Data} data
 * @param {State} state
 * @param {Box} box
 * @param {Theme} theme
 */
function drawBars(pen, { arrays, header }, state, box, theme) {
  const { values } = arrays;
  const most = values[0] || 1;
  const wide = box.width / values.length;
  pen.text(0, box.y - 16, _("singular values: {count}, of which {rank} above 0", { count: values.length, rank: header.rank }), { color: theme.text, size: 12 });
  pen.line(box.x, box.y + box.height, box.x + box.width, box.y + box.height, theme.faint);
  for (const share of [0.5, 1]) pen.text(box.x - 6, box.y + box.height * (1 - share), (most * share).toPrecision(2),
    { color: theme.muted, size: 10, align: "right" });
  values.forEach((value, i) => {
    const high = (value / most) * box.height;
    const taken = state.way.key === "singular" && i < state.count;
    pen.rect(box.x + i * wide, box.y + box.height - high, Math.max(1, wide - (wide > 4 ? 1.5 : 0)), high, taken ? theme.primary : theme.muted);
  });
}

/**
 * What is left after 0, 1, ... terms: as chosen, as the terms stand or the largest first, and the singular terms' lower bound.
 * @param {Pen} pen
 * @param {Data} data
 * @param {State} state
 * @param {Box} box
 * @param {Theme} theme
 */
function drawErrors(pen, data, state, box, theme) {
  const { way, count, sorted } = state;
  const singular = data.header.ways[data.header.ways.length - 1];
  const x = (/** @type {number} */ k) => box.x + (box.width * k) / way.count;
  const y = (/** @type {number} */ share) => box.y + box.height * (1 - Math.min(1.2, share) / Math.max(1, top));
  const lines = [errorsOf(data, way, false), errorsOf(data, way, true), errorsOf(data, singular, false)];
  const top = Math.min(1.2, Math.max(...lines.map((line) => Math.max(...line))));
  pen.text(box.x - 38, box.y - 16, _("left after k terms (share of the norm)"), { color: theme.text, size: 12 });
  for (const share of [0, 0.5, 1]) {
    pen.line(box.x, y(share), box.x + box.width, y(share), theme.faint);
    pen.text(box.x - 6, y(share), `${100 * share}%`, { color: theme.muted, size: 10, align: "right" });
  }
  const path = (/** @type {ArrayLike<number>} */ line) =>
    Array.from({ length: Math.min(line.length, way.count + 1) }, (_, k) => `${k ? "L" : "M"}${x(k)} ${y(line[k])}`).join("");
  pen.path(path(lines[2]), theme.heads[1], 2);
  if (way !== singular) {
    pen.path(path(lines[sorted ? 0 : 1]), theme.muted, 1.2, 1, "3 4");
    pen.path(path(lines[sorted ? 1 : 0]), theme.primary, 2);
  }
  const here = errorsOf(data, way, sorted)[count];
  pen.line(x(count), box.y, x(count), box.y + box.height, theme.muted, { dash: "2 3" });
  pen.circle(x(count), y(here), 4.5, way === singular ? theme.heads[1] : theme.primary);
  for (const k of [0, Math.round(way.count / 2), way.count]) pen.text(x(k), box.y + box.height + 11, k, { color: theme.muted, size: 10, align: "center" });
  const least = [_("singular terms: the least there is"), theme.heads[1]];
  const chosen = sorted ? _("largest first") : _("as they stand");
  const other = sorted ? _("as they stand (thin)") : _("largest first (thin)");
  const legend = way === singular ? [least] : [[chosen, theme.primary], [other, theme.muted], least];
  legend.forEach(([text, color], i) => pen.text(box.x + box.width - 4, box.y + 8 + 15 * i, text, { color, size: 11, align: "right", weight: 600 }));
}
