// @ts-check
// Draws tokens x experts: a row for each token, a lane for each expert, the layers side by side.

import { _ } from "#canvas/language.js";
import { visibleAll } from "#canvas/text.js";
import { fade, shade } from "#canvas/theme.js";
import { rowsOf } from "./numbers.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Place} Place */
/**
 * Where everything lies in the canvas, in pixels: `height` of what is seen at once, `total` of all rows; `first` and `count` of the
 * layers that are shown, each expert in a `lane`.
 * @typedef {{ width: number, height: number, labels: number, first: number, count: number, lane: number, total: number }} Grid
 */
/** @typedef {import("#canvas/pens.js").Pen} Pen */

export const ROW = 18; // pixels of a token
export const TOP = 74; // pixels of the head: layer, load, names of the experts
const BARS = { top: 20, height: 34 }; // of the loads
const GAP = 12; // pixels between layers
const NARROWEST = 5; // pixels of a lane, while more than one layer is shown
const WIDEST = 26;
const TALLEST = 400; // pixels of rows that are seen at once
const NAMED = 11; // pixels of a lane from which on every expert has its number

/**
 * @param {Pick<View, "header" | "at">} v
 * @param {number} width
 * @returns {Grid}
 */
export function gridOf({ header, at }, width) {
  const { layers, experts, tokens } = header;
  const labels = Math.min(118, Math.round(0.22 * width));
  const room = width - labels - 2;
  const fits = Math.max(1, Math.floor((room + GAP) / (experts * NARROWEST + GAP)));
  const count = Math.min(layers.length, fits);
  const first = Math.max(0, Math.min(at.layer - Math.floor(count / 2), layers.length - count));
  const lane = Math.min(WIDEST, (room - GAP * (count - 1)) / (count * experts));
  const total = tokens.length * ROW;
  return { width, labels, first, count, lane, total, height: TOP + Math.min(total, TALLEST) + 4 };
}

/**
 * The left end of an expert's lane.
 * @param {View} v
 * @param {number} layer
 * @param {number} expert
 */
function laneAt({ grid, header }, layer, expert) {
  return grid.labels + (layer - grid.first) * (header.experts * grid.lane + GAP) + expert * grid.lane;
}

/**
 * What lies at a point of the canvas; null outside of the rows.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @param {number} scrolled pixels of rows above the canvas
 * @returns {Place | null}
 */
export function placeAt(v, x, y, scrolled) {
  const { grid, header } = v;
  const token = y < TOP ? null : Math.floor((y - TOP + scrolled) / ROW);
  if (token !== null && token >= header.tokens.length) return null;
  const block = header.experts * grid.lane + GAP;
  const number = Math.floor((x - grid.labels) / block);
  if (x < grid.labels || number >= grid.count) return token === null ? null : { token, layer: v.at.layer, expert: null };
  const expert = Math.floor((x - grid.labels - number * block) / grid.lane);
  return { token, layer: grid.first + number, expert: expert < header.experts ? expert : null };
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {number} scrolled
 * @param {number} [height] of what is drawn
 */
export function drawRouting(pen, v, scrolled, height = v.grid.height) {
  const { grid, header } = v;
  const from = Math.max(0, Math.floor(scrolled / ROW));
  const to = Math.min(header.tokens.length, Math.ceil((scrolled + height - TOP) / ROW));
  const names = visibleAll(header.tokens);
  for (let token = from; token < to; token++) {
    const y = TOP + token * ROW - scrolled;
    const marked = token === v.at.token || token === v.hover?.token || v.lit.includes(token);
    if (marked) pen.rect(0, y, grid.width, ROW, fade(v.theme.text, 0.07));
    pen.text(grid.labels - 8, y + ROW / 2, names[token], {
      align: "right", token: grid.labels - 10, color: v.theme.text, size: 12, weight: token === v.at.token ? 700 : 400 });
    for (let layer = grid.first; layer < grid.first + grid.count; layer++) drawCells(pen, v, layer, token, y);
  }
  pen.rect(0, 0, grid.width, TOP, v.theme.background);
  for (let layer = grid.first; layer < grid.first + grid.count; layer++) drawHead(pen, v, layer);
  drawFrame(pen, v, scrolled);
  drawTaste(pen, v, Math.min(height, TOP + grid.total - scrolled));
}

/**
 * One token's lanes in one layer.
 * @param {Pen} pen
 * @param {View} v
 * @param {number} layer
 * @param {number} token
 * @param {number} y
 */
function drawCells(pen, v, layer, token, y) {
  const { lane } = v.grid;
  const inset = lane > 8 ? 1 : 0;
  for (const row of rowsOf(v.header, v.arrays, layer, token)) {
    const x = laneAt(v, layer, row.expert);
    const inside = /** @type {const} */ ([x + inset, y + 2, lane - 2 * inset, ROW - 4]);
    if (v.at.show === "scores") pen.rect(...inside, shade(v.theme.sequential, Math.max(0, Math.min(1, row.score))));
    else if (row.chosen) pen.rect(...inside, shade(v.theme.sequential, 0.2 + 0.8 * Math.min(1, row.weight)));
    else pen.rect(...inside, fade(v.theme.text, 0.05));
    if (row.chosen && (v.at.show === "scores" || row.plain !== row.chosen)) {
      pen.rect(x + inset + 0.5, y + 2.5, Math.max(1, lane - 2 * inset - 1), ROW - 5, null, row.plain ? v.theme.text : v.warm, { width: row.plain ? 1 : 2 });
    } else if (row.plain && !row.chosen) pen.rect(x + inset + 0.5, y + 2.5, Math.max(1, lane - 2 * inset - 1), ROW - 5, null, v.warm, { alpha: 0.9 });
    if (!row.kept) drawCross(pen, v, x, y);
  }
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function drawCross(pen, v, x, y) {
  const side = Math.min(v.grid.lane, ROW) - 4;
  const [cx, cy] = [x + v.grid.lane / 2, y + ROW / 2];
  for (const turn of [-1, 1]) pen.line(cx - side / 2, cy - (turn * side) / 2, cx + side / 2, cy + (turn * side) / 2, v.warm, { width: 2 });
}

/**
 * A layer's name, the load of each of its experts beside what all would have alike, and their numbers.
 * @param {Pen} pen
 * @param {View} v
 * @param {number} layer
 */
function drawHead(pen, v, layer) {
  const { header, grid, loads, theme } = v;
  const { experts, chosen } = header;
  const left = laneAt(v, layer, 0);
  const wide = experts * grid.lane;
  const most = Math.max((2 * chosen) / experts, ...loads);
  const ground = BARS.top + BARS.height;
  pen.text(left + wide / 2, 9, grid.lane * experts > 60 ? _("layer {n}", { n: header.layers[layer] }) : String(header.layers[layer]),
    { align: "center", color: theme.text, weight: layer === v.at.layer ? 700 : 400, size: 12 });
  for (let expert = 0; expert < experts; expert++) {
    const x = laneAt(v, layer, expert);
    const high = (loads[layer * experts + expert] / most) * BARS.height;
    const muted = header.muted.some(([l, e]) => l === layer && e === expert);
    const forced = header.forced.some(([l, e]) => l === layer && e === expert);
    const pointed = v.hover?.layer === layer && v.hover?.expert === expert;
    pen.rect(x + (grid.lane > 8 ? 1 : 0), ground - high, grid.lane - (grid.lane > 8 ? 2 : 0), high, forced ? v.warm : theme.heads[0], null,
      { alpha: pointed ? 1 : 0.75 });
    if (muted) pen.line(x + 1, BARS.top, x + grid.lane - 1, ground, v.warm, { width: 2 });
    if (grid.lane >= NAMED || (experts <= 16 && expert % 2 === 0 && grid.lane >= 6)) {
      pen.text(x + grid.lane / 2, ground + 10, String(expert),
        { align: "center", color: muted || forced ? v.warm : theme.muted, size: grid.lane >= NAMED ? 11 : 9, weight: pointed || muted || forced ? 700 : 400 });
    }
  }
  const even = ground - (chosen / experts / most) * BARS.height;
  pen.line(left, even, left + wide, even, theme.text, { dash: "3 3" });
  pen.line(left, ground, left + wide, ground, theme.faint);
  if (layer === v.grid.first) {
    pen.text(grid.labels - 8, even, _("even"), { align: "right", color: theme.muted, size: 10 });
    pen.text(grid.labels - 8, ground + 10, _("expert"), { align: "right", color: theme.muted, size: 10 });
  }
}

/**
 * The frame around the token and the layer that the panel speaks of.
 * @param {Pen} pen
 * @param {View} v
 * @param {number} scrolled
 */
function drawFrame(pen, v, scrolled) {
  const y = TOP + v.at.token * ROW - scrolled;
  if (y < TOP - 1) return;
  pen.rect(laneAt(v, v.at.layer, 0) - 2, y + 0.5, v.header.experts * v.grid.lane + 4, ROW - 1, null, v.theme.text, { width: 2 });
}

/**
 * A frame around all rows of the expert that the first sentence names.
 * @param {Pen} pen
 * @param {View} v
 * @param {number} bottom
 */
function drawTaste(pen, v, bottom) {
  const { grid, theme, header } = v;
  for (const [layer, expert] of header.taste) {
    if (layer < grid.first || layer >= grid.first + grid.count) continue;
    pen.rect(laneAt(v, layer, expert) - 0.5, BARS.top - 2, grid.lane + 1, bottom - BARS.top + 2, null, theme.heads[0], { width: 2.5 });
  }
}
