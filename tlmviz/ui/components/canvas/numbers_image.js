// @ts-check
// A matrix as a small picture, a pixel a number.

/** @typedef {import("#canvas/theme.js").Theme} Theme */

/**
 * The largest size of finite numbers, and a little where all are 0.
 * @param {ArrayLike<number>} values
 */
export function largestSize(values) {
  let most = 1e-9;
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i])) most = Math.max(most, Math.abs(values[i]));
  return most;
}

/**
 * A matrix in row-major order as a picture: the diverging scale around 0, the sequential one from 0 for probabilities; NaN stays clear.
 * @param {Theme} theme
 * @param {ArrayLike<number>} values
 * @param {number} rows
 * @param {number} cols
 * @param {boolean} signed
 * @param {number} [most] the number at the end of the scale
 */
export function numbersImage(theme, values, rows, cols, signed, most = largestSize(values)) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [cols, rows];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const pixels = context.createImageData(cols, rows);
  const table = signed ? theme.diverging : theme.sequential;
  for (let i = 0; i < rows * cols; i++) {
    if (!Number.isFinite(values[i])) continue;
    const share = signed ? 0.5 + values[i] / most / 2 : Math.sqrt(values[i] / most);
    const k = 3 * Math.round(255 * Math.max(0, Math.min(1, share)));
    for (let c = 0; c < 3; c++) pixels.data[4 * i + c] = table[k + c];
    pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}
