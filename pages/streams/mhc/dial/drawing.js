// @ts-check
// The three pictures, drawn with a pen: the same functions draw the page and the file that is saved.

import { _ } from "#canvas/language.js";
import { sums } from "#canvas/matrix.js";
import { power, scientific } from "#canvas/text.js";
import { inkOn, shadeRgb } from "#canvas/theme.js";
import { ITERATIONS, brief, decimal } from "./sinkhorn.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {[iteration: number, value: number]} Point */
/** @typedef {{ low: number, high: number, ticks: [value: number, text: string][] }} Ticks */
/** @typedef {{ px: (k: number) => number, py: (value: number) => number }} Scales */
/** @typedef {{ width: number, height: number, at: number, used?: number }} Size `at`: the iteration looked at; `used`: how many the model does */

const TOP = 22; // of the matrix, below its title
const [LEFT, RIGHT, UPPER, LOWER] = [46, 8, 44, 34]; // margins of a chart

/** How a matrix of n rows lies in `side` pixels, with row sums at the right and column sums below. @param {number} n @param {number} side */
export function matrixPlan(n, side) {
  const margin = n > 9 ? 34 : 50;
  const cell = (side - margin - 8) / n;
  const tall = n > 9 ? 28 : 20; // there column sums are written upwards
  return { n, margin, cell, tall, top: TOP, height: TOP + n * cell + tall + 26 };
}

/**
 * A filled box with a text in its middle.
 * @param {Pen} pen @param {Theme} t @param {number[]} box x, y, width, height @param {number[]} color @param {string} text @param {number} size
 * @param {number} [rotate]
 */
function drawBox(pen, t, [x, y, width, height], color, text, size, rotate = 0) {
  pen.rect(x, y, width, height, `rgb(${color})`, t.faint);
  if (text !== "") pen.text(x + width / 2, y + height / 2, text, { align: "center", size, color: inkOn(color), rotate });
}

/**
 * @param {Pen} pen @param {Theme} t @param {ReturnType<typeof matrixPlan>} plan @param {Float64Array} m
 * @param {number | null} axis that was scaled: 0 rows, 1 columns, null neither @param {number | null} cursor the entry looked at
 */
export function drawDialMatrix(pen, t, { n, cell, margin, tall }, m, axis, cursor) {
  const [places, many] = [n <= 5 ? 3 : n <= 7 ? 2 : 0, n > 9];
  pen.text(0, 9, _("Matrix"), { color: t.text, size: 13 });
  const at = (/** @type {number} */ k) => [(k % n) * cell, TOP + Math.floor(k / n) * cell];
  m.forEach((value, k) => drawBox(pen, t, [...at(k), cell - 1, cell - 1], shadeRgb(t.sequential, value), places ? value.toFixed(places) : "",
    Math.min(13, cell / (places + 1.2))));
  const { rows, columns } = sums(m, n);
  // A sum's colour: white at 1, one side above, the other below, full at twice and at half.
  const color = (/** @type {number} */ value) => shadeRgb(t.diverging, value > 0 ? 0.5 + Math.max(-1, Math.min(1, Math.log2(value))) / 2 : 0);
  const text = (/** @type {number} */ value) => (value !== 0 && Math.abs(value) < 0.001 ? scientific(value, 1) : value.toFixed(many ? 2 : 3));
  const size = many ? Math.min(9, cell * 0.6) : 11;
  rows.forEach((value, i) => drawBox(pen, t, [n * cell + 6, TOP + i * cell, margin - 6, cell - 1], color(value), text(value), size));
  columns.forEach((value, j) => drawBox(pen, t, [j * cell, TOP + n * cell + 6, cell - 1, tall], color(value), text(value),
    many ? size : Math.min(size, cell / 3.2), many ? -Math.PI / 2 : 0));
  if (cursor !== null) pen.rect(at(cursor)[0], at(cursor)[1], cell - 1, cell - 1, null, t.text, { width: 2 });
  const style = (/** @type {number} */ own) => (axis === own ? { color: t.text, weight: 700 } : { color: t.muted });
  pen.text(n * cell + margin, 9, axis === 0 ? _("row sums now 1") : _("row sums"), { align: "right", ...style(0) });
  pen.text(0, TOP + n * cell + tall + 16, axis === 1 ? _("column sums now 1") : _("column sums"), style(1));
}

/** The frame of a chart over iterations, with its legend; gives its scales in pixels. @param {Pen} pen @param {Theme} t @param {Size} size
 * @param {string} title @param {Ticks} axis @param {[text: string, color: string, dash?: string][]} legend @returns {Scales} */
function drawFrame(pen, t, { width, height, at, used }, title, { low, high, ticks }, legend) {
  const px = (/** @type {number} */ k) => LEFT + ((width - LEFT - RIGHT) * k) / ITERATIONS;
  const py = (/** @type {number} */ value) => UPPER + ((height - UPPER - LOWER) * (high - value)) / (high - low);
  pen.text(0, 9, title, { color: t.text, size: 13 });
  for (const [value, text] of ticks) {
    pen.line(LEFT, py(value), width - RIGHT, py(value), t.faint);
    pen.text(LEFT - 5, py(value), text, { align: "right", color: t.muted });
  }
  for (let k = 0; k <= ITERATIONS; k += 10) pen.text(px(k), height - LOWER + 11, k, { align: "center", color: t.muted });
  pen.text((LEFT + width - RIGHT) / 2, height - 8, _("iterations"), { align: "center", color: t.muted });
  if (used) {
    pen.line(px(used), UPPER, px(used), height - LOWER, t.muted, { dash: "2 4" });
    pen.text(px(used) + 4, UPPER + 6, _("the model"), { color: t.muted, size: 10 });
  }
  pen.line(px(at), UPPER, px(at), height - LOWER, t.text, { width: 1.5 });
  let x = 0;
  for (const [text, color, dash] of legend) {
    pen.line(x, 28, x + 14, 28, color, { width: 2.5, dash });
    pen.text(x + 18, 28, text, { color: t.muted });
    x += 28 + 5.9 * text.length;
  }
  return { px, py };
}

/** A line with a dot at every point; points without a finite value are left out. @param {Pen} pen @param {Point[]} points @param {Scales} scales
 * @param {string} color @param {number} radius */
function drawSeries(pen, points, { px, py }, color, radius) {
  const finite = points.filter(([, value]) => Number.isFinite(value)).map(([k, value]) => [px(k), py(value)]);
  if (finite.length) pen.path(finite.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), color, 1.5);
  for (const [x, y] of finite) pen.circle(x, y, radius, color);
}

/** A logarithmic axis: its low and high exponent and at most nine labelled powers. @param {number[]} values @returns {Ticks} */
function decades(values) {
  const exponents = values.filter((value) => value >= 1e-17).map(Math.log10);
  const high = Math.ceil(Math.max(0, ...exponents) - 1e-9);
  const low = Math.min(high - 2, Math.max(-17, Math.floor(Math.min(high, ...exponents))));
  const step = Math.ceil((high - low) / 8);
  return { low, high, ticks: Array.from({ length: Math.floor((high - low) / step) + 1 }, (__, k) => [high - k * step, power(high - k * step)]) };
}

/** @param {number[]} values @returns {Ticks} */
function linear(values) {
  const [low, high] = [Math.min(0.95, ...values), Math.max(1.05, ...values)];
  const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 7) ?? 10;
  /** @type {Ticks} */
  const axis = { low: low - 0.12 * (high - low), high: high + 0.05 * (high - low), ticks: [] };
  for (let value = Math.ceil(axis.low / step) * step; value <= axis.high; value += step) axis.ticks.push([value, decimal(value, 2)]);
  return axis;
}

/** @param {number} value */
const logarithm = (value) => (value >= 1e-17 ? Math.log10(value) : NaN);

/** The residual after every half step, and the rate at which it falls in the end. @param {Pen} pen @param {Theme} t
 * @param {Size & { trail: number[], rate: number }} options */
export function drawResidual(pen, t, { trail, rate, ...size }) {
  const axis = decades(trail);
  /** @type {[string, string, string?][]} */
  const legend = [[_("after columns"), t.heads[0]], [_("after rows"), t.heads[1]]];
  if (rate > 0) legend.push([`σ₂² = ${decimal(rate)}`, t.text, "5 4"]);
  const scales = drawFrame(pen, t, size, _("Residual: largest |sum − 1|"), axis, legend);
  const half = (/** @type {number} */ side) => trail.map((both, k) => /** @type {Point} */ ([k / 2, k % 2 === side ? logarithm(both) : NaN]));
  drawSeries(pen, half(1), scales, t.heads[1], 1.8);
  drawSeries(pen, half(0), scales, t.heads[0], 2.4);
  // The straight line of the theoretical rate goes through the last residual that rounding leaves alone.
  const last = half(0).filter(([k, value]) => k > 0 && Number.isFinite(value) && value > -13).at(-1);
  if (!(rate > 0) || !last) return;
  const [[k0, value0], slope] = [last, Math.log10(rate)];
  const start = slope < 0 ? Math.max(0, k0 + (axis.high - value0) / slope) : 0;
  const end = slope < 0 ? Math.min(ITERATIONS, k0 + (axis.low - value0) / slope) : ITERATIONS;
  const y = (/** @type {number} */ k) => scales.py(value0 + slope * (k - k0));
  pen.line(scales.px(start), y(start), scales.px(end), y(end), t.text, { dash: "5 4" });
}

/** Gains as they are, or their distance from 1 on a logarithmic axis. @param {Pen} pen @param {Theme} t
 * @param {Size & { gains: number[][], distance: boolean }} options forward and backward after each iteration */
export function drawGains(pen, t, { gains, distance, ...size }) {
  const lines = [0, 1].map((side) => gains.map((pair) => (distance ? Math.abs(pair[side] - 1) : pair[side])));
  const values = lines.flatMap((line) => line.slice(1)); // unscaled matrices can be anything: they do not set the scale
  const logarithmic = distance || Math.max(...values) > 20 * Math.min(...values);
  const axis = logarithmic ? decades(values) : linear(values);
  const place = (/** @type {number} */ value) => {
    const y = logarithmic ? logarithm(value) : value;
    return y >= axis.low && y <= axis.high ? y : NaN;
  };
  const title = distance ? _("|gain − 1| of all sublayers") : _("Gain of all sublayers’ product");
  const scales = drawFrame(pen, t, size, title, axis, [[_("forward"), t.heads[2]], [_("backward"), t.heads[3]]]);
  for (const side of [1, 0]) drawSeries(pen, lines[side].map((value, k) => [k, place(value)]), scales, t.heads[side ? 3 : 2], side ? 1.8 : 2.4);
  if (distance || !lines.some(([first]) => Number.isNaN(place(first)))) return;
  const above = lines[0][0] > values[0];
  pen.text(scales.px(0) + 5, above ? 52 : size.height - 44, _("{way} 0 iterations: × {gain}", { way: above ? "↑" : "↓", gain: brief(gains[0][0]) }),
    { color: t.muted, size: 10 });
}
