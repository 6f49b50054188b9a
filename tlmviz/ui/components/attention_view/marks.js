// @ts-check
// What is drawn over the map: crosshair, pins and the square that is dragged.

import { fit, tokenLabel } from "#canvas/pens.js";
import { fade, font } from "#canvas/theme.js";
import { LABEL } from "./map.js";

/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").MapPlan} MapPlan */
/** @typedef {import("./types").Square} Square */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

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
  paintPins(v, ctx, plan);
  if (v.hover) paintCrosshair(v, ctx, plan, v.hover);
  if (v.drag?.square) paintSquare(v, ctx, plan, v.drag.square);
  ctx.restore();
  paintTags(v, ctx, plan);
}

/**
 * The pinned query and key as row and column in the view; null outside.
 * @param {View} v
 * @param {MapPlan} plan
 */
function pinned(v, plan) {
  const inView = (/** @type {number} */ index, /** @type {number} */ start) => (index !== null && index >= start && index < start + plan.n ? index - start : null);
  return { row: inView(v.state.query, plan.row), col: inView(v.state.key, plan.col) };
}

/**
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {MapPlan} plan
 */
function paintPins(v, ctx, plan) {
  const { x, y, side, cell } = plan;
  const { row, col } = pinned(v, plan);
  if (row === null) return;
  ctx.strokeStyle = v.theme.primary;
  const thick = Math.max(cell, 3);
  ctx.lineWidth = 1.5;
  ctx.strokeRect(x, y + (row + 0.5) * cell - thick / 2, side, thick);
  if (col === null) return;
  const size = Math.max(cell, 7);
  ctx.lineWidth = 2.5;
  ctx.strokeRect(x + (col + 0.5) * cell - size / 2, y + (row + 0.5) * cell - size / 2, size, size);
}

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
  const { tokens } = v.header;
  const { row } = pinned(v, plan);
  const tagRow = (/** @type {number} */ i, /** @type {string} */ color) =>
    paintTag(ctx, theme, x - 7, y + (i + 0.5) * cell, 0, tokens[plan.row + i], color);
  if (row !== null) tagRow(row, theme.primary);
  if (!hover) return;
  if (hover.i !== row) tagRow(hover.i, theme.text);
  const turn = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
  paintTag(ctx, theme, x + (hover.j + 0.5) * cell + (plan.slanted ? 3 : 0), y + side + 8, turn, tokens[plan.col + hover.j], theme.text);
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
