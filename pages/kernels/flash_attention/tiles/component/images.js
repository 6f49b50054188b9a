// @ts-check
// The matrices as small pictures, a pixel a number, made once for each theme.

import { shadeRgb } from "#canvas/theme.js";

/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

/**
 * A matrix as a picture: the diverging scale around 0, the sequential one from 0 for probabilities; NaN stays clear.
 * @param {View} v
 * @param {Theme} theme
 * @param {string} name under which it is kept
 * @param {ArrayLike<number>} values
 * @param {number} rows
 * @param {number} cols
 * @param {boolean} signed
 */
export function matrixImage(v, theme, name, values, rows, cols, signed) {
  if (v.images?.id !== theme.id + theme.background) v.images = { id: theme.id + theme.background, made: new Map() };
  const known = v.images.made.get(name);
  if (known) return known;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [cols, rows];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = context.createImageData(cols, rows);
  let most = 1e-9;
  for (let i = 0; i < rows * cols; i++) if (Number.isFinite(values[i])) most = Math.max(most, Math.abs(values[i]));
  for (let i = 0; i < rows * cols; i++) {
    if (!Number.isFinite(values[i])) continue;
    const color = signed ? shadeRgb(theme.diverging, 0.5 + values[i] / most / 2) : shadeRgb(theme.sequential, Math.sqrt(values[i] / most));
    pixels.data.set([...color, 255], 4 * i);
  }
  context.putImageData(pixels, 0, 0);
  v.images.made.set(name, canvas);
  return canvas;
}
