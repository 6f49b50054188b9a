// @ts-check
// What is drawn over the map: crosshair, pins and the square that is dragged.

import { canvasPen, fit, tokenLabel } from "#canvas/pens.js";
import { visibleAll } from "#canvas/text.js";
import { fade, font } from "#canvas/theme.js";
import { LABEL } from "./map.js";
import { paintPicture } from "./picture.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").MapPlan} MapPlan */
/** @typedef {import("./types").Square} Square */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

const FAINTEST = 0.02; // weight of a curve, below which it is left out
const BULGE = 0.4; // of a curve, as a share of its length along an axis

/**
 * Crosshair, pins and the square that is dragged: on a second canvas, so that hovering never repaints the map.
 * @param {View} v
 */
export function paintMarks(v) {
  const plan = v.mapPlan;
  if (!plan) return;
  const ctx = fit(v.els.marks, plan.width, plan.height);
  ctx.save();
  ctx.beginPath();
  ctx.rect(plan.x - 2, plan.y - 2, plan.side + 4, plan.side + 4);
  ctx.clip();
  const pen = canvasPen(ctx, v.theme);
  drawPins(pen, v, plan, v.theme.primary);
  drawRowArcs(pen, v, plan, v.theme.primary);
  if (v.hover) paintCrosshair(v, ctx, plan, v.hover);
  else paintLit(v, ctx, plan);
  if (v.drag?.square) paintSquare(v, ctx, plan, v.drag.square);
  ctx.restore();
  paintTags(v, ctx, plan);
  paintPicture(v, shownQuery(v));
}

/**
 * The query that is looked at: the one pointed at, or the pinned one; null while there is neither.
 * @param {View} v
 */
export function shownQuery(v) {
  return v.hover && v.mapPlan ? v.mapPlan.row + v.hover.i : v.state.query;
}

/** The query that the words beside the picture are about: the one that is looked at, or the last. @param {View} v */
export const wordedQuery = (v) => shownQuery(v) ?? v.header.tokens.length - 1;

/**
 * Whether the half of the map above its diagonal is blank.
 * @param {View} v
 */
export function hasBlankHalf(v) {
  const stage = v.exact?.stageOf(v.state.stage) ?? v.state.stage;
  return (v.header.causal ?? true) && stage === "softmax";
}

/**
 * What the row that the words are about attends to, as curves from token to token along the diagonal, in the blank half of the map.
 * @param {Pen} pen
 * @param {View} v
 * @param {MapPlan} plan
 * @param {string} color
 */
export function drawRowArcs(pen, v, { x, y, cell, row, col, n, side }, color) {
  const query = wordedQuery(v);
  if (!v.exact || !hasBlankHalf(v) || query < Math.max(row, col) || query >= Math.min(row, col) + n) return;
  const at = (/** @type {number} */ i) => [x + (i - col + 0.5) * cell, y + (i - row + 0.5) * cell];
  const [x1, y1] = at(query);
  v.exact.row(query).forEach((weight, j) => {
    if (weight < FAINTEST || j >= query || j < Math.max(row, col)) return;
    const [x2, y2] = at(j);
    const bend = BULGE * (x1 - x2);
    const [cx, cy] = [Math.min((x1 + x2) / 2 + bend, x + side), Math.max((y1 + y2) / 2 - bend, y)];
    pen.path(`M${x1} ${y1}Q${cx} ${cy} ${x2} ${y2}`, color, 0.8 + 4 * weight, 0.2 + 0.75 * weight);
  });
}

/** The pinned query and key as row and column in the view; null outside. @param {View} v @param {MapPlan} plan */
const pinned = (v, plan) => placesIn(plan, v.state.query, v.state.key);

/**
 * A query and a key as row and column in the view; null outside.
 * @param {MapPlan} plan
 * @param {number | null} query
 * @param {number | null} key
 */
function placesIn(plan, query, key) {
  const inView = (/** @type {number | null} */ index, /** @type {number} */ start) =>
    (index !== null && index >= start && index < start + plan.n ? index - start : null);
  return { row: inView(query, plan.row), col: inView(key, plan.col) };
}

/**
 * Frames around the pinned row and cell; while nothing is pinned or pointed at, thin ones around the row that the words beside are
 * about, and its largest cell.
 * @param {Pen} pen
 * @param {View} v
 * @param {MapPlan} plan
 * @param {string} color
 */
export function drawPins(pen, v, plan, color) {
  const { x, y, side, cell } = plan;
  const isPinned = v.state.query !== null;
  if (!isPinned && (v.hover || !v.exact)) return;
  const { row, col } = isPinned ? pinned(v, plan) : placesIn(plan, wordedQuery(v), largestOf(v.exact.row(wordedQuery(v))));
  if (row === null) return;
  const thick = Math.max(cell, 3);
  pen.rect(x, y + (row + 0.5) * cell - thick / 2, side, thick, null, color, { width: isPinned ? 1.5 : 1 });
  if (col === null) return;
  const size = Math.max(cell, 7);
  pen.rect(x + (col + 0.5) * cell - size / 2, y + (row + 0.5) * cell - size / 2, size, size, null, color, { width: isPinned ? 2.5 : 1.5 });
}

/** @param {Float32Array} weights */
const largestOf = (weights) => weights.indexOf(weights.reduce((most, weight) => Math.max(most, weight), 0));

/**
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {MapPlan} plan
 * @param {Cell} cell
 */
function paintCrosshair({ theme }, ctx, { x, y, side, cell }, { i, j }) {
  ctx.fillStyle = fade(theme.text, 0.1);
  ctx.fillRect(x, y + i * cell, side, Math.max(cell, 1));
  ctx.fillRect(x + j * cell, y, Math.max(cell, 1), side);
  ctx.lineWidth = 1;
  ctx.strokeStyle = theme.text;
  ctx.strokeRect(x + j * cell - 0.5, y + i * cell - 0.5, cell + 1, cell + 1);
}

/**
 * Row and column of the tokens that are pointed at elsewhere on the page.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {MapPlan} plan
 */
function paintLit({ theme, lit }, ctx, { x, y, side, cell, row, col, n }) {
  ctx.fillStyle = fade(theme.text, 0.1);
  const thick = Math.max(cell, 2);
  for (const index of lit) {
    if (index >= row && index < row + n) ctx.fillRect(x, y + (index - row) * cell, side, thick);
    if (index >= col && index < col + n) ctx.fillRect(x + (index - col) * cell, y, thick, side);
  }
}

/**
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {MapPlan} plan
 * @param {Square} square
 */
function paintSquare({ theme }, ctx, { x, y, cell }, { i, j, n }) {
  ctx.fillStyle = fade(theme.primary, 0.12);
  ctx.lineWidth = 1;
  ctx.strokeStyle = theme.primary;
  ctx.fillRect(x + j * cell, y + i * cell, n * cell, n * cell);
  ctx.strokeRect(x + j * cell, y + i * cell, n * cell, n * cell);
}

/**
 * The labels of what is pinned or pointed at, also where the axis leaves them out.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {MapPlan} plan
 */
function paintTags(v, ctx, plan) {
  const { theme, hover } = v;
  const { x, y, side, cell } = plan;
  const tokens = visibleAll(v.header.tokens);
  const { row, col } = pinned(v, plan);
  const turn = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
  const tagColumn = (/** @type {number} */ j, /** @type {string} */ color) =>
    paintTag(ctx, theme, x + (j + 0.5) * cell + (plan.slanted ? 3 : 0), y + side + 8, turn, tokens[plan.col + j], color);
  const tagRow = (/** @type {number} */ i, /** @type {string} */ color) =>
    paintTag(ctx, theme, x - 7, y + (i + 0.5) * cell, 0, tokens[plan.row + i], color);
  if (row !== null) tagRow(row, theme.primary);
  if (row !== null && col !== null) tagColumn(col, theme.primary);
  if (!hover) {
    const { row: top, col: left, n } = plan;
    for (const index of v.lit) {
      if (index - top !== row && index >= top && index < top + n) tagRow(index - top, theme.text);
      if (index - left !== col && index >= left && index < left + n) tagColumn(index - left, theme.text);
    }
    return;
  }
  if (hover.i !== row) tagRow(hover.i, theme.text);
  if (hover.j !== col) tagColumn(hover.j, theme.text);
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Theme} theme
 * @param {number} x
 * @param {number} y
 * @param {number} rotate
 * @param {string} token
 * @param {string} color
 */
function paintTag(ctx, theme, x, y, rotate, token, color) {
  ctx.save();
  ctx.font = font(theme, 11, 600);
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  const text = tokenLabel(ctx, token, LABEL);
  const width = ctx.measureText(text).width;
  ctx.translate(x, y);
  ctx.rotate(rotate);
  ctx.fillStyle = color;
  ctx.fillRect(-width - 3, -7.5, width + 6, 15);
  ctx.fillStyle = theme.background;
  ctx.fillText(`\u2068${text}\u2069`, 0, 0.5);
  ctx.restore();
}
