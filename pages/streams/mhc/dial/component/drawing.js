// @ts-check
// The three pictures, drawn with a pen: the same functions draw the page and the file that is saved.

import { sums } from "#canvas/matrix.js";
import { minus, power } from "#canvas/text.js";
import { inkOn, shadeRgb } from "#canvas/theme.js";
import { brief, decimal } from "./numbers.js";
import { ITERATIONS } from "./sinkhorn.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {[iteration: number, value: number]} Point */
/** @typedef {{ low: number, high: number, ticks: [value: number, text: string][] }} Axis */
/** @typedef {{ width: number, height: number, at: number, used?: number }} Size `at`: the iteration looked at; `used`: how many the model does */

const TOP = 22; // of the matrix, below its title
const [LEFT, RIGHT, UPPER, LOWER] = [46, 8, 44, 34]; // margins of a chart

/**
 * A text on a base line.
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y of the base line
 * @param {string | number} text
 * @param {import("#canvas/pens.js").TextOptions} options
 */
export function write(pen, x, y, text, options) {
  const lift = 0.35 * (options.size ?? 11); // from the base line to the middle of the line
  const [dx, dy] = options.rotate ? [-lift, 0] : [0, -lift];
  pen.text(x + dx, y + dy, text, options);
}

// --- the matrix and its sums ---------------------------------------------------------------------

/**
 * How a matrix of n rows lies in `side` pixels, with row sums at the right and column sums below.
 * @param {number} n
 * @param {number} side
 */
export function matrixPlan(n, side) {
  const margin = n > 9 ? 34 : 50;
  const cell = (side - margin - 8) / n;
  const tall = n > 9 ? 28 : 20; // there column sums are written upwards
  return { n, margin, cell, tall, height: TOP + n * cell + tall + 26 };
}

/**
 * @param {Pen} pen
 * @param {Theme} t
 * @param {ReturnType<typeof matrixPlan>} plan
 * @param {Float64Array} m
 * @param {number | null} scaledAxis 0 rows, 1 columns, null neither
 * @param {number | null} cursor the entry looked at
 */
export function drawMatrix(pen, t, plan, m, scaledAxis, cursor) {
  const { n, cell, margin, tall } = plan;
  write(pen, 0, 13, "Matrix", { color: t.text, size: 13 });
  const places = n <= 5 ? 3 : n <= 7 ? 2 : 0;
  m.forEach((value, index) => {
    const box = { x: (index % n) * cell, y: TOP + Math.floor(index / n) * cell, width: cell - 1, height: cell - 1 };
    drawBox(pen, t, box, shadeRgb(t.sequential, value), places ? value.toFixed(places) : "", Math.min(13, cell / (places + 1.2)), index);
  });
  drawSums(pen, t, plan, m);
  if (cursor !== null) {
    pen.rect((cursor % n) * cell, TOP + Math.floor(cursor / n) * cell, cell - 1, cell - 1, null, t.text, { width: 2 });
  }
  const style = (/** @type {number} */ axis) => (scaledAxis === axis ? { color: t.text, weight: 700 } : { color: t.muted });
  write(pen, n * cell + margin, 13, scaledAxis === 0 ? "row sums now 1" : "row sums", { align: "right", ...style(0) });
  write(pen, 0, TOP + n * cell + tall + 20, scaledAxis === 1 ? "column sums now 1" : "column sums", style(1));
}

/**
 * @param {Pen} pen
 * @param {Theme} t
 * @param {ReturnType<typeof matrixPlan>} plan
 * @param {Float64Array} m
 */
function drawSums(pen, t, { n, cell, margin, tall }, m) {
  const { rows, columns } = sums(m, n);
  const size = n > 9 ? Math.min(9, cell * 0.6) : 11;
  const places = n > 9 ? 2 : 3;
  const text = (/** @type {number} */ value) => (value !== 0 && Math.abs(value) < 0.001 ? minus(value.toExponential(0)) : value.toFixed(places));
  rows.forEach((value, i) => {
    drawBox(pen, t, { x: n * cell + 6, y: TOP + i * cell, width: margin - 6, height: cell - 1 }, sumColor(t, value), text(value), size);
  });
  columns.forEach((value, j) => {
    const box = { x: j * cell, y: TOP + n * cell + 6, width: cell - 1, height: tall };
    const color = sumColor(t, value);
    drawBox(pen, t, box, color, n > 9 ? "" : text(value), Math.min(size, cell / 3.2));
    if (n > 9) write(pen, box.x + cell / 2 + size / 3, box.y + tall / 2, text(value), { align: "center", size, color: inkOn(color), rotate: -Math.PI / 2 });
  });
}

/**
 * A filled box with a text in its middle.
 * @param {Pen} pen
 * @param {Theme} t
 * @param {{ x: number, y: number, width: number, height: number }} box
 * @param {number[]} color
 * @param {string} text
 * @param {number} size
 * @param {number} [cell]
 */
function drawBox(pen, t, { x, y, width, height }, color, text, size, cell) {
  pen.rect(x, y, width, height, `rgb(${color})`, t.faint, { cell });
  if (text !== "") pen.text(x + width / 2, y + height / 2, text, { align: "center", size, color: inkOn(color) });
}

/**
 * A sum's colour: white at 1, one side above, the other below, full at twice and at half.
 * @param {Theme} t
 * @param {number} value
 */
function sumColor(t, value) {
  return shadeRgb(t.diverging, value > 0 ? 0.5 + Math.max(-1, Math.min(1, Math.log2(value))) / 2 : 0);
}

// --- curves over iterations ----------------------------------------------------------------------

/**
 * The frame of a chart over iterations; gives its scales in pixels.
 * @param {Pen} pen
 * @param {Theme} t
 * @param {Size} size
 * @param {string} title
 * @param {Axis} axis
 */
function drawFrame(pen, t, { width, height, at, used }, title, { low, high, ticks }) {
  const px = (/** @type {number} */ k) => LEFT + ((width - LEFT - RIGHT) * k) / ITERATIONS;
  const py = (/** @type {number} */ value) => UPPER + ((height - UPPER - LOWER) * (high - value)) / (high - low);
  write(pen, 0, 13, title, { color: t.text, size: 13 });
  for (const [value, text] of ticks) {
    pen.line(LEFT, py(value), width - RIGHT, py(value), t.faint);
    write(pen, LEFT - 5, py(value) + 4, text, { align: "right", color: t.muted });
  }
  for (let k = 0; k <= ITERATIONS; k += 10) write(pen, px(k), height - LOWER + 15, k, { align: "center", color: t.muted });
  write(pen, (LEFT + width - RIGHT) / 2, height - 4, "iterations", { align: "center", color: t.muted });
  if (used) {
    pen.line(px(used), UPPER, px(used), height - LOWER, t.muted, { dash: "2 4" });
    write(pen, px(used) + 4, UPPER + 10, "the model", { color: t.muted, size: 10 });
  }
  pen.line(px(at), UPPER, px(at), height - LOWER, t.text, { width: 1.5 });
  return { px, py };
}

/**
 * A line with a dot at every point; points without a finite value are left out.
 * @param {Pen} pen
 * @param {Point[]} points
 * @param {{ px: (k: number) => number, py: (value: number) => number }} scales
 * @param {string} color
 * @param {number} radius
 */
function drawSeries(pen, points, { px, py }, color, radius) {
  const finite = points.filter(([, value]) => Number.isFinite(value)).map(([k, value]) => [px(k), py(value)]);
  if (finite.length) pen.path(finite.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""), color, 1.5);
  for (const [x, y] of finite) pen.circle(x, y, radius, color);
}

/**
 * @param {Pen} pen
 * @param {Theme} t
 * @param {[text: string, color: string, dash?: string][]} entries
 */
function drawLegend(pen, t, entries) {
  let x = 0;
  for (const [text, color, dash] of entries) {
    pen.line(x, 28, x + 14, 28, color, { width: 2.5, dash });
    write(pen, x + 18, 32, text, { color: t.muted });
    x += 28 + 5.9 * text.length;
  }
}

/**
 * A logarithmic axis: its low and high exponent and at most nine labelled powers.
 * @param {number[]} values
 * @returns {Axis}
 */
function decades(values) {
  const exponents = values.filter((value) => value >= 1e-17).map(Math.log10);
  const high = Math.ceil(Math.max(0, ...exponents) - 1e-9);
  const low = Math.min(high - 2, Math.max(-17, Math.floor(Math.min(high, ...exponents))));
  const step = Math.ceil((high - low) / 8);
  /** @type {Axis["ticks"]} */
  const ticks = [];
  for (let e = high; e >= low; e -= step) ticks.push([e, power(e)]);
  return { low, high, ticks };
}

/**
 * @param {number[]} values
 * @returns {Axis}
 */
function linear(values) {
  const [low, high] = [Math.min(0.95, ...values), Math.max(1.05, ...values)];
  const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 7) ?? 10;
  /** @type {Axis} */
  const axis = { low: low - 0.12 * (high - low), high: high + 0.05 * (high - low), ticks: [] };
  for (let value = Math.ceil(axis.low / step) * step; value <= axis.high; value += step) axis.ticks.push([value, decimal(value, 2)]);
  return axis;
}

/** @param {number} value */
function logarithm(value) {
  return value >= 1e-17 ? Math.log10(value) : NaN;
}

/**
 * The residual after every half step, and the rate at which it falls in the end.
 * @param {Pen} pen
 * @param {Theme} t
 * @param {Size & { trail: { both: number }[], rate: number }} options
 */
export function drawResidual(pen, t, { trail, rate, ...size }) {
  const axis = decades(trail.map(({ both }) => both));
  const scales = drawFrame(pen, t, size, "Residual: largest |sum − 1|", axis);
  const half = (/** @type {number} */ side) => trail.map(({ both }, k) => /** @type {Point} */ ([k / 2, k % 2 === side ? logarithm(both) : NaN]));
  const [whole, between] = [half(0), half(1)];
  drawSeries(pen, between, scales, t.heads[1], 1.8);
  drawSeries(pen, whole, scales, t.heads[0], 2.4);
  /** @type {[string, string, string?][]} */
  const entries = [["after columns", t.heads[0]], ["after rows", t.heads[1]]];
  if (rate > 0) {
    drawRate(pen, t, whole, rate, scales, axis);
    entries.push([`σ₂² = ${decimal(rate)}`, t.text, "5 4"]);
  }
  drawLegend(pen, t, entries);
}

/**
 * The straight line of the theoretical rate, through the last residual that rounding leaves alone.
 * @param {Pen} pen
 * @param {Theme} t
 * @param {Point[]} points
 * @param {number} rate
 * @param {{ px: (k: number) => number, py: (value: number) => number }} scales
 * @param {Axis} axis
 */
function drawRate(pen, t, points, rate, { px, py }, { low, high }) {
  const last = points.filter(([k, value]) => k > 0 && Number.isFinite(value) && value > -13).at(-1);
  if (!last) return;
  const [k0, value0] = last;
  const slope = Math.log10(rate);
  const start = slope < 0 ? Math.max(0, k0 + (high - value0) / slope) : 0;
  const end = slope < 0 ? Math.min(ITERATIONS, k0 + (low - value0) / slope) : ITERATIONS;
  const y = (/** @type {number} */ k) => py(value0 + slope * (k - k0));
  pen.line(px(start), y(start), px(end), y(end), t.text, { dash: "5 4" });
}

/**
 * Gains as they are, or their distance from 1 on a logarithmic axis.
 * @param {Pen} pen
 * @param {Theme} t
 * @param {Size & { gains: number[][], distance: boolean }} options `gains`: forward and backward after each iteration
 */
export function drawGains(pen, t, { gains, distance, ...size }) {
  const lines = [0, 1].map((side) => gains.map((pair) => (distance ? Math.abs(pair[side] - 1) : pair[side])));
  const values = lines.flatMap((line) => line.slice(1)); // unscaled matrices can be anything: they do not set the scale
  const logarithmic = distance || Math.max(...values) > 20 * Math.min(...values);
  const axis = logarithmic ? decades(values) : linear(values);
  const place = (/** @type {number} */ value) => {
    const y = logarithmic ? logarithm(value) : value;
    return y >= axis.low && y <= axis.high ? y : NaN;
  };
  const scales = drawFrame(pen, t, size, distance ? "|gain − 1| of all sublayers" : TEXTS.gainAllSublayers, axis);
  for (const side of [1, 0]) {
    drawSeries(pen, lines[side].map((value, k) => [k, place(value)]), scales, t.heads[side ? 3 : 2], side ? 1.8 : 2.4);
  }
  if (!distance && lines.some(([first]) => Number.isNaN(place(first)))) {
    const above = lines[0][0] > values[0];
    write(pen, scales.px(0) + 5, above ? 56 : size.height - 40, `${above ? "↑" : "↓"} 0 iterations: × ${brief(gains[0][0])}`, { color: t.muted, size: 10 });
  }
  drawLegend(pen, t, [["forward", t.heads[2]], ["backward", t.heads[3]]]);
}
