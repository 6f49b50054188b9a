// @ts-check
// The four panels of a product: the map of a matrix, its channels, the sizes of its numbers, and the error by scale.

import { dotSentence, drawCurve, drawDots, drawSizes } from "./channels.js";
import { cellSentence, drawMap } from "./map.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Layout} Layout */

const WIDE = 620; // pixels from which two panels stand side by side

/**
 * @param {number} width
 * @returns {Layout}
 */
export function panelsOf(width) {
  const gap = 34;
  const top = 20;
  if (width < WIDE) {
    const w = width - gap - 4;
    const map = { x: gap, y: top, w, h: 150 };
    const dots = { x: gap, y: map.y + map.h + 62, w, h: 130 };
    const sizes = { x: gap, y: dots.y + dots.h + 60, w, h: 90 };
    const curve = { x: gap, y: sizes.y + sizes.h + 50, w, h: 100 };
    return { map, dots, sizes, curve, height: curve.y + curve.h + 32 };
  }
  const left = Math.round((width - 2 * gap) * 0.56);
  const right = width - left - 2 * gap - 6;
  const map = { x: gap, y: top, w: left, h: 168 };
  const dots = { x: left + 2 * gap, y: top, w: right, h: 168 };
  const below = top + 168 + 60;
  const sizes = { x: gap, y: below, w: left, h: 88 };
  const curve = { x: left + 2 * gap, y: below, w: right, h: 88 };
  return { map, dots, sizes, curve, height: below + 88 + 32 };
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Layout} layout
 * @param {Theme} theme
 */
export function drawProduct(pen, v, layout, theme) {
  drawMap(pen, v, layout.map, theme);
  drawDots(pen, v, layout.dots, theme);
  drawSizes(pen, v, layout.sizes, theme);
  drawCurve(pen, v, layout.curve, theme);
}

/**
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @returns {string} a sentence, empty where nothing is
 */
export function pointedAt(v, x, y) {
  const { map, dots } = v.layout;
  const inside = (/** @type {Box} */ box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h;
  if (inside(map)) return cellSentence(v, (x - map.x) / map.w, (y - map.y) / map.h);
  if (inside(dots)) return dotSentence(v, x, y);
  return "";
}
