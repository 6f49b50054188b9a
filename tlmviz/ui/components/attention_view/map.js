// @ts-check
// The map of one head: heat image, axes of tokens and colour bar.

import { canvasPen, fit, tokenLabel } from "#canvas/pens.js";
import { short } from "#canvas/text.js";
import { fade, font } from "#canvas/theme.js";
import { paintMarks } from "./marks.js";

/** @typedef {import("./types").MapPlan} MapPlan */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

/** @typedef {{ canvas: HTMLCanvasElement, stage: import("./types").Stage, log: boolean, limit: number, cut: import("#canvas/pens.js").Cut }} Heat */

export const LABEL = 76; // widest token label, in pixels
const BAR = 10; // width of the colour bar

/**
 * The part of the map in view: a square of n x n cells at (row, col).
 * @param {View} v
 */
function windowOf(v) {
  const T = v.header.tokens.length;
  if (!v.zoom || v.zoom.n >= T) return { row: 0, col: 0, n: T };
  const n = v.zoom.n;
  return { n, row: Math.max(0, Math.min(v.zoom.row, T - n)), col: Math.max(0, Math.min(v.zoom.col, T - n)) };
}

/**
 * Where everything goes inside width x height.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} width
 * @param {number} height
 */
function mapPlan(v, ctx, width, height) {
  const view = windowOf(v);
  const { tokens } = v.header;
  ctx.font = font(v.theme);
  let widest = [0, 0];
  const sample = Math.max(1, Math.floor(view.n / 160));
  for (let i = 0; i < view.n; i += sample) {
    widest = [view.row, view.col].map((start, axis) =>
      Math.max(widest[axis], Math.min(LABEL, ctx.measureText(tokenLabel(ctx, tokens[start + i], LABEL)).width)));
  }
  const right = 70;
  const left = Math.ceil(Math.max(widest[0], 30)) + 10;
  const top = 20;
  const place = (/** @type {boolean} */ slanted) => Math.ceil(slanted ? widest[1] * 0.71 + 16 : widest[1] + 10);
  const sideFor = (/** @type {number} */ bottom) => Math.max(60, Math.min(width - left - right, height - top - bottom));
  let side = sideFor(place(true));
  const slanted = side / view.n >= 17;
  if (!slanted) side = sideFor(place(false));
  if (side > view.n * 2) side = Math.floor(side);
  const x = left + Math.max(0, Math.floor((width - left - right - side) / 2));
  return { ...view, x, y: top, side, cell: side / view.n, slanted, left, width, height,
    step: Math.max(1, Math.ceil(12.5 / (side / view.n))) };
}

/**
 * The heat image: one pixel per cell, or per screen pixel where cells are smaller than that.
 * @param {View} v
 * @param {MapPlan} plan
 * @param {Theme} theme
 * @param {number} ratio screen pixels per CSS pixel
 */
function heatImage(v, plan, theme, ratio) {
  const canvas = document.createElement("canvas");
  const head = v.exact;
  const stage = head ? v.state.stage : "softmax";
  let m, values, limit;
  if (head) {
    m = Math.min(plan.n, Math.round(plan.side * ratio));
    values = head.picture(stage, plan.row, plan.col, plan.n, m);
    limit = head.range(stage);
  } else {
    ({ m, values, limit } = preview(v));
  }
  const soft = stage === "softmax";
  const log = soft && v.state.log;
  const table = soft ? theme.sequential : theme.diverging;
  const image = new ImageData(m, m);
  const { data } = image;
  for (let x = 0; x < values.length; x++) {
    const value = values[x];
    if (value !== value) {
      if (stage === "masked") data.set([...theme.missingRgb, 255], 4 * x);
      continue; // blank: the background shows
    }
    // square-root steps, as in the overview: faint weights stay visible, and the bar says which they are
    const t = log ? Math.log10(value) / 4 + 1 : soft ? Math.sqrt(value / limit) : 0.5 + (0.5 * value) / limit;
    const level = 3 * Math.max(0, Math.min(255, Math.round(255 * t)));
    data[4 * x] = table[level];
    data[4 * x + 1] = table[level + 1];
    data[4 * x + 2] = table[level + 2];
    data[4 * x + 3] = 255;
  }
  canvas.width = canvas.height = m;
  canvas.getContext("2d").putImageData(image, 0, 0);
  // a preview covers the whole map: cut out what is in view
  const T = v.header.tokens.length;
  const cut = head ? null : { x: (plan.col / T) * m, y: (plan.row / T) * m, size: (plan.n / T) * m };
  return { canvas, stage, log, limit, cut };
}

/**
 * The chosen head's tile of the overview as probabilities, while q and k are on their way.
 * @param {View} v
 */
function preview(v) {
  const m = v.header.overview_size;
  const first = (v.state.layer * v.header.heads + v.state.head) * m * m;
  const values = new Float32Array(m * m);
  let limit = 0;
  for (let x = 0; x < values.length; x++) {
    const byte = v.arrays.overview[first + x];
    values[x] = (byte / 255) ** 2;
    if (x >= m && values[x] > limit) limit = values[x];
    if (!byte && x % m > Math.floor(x / m)) values[x] = NaN;
  }
  return { m, values, limit: limit || 1 };
}

/**
 * The whole figure, with a pen that writes to a canvas or to SVG.
 * @param {Pen} pen
 * @param {View} v
 * @param {MapPlan} plan
 * @param {Theme} theme
 * @param {number} ratio
 */
export function drawMap(pen, v, plan, theme, ratio) {
  const heat = heatImage(v, plan, theme, ratio);
  const { x, y, side, cell, step } = plan;
  const { tokens } = v.header;
  pen.image(heat.canvas, x, y, side, side, heat.cut);
  if (heat.stage === "masked") {
    pen.hatch(futureShape(plan), fade(theme.text, 0.12));
    if (plan.n === tokens.length) pen.text(x + side * 0.74, y + side * 0.2, "hidden", { align: "center", color: theme.muted });
  }
  pen.rect(x - 0.5, y - 0.5, side + 1, side + 1, null, theme.faint);
  pen.text(x, y - 11, "↓ from (query)   → to (key)", { color: theme.muted });
  for (let i = 0; i < plan.n; i += step) {
    const middle = (i + 0.5) * cell;
    pen.line(x - 4, y + middle, x - 1, y + middle, theme.faint);
    pen.text(x - 7, y + middle, tokens[plan.row + i], { align: "right", token: LABEL, color: theme.text });
    pen.line(x + middle, y + side + 1, x + middle, y + side + 4, theme.faint);
    const at = x + middle + (plan.slanted ? 3 : 0);
    const rotate = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
    pen.text(at, y + side + 8, tokens[plan.col + i], { align: "right", rotate, token: LABEL, color: theme.text });
  }
  colorBar(pen, v, plan, theme, heat);
  return heat;
}

/**
 * The hidden part of the view as one path: for every query the keys after it (or outside its window).
 * @param {MapPlan} plan
 */
function futureShape(plan) {
  const { x, y, cell, side } = plan;
  let path = "";
  for (let r = 0; r < plan.n; r++) {
    const from = Math.max(0, plan.row + r + 1 - plan.col) * cell;
    if (from < side) path += `M${x + from} ${y + r * cell}H${x + side}v${cell}H${x + from}Z`;
  }
  return path;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {MapPlan} plan
 * @param {Theme} theme
 * @param {Heat} heat
 */
function colorBar(pen, v, plan, theme, heat) {
  const x = plan.x + plan.side + 14;
  const { y, side } = plan;
  const soft = heat.stage === "softmax";
  const table = soft ? theme.sequential : theme.diverging;
  const strip = document.createElement("canvas");
  strip.width = 1;
  strip.height = 256;
  const image = new ImageData(1, 256);
  for (let i = 0; i < 256; i++) image.data.set([...table.slice(3 * (255 - i), 3 * (255 - i) + 3), 255], 4 * i);
  strip.getContext("2d").putImageData(image, 0, 0);
  pen.image(strip, x, y, BAR, side);
  pen.rect(x - 0.5, y - 0.5, BAR + 1, side + 1, null, theme.faint);
  const title = soft ? "probability" : "score";
  pen.text(x + BAR + 1, y - 11, title, { align: "center", color: theme.muted });
  /** @type {[number, string][]} */
  const ticks = heat.log
    ? [[1, "1"], [0.75, "0.1"], [0.5, "0.01"], [0.25, "10⁻³"], [0, "≤10⁻⁴"]]
    : soft
      ? [[1, `${heat.limit < 0.995 ? "≥" : ""}${short(heat.limit)}`], [0.75, short(heat.limit * 0.5625)], [0.5, short(heat.limit / 4)], [0.25, (heat.limit / 16).toFixed(3)], [0, "0"]]
      : [[1, short(heat.limit)], [0.5, "0"], [0, `−${short(heat.limit)}`]];
  for (const [t, text] of ticks) {
    const at = y + (1 - t) * side;
    pen.line(x + BAR, at, x + BAR + 3, at, theme.muted);
    pen.text(x + BAR + 6, Math.min(Math.max(at, y + 5), y + side - 5), text, { color: theme.text });
  }
}

/** @param {View} v */
export function paintMap(v) {
  const { clientWidth: width, clientHeight: height } = v.els.figure;
  if (width < 40 || height < 40) return;
  const start = performance.now();
  if (v.exact) {
    v.exact.matrix(v.state.stage === "dot" || v.state.stage === "scaled");
    v.exact.range(v.state.stage);
  }
  const computed = performance.now();
  const ctx = fit(v.els.map, width, height);
  const plan = (v.mapPlan = mapPlan(v, ctx, width, height));
  drawMap(canvasPen(ctx, v.theme), v, plan, v.theme, window.devicePixelRatio || 1);
  v.els.map.classList.toggle("loading", !v.exact);
  paintMarks(v);
  v.els.marks.dataset.computeMs = (computed - start).toFixed(2);
  v.els.marks.dataset.paintMs = (performance.now() - computed).toFixed(2);
}

