// @ts-check
// The matrices as small pictures, a pixel a number, made once for each theme.

import { numbersImage } from "#canvas/numbers_image.js";

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
  const canvas = numbersImage(theme, values, rows, cols, signed);
  v.images.made.set(name, canvas);
  return canvas;
}
