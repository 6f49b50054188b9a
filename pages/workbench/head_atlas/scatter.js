// @ts-check
// All heads as dots over two statistics: scales, labels, and which dot is near a point.

import { _ } from "#canvas/language.js";
import { shade, textWidth } from "#canvas/theme.js";
import { minus } from "#canvas/text.js";

/** @typedef {import("#canvas/live.js").Theme} Theme */
/** @typedef {import("#canvas/live.js").Pen} Pen */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ low: number, high: number, ticks: number[], places: number }} Scale `places`: decimals */
/**
 * @typedef {{ columns: string[], names: Record<string, string>, brief: Record<string, string>, helps: Record<string, string>, x: string, y: string,
 *   layers: number,
 *   file: string, spans: Record<string, [number, number]>, opens: boolean }} Header `file`: the name of what is saved, without an ending; `spans`: of axes that
 *   stay, whatever is shown; `opens`: whether a head has passages to open
 */
/** @typedef {{ header: Header, arrays: { values: Float32Array, lit: Uint8Array } }} Data every column of every head, and which heads are lit */

const DOT = 6; // pixels of a dot's radius
const MOST_LABELS = 40;

/** @param {Data} data */
export function headCount({ header, arrays }) {
  return arrays.values.length / header.columns.length;
}

/**
 * All values of one column.
 * @param {Data} data
 * @param {string} column
 */
export function columnOf(data, column) {
  const count = headCount(data);
  const start = data.header.columns.indexOf(column) * count;
  return data.arrays.values.subarray(start, start + count);
}

/**
 * @param {Data} data
 * @param {number} n
 */
export function headName(data, n) {
  return `L${columnOf(data, "layer")[n]}H${columnOf(data, "head")[n]}`;
}

/**
 * A scale with round ticks around all values; one that never goes below 0 does not either.
 * @param {ArrayLike<number>} values
 * @param {number} pixels
 * @returns {Scale}
 */
export function scaleOf(values, pixels) {
  const real = Array.from(values).filter(Number.isFinite);
  let low = real.length ? Math.min(...real) : 0;
  let high = real.length ? Math.max(...real) : 1;
  const pad = (high - low || 1) * 0.06;
  low = low >= 0 ? Math.max(low - pad, low < 4 * pad ? -pad / 2 : low - pad) : low - pad;
  high += pad;
  const rough = (high - low) / Math.max(2, pixels / 70);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * size).find((each) => each >= rough) ?? 10 * size;
  const ticks = [];
  for (let i = Math.ceil(low / step); i * step <= high; i++) ticks.push(i * step);
  return { low, high, ticks, places: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

/**
 * @param {number} width
 * @returns {Box}
 */
export function plotBox(width) {
  return { x: 46, y: 26, width: width - 58, height: Math.max(260, Math.min(width * 0.72, 430)) - 26 };
}

/**
 * Where every head stands, in pixels; NaN for one without one of the statistics.
 * @param {Data} data
 * @param {Box} box
 */
export function dotsOf(data, box) {
  const [xs, ys] = [columnOf(data, data.header.x), columnOf(data, data.header.y)];
  const { x: named, y: upwards, spans } = data.header;
  const [across, up] = [scaleOf(spans[named] ?? xs, box.width), scaleOf(spans[upwards] ?? ys, box.height)];
  const dots = Array.from(xs, (x, n) => ({
    x: box.x + (box.width * (x - across.low)) / (across.high - across.low),
    y: box.y + box.height * (1 - (ys[n] - up.low) / (up.high - up.low)),
  }));
  return { dots, across, up };
}

/**
 * The dot nearest to a point, within reach; null for none.
 * @param {{ x: number, y: number }[]} dots
 * @param {number} x
 * @param {number} y
 */
export function dotAt(dots, x, y) {
  let [best, least] = [/** @type {number | null} */ (null), 14];
  dots.forEach((dot, n) => {
    const far = Math.hypot(dot.x - x, dot.y - y);
    if (far < least) [best, least] = [n, far];
  });
  return best;
}

/**
 * @param {Pen} pen
 * @param {Box} box
 * @param {{ across: Scale, up: Scale }} axes
 * @param {Header} header
 * @param {Theme} theme
 */
function drawAxes(pen, box, { across, up }, header, theme) {
  pen.text(box.x - 40, 9, `↑ ${header.names[header.y]}`, { color: theme.text, size: 12, weight: 600 });
  pen.text(box.x + box.width, box.y + box.height + 32, `${header.names[header.x]} →`, { color: theme.text, size: 12, weight: 600, align: "right" });
  for (const tick of across.ticks) {
    const x = box.x + (box.width * (tick - across.low)) / (across.high - across.low);
    pen.line(x, box.y, x, box.y + box.height, theme.faint);
    pen.text(x, box.y + box.height + 13, minus(tick.toFixed(across.places)), { color: theme.muted, align: "center", size: 11 });
  }
  for (const tick of up.ticks) {
    const y = box.y + box.height * (1 - (tick - up.low) / (up.high - up.low));
    pen.line(box.x, y, box.x + box.width, y, theme.faint);
    pen.text(box.x - 6, y, minus(tick.toFixed(up.places)), { color: theme.muted, align: "right", size: 11 });
  }
  pen.rect(box.x, box.y, box.width, box.height, null, theme.faint);
}

/**
 * Layers and their colours, from the first to the last.
 * @param {Pen} pen
 * @param {Box} box
 * @param {Header} header
 * @param {Theme} theme
 */
function drawLayers(pen, box, { layers, names, x: across }, theme) {
  const room = box.width - 74 - textWidth(theme, `${names[across]} →`, 12, 600);
  const each = Math.min(16, 130 / layers, room / layers);
  const [x, y] = [box.x, box.y + box.height + 32];
  pen.text(x, y, _("layer {n}", { n: 0 }), { color: theme.muted, size: 11 });
  for (let layer = 0; layer < layers; layer++) pen.rect(x + 44 + layer * each, y - 5, each, 10, layerColor(layer, layers, theme));
  pen.text(x + 50 + layers * each, y, layers - 1, { color: theme.muted, size: 11 });
}

/**
 * @param {number} layer
 * @param {number} layers
 * @param {Theme} theme
 */
export function layerColor(layer, layers, theme) {
  return shade(theme.places, layers > 1 ? layer / (layers - 1) : 0.5);
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {number | null} at the head that is pointed at
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawScatter(pen, data, at, box, theme) {
  const { header, arrays } = data;
  const { dots, across, up } = dotsOf(data, box);
  drawAxes(pen, box, { across, up }, header, theme);
  drawLayers(pen, box, header, theme);
  const layers = columnOf(data, "layer");
  const order = dots.map((_, n) => n).sort((a, b) => arrays.lit[a] - arrays.lit[b]);
  for (const n of order) {
    if (!Number.isFinite(dots[n].x + dots[n].y)) continue;
    const lit = arrays.lit[n];
    pen.circle(dots[n].x, dots[n].y, lit ? DOT : DOT - 2, layerColor(layers[n], header.layers, theme), lit ? 0.95 : 0.22);
  }
  drawNames(pen, data, dots, box, at, theme);
  if (at !== null && Number.isFinite(dots[at].x + dots[at].y)) {
    const { x, y } = dots[at];
    pen.path(`M${x - 10} ${y}a10 10 0 1 0 20 0a10 10 0 1 0 -20 0`, theme.text, 2);
  }
}

/**
 * Names beside lit dots, those farthest from the middle first, where they cover nothing.
 * @param {Pen} pen
 * @param {Data} data
 * @param {{ x: number, y: number }[]} dots
 * @param {Box} box
 * @param {number | null} at
 * @param {Theme} theme
 */
function drawNames(pen, data, dots, box, at, theme) {
  const there = dots.map((_, n) => n).filter((n) => data.arrays.lit[n] && Number.isFinite(dots[n].x + dots[n].y));
  const middle = { x: 0, y: 0 };
  for (const n of there) {
    middle.x += dots[n].x / there.length;
    middle.y += dots[n].y / there.length;
  }
  const away = (/** @type {number} */ n) => (n === at ? Infinity : Math.hypot(dots[n].x - middle.x, dots[n].y - middle.y));
  /** @type {Box[]} */
  const taken = [];
  for (const n of there.sort((a, b) => away(b) - away(a)).slice(0, MOST_LABELS)) {
    const name = headName(data, n);
    const width = textWidth(theme, name, 11, 600);
    const [x, y] = [dots[n].x, dots[n].y];
    const places = [[x + DOT + 4, y - 7], [x - DOT - 4 - width, y - 7], [x - width / 2, y - DOT - 16], [x - width / 2, y + DOT + 2]].map(
      ([left, top]) => ({ x: left, y: top, width, height: 14 }));
    const inside = places.filter((label) => label.x >= box.x && label.x + width <= box.x + box.width && label.y >= box.y && label.y + 14 <= box.y + box.height);
    const free = inside.find((label) => !taken.some((other) => overlap(label, other))
      && !there.some((m) => m !== n && overlap(label, { x: dots[m].x - DOT, y: dots[m].y - DOT, width: 2 * DOT, height: 2 * DOT })));
    const label = free ?? (n === at ? inside[0] : undefined);
    if (!label) continue;
    taken.push(label);
    pen.text(label.x, label.y + 7, name, { color: theme.text, size: 11, weight: n === at ? 700 : 500 });
  }
}

/**
 * @param {Box} a
 * @param {Box} b
 */
function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
