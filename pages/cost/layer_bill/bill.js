// @ts-check
// The bill as bars, a thin one beneath each for a single head, and every part against the number of tokens.

import { billOf, crossingsOf, oneHead, totalsOf, headWidth } from "./counting.js";
import { _ } from "#canvas/language.js";
import { amount, grouped, percent } from "./written.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./view.js").Sizes} Sizes */
/** @typedef {import("./view.js").Spots} Spots */

const ROW = 25;
const NAMES = 118;
const VALUES = 96;
const BESIDE = 700; // pixels from which the chart stands beside the bars
const CHART = 330; // its height
const BARS = 10 * ROW + 62; // six parts, three kinds of memory, and two headings
const partNames = () => /** @type {const} */ ({ projections: _("Q, K, V"), scores: _("scores q·k"), softmax: _("softmax"), sum: _("weighted sums"),
  output: _("output W_O"), ffn: _("feed-forward") });

/** @param {number} width */
export function billHeight(width) {
  return width >= BESIDE ? Math.max(BARS, CHART) : BARS + CHART;
}

/**
 * A part's colour: the attention's matrices, what grows with n², the feed-forward part.
 * @param {Theme} theme
 * @param {string} part
 */
function inkOf(theme, part) {
  return theme.heads[part === "ffn" ? 2 : part === "projections" || part === "output" ? 0 : 1];
}

/**
 * Draw it all; returns where the chart's axis lies.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Sizes} sizes
 * @param {number} width
 * @param {number} at n under the pointer, or 0
 * @returns {Spots}
 */
export function drawBill(pen, theme, sizes, width, at) {
  const beside = width >= BESIDE;
  const left = beside ? Math.round(width * 0.53) : width;
  drawBars(pen, theme, sizes, left - (beside ? 24 : 0));
  const box = beside ? { x: left, y: 0, width: width - left } : { x: 0, y: BARS, width };
  return drawChart(pen, theme, sizes, box, at);
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Sizes} sizes
 * @param {number} width
 */
function drawBars(pen, theme, sizes, width) {
  const [lines, single] = [billOf(sizes), billOf(oneHead(sizes))];
  const names = partNames();
  const parts = /** @type {(keyof typeof names)[]} */ (Object.keys(names));
  const operations = parts.map((part) => ({ name: names[part], value: lines[part].operations, one: single[part].operations, color: inkOf(theme, part) }));
  const all = totalsOf(sizes);
  const one = totalsOf(oneHead(sizes));
  const quadratic = quadraticOf(sizes);
  const shares = { all: amount(all.operations), rest: percent(1 - quadratic), quadratic: percent(quadratic) };
  let y = drawGroup(pen, theme, _("Operations: {all} · matrices {rest}, n² {quadratic}", shares), operations, width, 0, "");
  const memory = [
    { name: _("weights"), value: all.weights, one: one.weights, color: theme.heads[0] },
    { name: _("activations"), value: all.written, one: one.written, color: theme.heads[3] },
    { name: _("maps B·h·n²"), value: all.maps, one: one.maps, color: theme.heads[1] },
  ];
  y = drawGroup(pen, theme, _("Memory, {bytes} bytes a number", { bytes: sizes.bytes }), memory, width, y + 4, "B");
  pen.rect(NAMES, y + 7, 18, 4, theme.muted, null, { alpha: 0.55 });
  pen.text(NAMES + 24, y + 9, _("thin: one head of {width}", { width: grouped(sizes.h * headWidth(sizes)) }), { color: theme.muted, size: 11 });
}

/**
 * Bars under a heading; returns where they end.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {string} title
 * @param {{ name: string, value: number, one: number, color: string }[]} rows
 * @param {number} width
 * @param {number} top
 * @param {string} unit
 */
function drawGroup(pen, theme, title, rows, width, top, unit) {
  const most = Math.max(...rows.flatMap(({ value, one }) => [value, one]), 1);
  const sum = rows.reduce((total, { value }) => total + value, 0);
  const room = width - NAMES - VALUES;
  pen.text(0, top + 11, title, { color: theme.text, size: 12, weight: 600 });
  rows.forEach(({ name, value, one, color }, i) => {
    const y = top + 22 + i * ROW;
    pen.text(NAMES - 8, y + 9, name, { color: theme.text, size: 12, align: "right" });
    pen.rect(NAMES, y + 2, Math.max(1, room * (value / most)), 12, color);
    pen.rect(NAMES, y + 15, Math.max(1, room * (one / most)), 4, theme.muted, null, { alpha: 0.55 });
    const share = unit ? "" : ` · ${percent(value / sum)}`;
    pen.text(NAMES + room * (value / most) + 6, y + 8, `${amount(value, unit)}${share}`, { color: theme.text, size: 11 });
  });
  return top + 22 + rows.length * ROW;
}

/**
 * Operations of three kinds against n, and of all matrices, on logarithmic axes.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Sizes} sizes
 * @param {{ x: number, y: number, width: number }} box
 * @param {number} at
 * @returns {Spots}
 */
function drawChart(pen, theme, sizes, box, at) {
  const cross = crossingsOf(sizes);
  const [low, high] = [16, 2 ** Math.ceil(Math.log2(Math.max(sizes.n * 2, cross.weights * 4, 4096)))];
  const kinds = (/** @type {number} */ n) => {
    const lines = billOf({ ...sizes, n });
    const projections = lines.projections.operations + lines.output.operations;
    return [projections, lines.scores.operations + lines.softmax.operations + lines.sum.operations, lines.ffn.operations, projections + lines.ffn.operations];
  };
  const [first, last] = [kinds(low), kinds(high)];
  const spot = { left: box.x + 44, right: box.x + box.width - 12, top: box.y + 30, bottom: box.y + CHART - 34, low, high, log: true };
  const [least, most] = [Math.log10(Math.min(...first)), Math.log10(Math.max(...last))];
  const x = (/** @type {number} */ n) => spot.left + ((spot.right - spot.left) * Math.log(n / low)) / Math.log(high / low);
  const y = (/** @type {number} */ value) => spot.bottom - ((spot.bottom - spot.top) * (Math.log10(value) - least)) / (most - least);
  pen.text(box.x, box.y + 11, _("Operations against tokens n"), { color: theme.text, size: 12, weight: 600 });
  drawAxes(pen, theme, spot, { x, y, least, most });
  const inks = [theme.heads[0], theme.heads[1], theme.heads[2], theme.text];
  const dash = (/** @type {number} */ k) => (k === 3 ? { dash: "5 3" } : {});
  inks.forEach((ink, k) => pen.line(x(low), y(first[k]), x(high), y(last[k]), ink, { width: 2, ...dash(k) }));
  [_("Q, K, V, W_O"), _("scores and sums (n²)"), _("feed-forward"), _("all matrices")].forEach((name, k) => {
    pen.line(spot.left + 8, spot.top + 6 + 15 * k, spot.left + 24, spot.top + 6 + 15 * k, inks[k], { width: 2.5, ...dash(k) });
    pen.text(spot.left + 30, spot.top + 6 + 15 * k, name, { color: theme.text, size: 11 });
  });
  const here = at || sizes.n;
  pen.line(x(here), spot.top, x(here), spot.bottom, theme.primary, { width: 1.5, dash: "4 3" });
  kinds(here).forEach((value, k) => pen.circle(x(here), y(value), 4, inks[k]));
  pen.text(Math.min(x(here), spot.right - 34), spot.bottom - 8, `n = ${grouped(here)}`,
    { color: theme.primary, size: 11, weight: 600, align: x(here) > spot.left + 60 ? "right" : "left" });
  const close = x(cross.weights) - x(cross.projections) < 56;
  [cross.projections, cross.weights].forEach((n, k) => {
    if (n < low) return;
    pen.line(x(n), spot.bottom, x(n), spot.bottom + 6, theme.text, { width: 2 });
    pen.text(x(n) + (close ? 8 * (k ? -1 : 1) : 0), spot.bottom + 26, grouped(n),
      { color: theme.text, size: 11, weight: 600, align: close ? (k ? "left" : "right") : "center" });
  });
  return spot;
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Spots} spot
 * @param {{ x: (n: number) => number, y: (value: number) => number, least: number, most: number }} scale
 */
function drawAxes(pen, theme, spot, { x, y, least, most }) {
  pen.line(spot.left, spot.bottom, spot.right, spot.bottom, theme.muted);
  const every = Math.max(1, Math.round((most - least) / 5));
  for (let power = Math.ceil(least / 3) * 3; power <= most; power += 3 * Math.ceil(every / 3)) {
    pen.line(spot.left, y(10 ** power), spot.right, y(10 ** power), theme.faint);
    pen.text(spot.left - 5, y(10 ** power), amount(10 ** power).replace(/\.0+/, ""), { color: theme.muted, size: 10, align: "right" });
  }
  const steps = Math.log2(spot.high / spot.low);
  const jump = Math.max(1, Math.ceil(steps / ((spot.right - spot.left) / 52)));
  for (let k = 0; k <= steps; k += jump) {
    pen.text(x(spot.low * 2 ** k), spot.bottom + 12, grouped(spot.low * 2 ** k), { color: theme.muted, size: 10, align: "center" });
  }
}

/**
 * The n at a place of the chart, whole.
 * @param {Spots} spot
 * @param {number} px
 */
export function placeAt(spot, px) {
  const share = Math.max(0, Math.min(1, (px - spot.left) / (spot.right - spot.left)));
  return Math.round(spot.log ? spot.low * (spot.high / spot.low) ** share : spot.low + share * (spot.high - spot.low));
}

/**
 * The share of the operations that grows with n²: scores, softmax and sums.
 * @param {Sizes} s
 */
function quadraticOf(s) {
  const lines = billOf(s);
  return (lines.scores.operations + lines.softmax.operations + lines.sum.operations) / totalsOf(s).operations;
}

/**
 * The bill in a sentence or two.
 * @param {Sizes} s
 */
export function billSentence(s) {
  const all = totalsOf(s);
  const cross = crossingsOf(s);
  const one = amount(billOf(oneHead(s)).projections.operations);
  const alike = _(" One head as wide as all would take the same products; its softmax and its maps, {h} times less.", { h: s.h });
  const single = s.h === 1 ? "" : s.g === s.h ? alike : _(
    " One head with keys and values of its own would take {one} for Q, K and V: sharing saves the rest.", { one });
  const said =
    _("With n = {n} tokens, scores, softmax and sums take {soft} of the operations. Counted in products, scores and sums overtake the attention's matrices " +
    "at n = {projections}, and all matrices at {weights}. The maps have {heads} · {n}² = {cells} cells, {maps}, beside {bytes} of weights.", {
    n: grouped(s.n), soft: percent(quadraticOf(s)), projections: grouped(cross.projections), weights: grouped(cross.weights),
    heads: grouped(s.batch * s.h), cells: amount(s.batch * s.h * s.n * s.n), maps: amount(all.maps, "B"), bytes: amount(all.weights, "B"),
  });
  return said + single;
}
