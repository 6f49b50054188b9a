// @ts-check
// The map of one head: heat image, axes of tokens and colour bar.

import { canvasPen, fit, tokenLabel } from "#canvas/pens.js";
import { short, visibleAll } from "#canvas/text.js";
import { fade, font } from "#canvas/theme.js";
import { paintMarks } from "./marks.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").MapPlan} MapPlan */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

/** @typedef {{ canvas: HTMLCanvasElement, stage: import("./types").Stage, log: boolean, limit: number, cut: import("#canvas/pens.js").Cut }} Heat */

export const LABEL = 76; // widest token label, in pixels
const BAR = { height: 7, width: 190 }; // of the colour scale
const CLOSE = 9.6; // pixels of a cell from which every token is labelled, in small letters
const APART = 12.5; // and in those of usual size

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
  const tokens = visibleAll(v.header.tokens);
  ctx.font = font(v.theme);
  let widest = [0, 0];
  const sample = Math.max(1, Math.floor(view.n / 160));
  for (let i = 0; i < view.n; i += sample) {
    widest = [view.row, view.col].map((start, axis) =>
      Math.max(widest[axis], Math.min(LABEL, ctx.measureText(tokenLabel(ctx, tokens[start + i], LABEL)).width)));
  }
  const right = 8;
  const left = Math.ceil(Math.max(widest[0], 30)) + 10;
  const top = 40;
  const place = (/** @type {boolean} */ slanted) => Math.ceil(slanted ? widest[1] * 0.71 + 16 : widest[1] + 10);
  const sideFor = (/** @type {number} */ bottom) => Math.max(60, Math.min(width - left - right, height - top - bottom));
  let side = sideFor(place(true));
  const slanted = side / view.n >= 17;
  if (!slanted) side = sideFor(place(false));
  if (side > view.n * 2) side = Math.floor(side);
  const x = left + Math.max(0, Math.floor((width - left - right - side) / 2));
  const cell = side / view.n;
  const small = cell < APART && cell >= CLOSE;
  return { ...view, x, y: top, side, cell, slanted, left, width, height,
    size: small ? 9 : 11, step: small ? 1 : Math.max(1, Math.ceil(APART / cell)) };
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
  const stage = head ? head.stageOf(v.state.stage) : "softmax";
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
  const { x, y, side, cell, step, size } = plan;
  const tokens = visibleAll(v.header.tokens);
  pen.image(heat.canvas, x, y, side, side, heat.cut);
  if (heat.stage === "masked") {
    if (v.header.causal) pen.hatch(futureShape(plan), fade(theme.text, 0.12));
    if (v.header.causal && plan.n === tokens.length) pen.text(x + side * 0.74, y + side * 0.2, "hidden", { align: "center", color: theme.muted });
  }
  pen.rect(x - 0.5, y - 0.5, side + 1, side + 1, null, theme.faint);
  pen.text(x, y - 11, _("↓ from (query)   → to (key)"), { color: theme.muted });
  for (let i = 0; i < plan.n; i += step) {
    const middle = (i + 0.5) * cell;
    pen.line(x - 4, y + middle, x - 1, y + middle, theme.faint);
    pen.text(x - 7, y + middle, tokens[plan.row + i], { align: "right", token: LABEL, color: theme.text, size });
    pen.line(x + middle, y + side + 1, x + middle, y + side + 4, theme.faint);
    const at = x + middle + (plan.slanted ? 3 : 0);
    const rotate = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
    pen.text(at, y + side + 8, tokens[plan.col + i], { align: "right", rotate, token: LABEL, color: theme.text, size });
  }
  groupStrips(pen, v, plan);
  colorBar(pen, plan, theme, heat);
  return heat;
}

/**
 * What group each token belongs to, as coloured strips along both axes.
 * @param {Pen} pen
 * @param {View} v
 * @param {MapPlan} plan
 */
function groupStrips(pen, v, { x, y, side, cell, row, col, n }) {
  const { groups } = v.header;
  if (!groups) return;
  for (let i = 0; i < n; i++) {
    pen.rect(x - 5, y + i * cell, 4, cell, groups.colors[groups.of[row + i]], null);
    pen.rect(x + i * cell, y + side + 1, cell, 4, groups.colors[groups.of[col + i]], null);
  }
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
 * The colour scale, above the right end of the map.
 * @param {Pen} pen
 * @param {MapPlan} plan
 * @param {Theme} theme
 * @param {Heat} heat
 */
function colorBar(pen, plan, theme, heat) {
  const width = Math.min(BAR.width, plan.side - 160); // beside the words on its left
  const x = plan.x + plan.side - width;
  const y = plan.y - 26;
  const soft = heat.stage === "softmax";
  const table = soft ? theme.sequential : theme.diverging;
  const strip = document.createElement("canvas");
  strip.width = 256;
  strip.height = 1;
  const image = new ImageData(256, 1);
  for (let i = 0; i < 256; i++) image.data.set([...table.slice(3 * i, 3 * i + 3), 255], 4 * i);
  strip.getContext("2d").putImageData(image, 0, 0);
  pen.image(strip, x, y, width, BAR.height);
  pen.rect(x - 0.5, y - 0.5, width + 1, BAR.height + 1, null, theme.faint);
  pen.text(x + width / 2, y - 7, soft ? "probability" : "score", { align: "center", color: theme.muted, size: 10 });
  for (const [t, text] of ticksOf(heat).filter((_, k) => width > 160 || k % 2 === 0)) {
    const align = t === 0 ? "left" : t === 1 ? "right" : "center";
    pen.text(x + t * width, y + BAR.height + 8, text, { align, color: theme.text, size: 10 });
  }
}

/**
 * Where the colour scale is labelled, from 0 to 1, and how.
 * @param {Heat} heat
 * @returns {[number, string][]}
 */
function ticksOf({ stage, log, limit }) {
  if (log) return [[1, "1"], [0.75, "0.1"], [0.5, "0.01"], [0.25, "10⁻³"], [0, "≤10⁻⁴"]];
  if (stage !== "softmax") return [[1, short(limit)], [0.5, "0"], [0, `−${short(limit)}`]];
  return [[1, `${limit < 0.995 ? "≥" : ""}${short(limit)}`], [0.75, short(limit * 0.5625)], [0.5, short(limit / 4)], [0.25, (limit / 16).toFixed(3)], [0, "0"]];
}

/** @param {View} v */
export function paintMap(v) {
  const { clientWidth: width, clientHeight: height } = v.els.figure;
  if (width < 40 || height < 40) return;
  const start = performance.now();
  if (v.exact) {
    const stage = v.exact.stageOf(v.state.stage);
    v.exact.matrix(stage === "dot" || stage === "scaled");
    v.exact.range(stage);
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

