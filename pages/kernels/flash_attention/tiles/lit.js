// @ts-check
// The tokens that are pointed at: a row of a matrix is one token, a cell of the map a query and a key.

import { joinHover } from "#canvas/hovered.js";
import { places } from "./machines.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./machines.js").Box} Box */
/** @typedef {import("./machines.js").View} View */

/**
 * Tie the kernel's machine to the page's other views.
 * @param {View} v
 * @param {HTMLElement} canvas
 */
export function joinTokens(v, canvas) {
  const light = (/** @type {number[]} */ indices) => {
    v.lit = indices;
    v.paint();
  };
  v.joined = joinHover({ tokens: () => v.header?.tokens ?? [], light });
  v.ends.push(v.joined.end);
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => v.joined.point(...tokensAt(v, offsetX, offsetY)));
  canvas.addEventListener("pointerleave", () => v.joined.point());
}

/**
 * The tokens at a point of the canvas.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function tokensAt(v, x, y) {
  if (!v.box) return [];
  const { q, k, v: values, out, map } = places(v, v.box);
  const inside = (/** @type {Box} */ place) => x >= place.x && x < place.x + place.width && y >= place.y && y < place.y + place.height;
  const part = (/** @type {number} */ pixels, /** @type {number} */ size) => Math.floor((pixels / size) * v.header.length);
  if (inside(map)) return [part(y - map.y, map.height), part(x - map.x, map.width)];
  const strip = [q, k, values, out].find(inside);
  return strip ? [part(y - strip.y, strip.height)] : [];
}

/**
 * Frames around the rows, and columns of the map, of the tokens that are pointed at.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawLit(pen, v, theme) {
  const { q, k, v: values, out, map } = places(v, v.box);
  for (const token of v.lit) {
    for (const { x, y, width, height } of [q, k, values, out, map]) {
      const unit = height / v.header.length;
      pen.rect(x - 1, y + token * unit - 0.5, width + 2, unit + 1, null, theme.text);
    }
    const unit = map.width / v.header.length;
    pen.rect(map.x + token * unit - 0.5, map.y - 1, unit + 1, map.height + 2, null, theme.text);
  }
}
