// @ts-check
// Heads without their output: muted on their tiles, by Alt and a click, a button or a key.

import { act } from "./state.js";

/** @typedef {import("./types").View} View */

/**
 * Whether a head is muted.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
export function isMuted(v, layer, head) {
  return v.state.mute.some(([l, h]) => l === layer && h === head);
}

/**
 * Mute a head, or let it speak again.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
export function toggleMute(v, layer, head) {
  if (!v.header.mutable) return;
  const others = v.state.mute.filter(([l, h]) => l !== layer || h !== head);
  act(v, { mute: isMuted(v, layer, head) ? others : [...others, [layer, head]] });
}

/**
 * A cross over the tile of a muted head.
 * @param {CanvasRenderingContext2D} ctx
 * @param {{ background: string, text: string }} theme
 * @param {{ x: number, y: number }} corner
 * @param {number} size
 */
export function paintMuted(ctx, theme, { x, y }, size) {
  ctx.globalAlpha = 0.7;
  ctx.fillStyle = theme.background;
  ctx.fillRect(x, y, size, size);
  ctx.globalAlpha = 1;
  ctx.strokeStyle = theme.text;
  ctx.lineWidth = 1.5;
  ctx.beginPath();
  ctx.moveTo(x + 4, y + 4);
  ctx.lineTo(x + size - 4, y + size - 4);
  ctx.moveTo(x + size - 4, y + 4);
  ctx.lineTo(x + 4, y + size - 4);
  ctx.stroke();
}
