// @ts-check
// Between the picture's coordinates, 0 to 1 with y upwards, and pixels. Free of the DOM.

/** @typedef {import("./view.js").Camera} Camera */

export const MOST = 200; // of the zoom
const LEAST = 0.5;

/**
 * Pixels per unit: both axes alike, so that distances stay distances.
 * @param {number[]} box
 * @param {number} width
 * @param {number} height
 */
export function unitOf([x0, y0, x1, y1], width, height) {
  return 0.94 * Math.min(width / Math.max(x1 - x0, 1e-6), height / Math.max(y1 - y0, 1e-6));
}

/**
 * @param {number[]} box
 * @returns {Camera}
 */
export function homeOf([x0, y0, x1, y1]) {
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, zoom: 1 };
}

/**
 * A camera that shows something of the picture.
 * @param {Camera} camera
 * @returns {Camera}
 */
export function within({ x, y, zoom }) {
  const between = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) => Math.max(low, Math.min(high, value));
  return { x: between(x, 0, 1), y: between(y, 0, 1), zoom: between(zoom, LEAST, MOST) };
}

/**
 * The camera after the picture was made `factor` times as large about a point, which stays where it is.
 * @param {Camera} camera
 * @param {number} factor
 * @param {number} dx of the point from the middle of the picture, in pixels
 * @param {number} dy
 * @param {number} unit pixels per unit at zoom 1
 */
export function zoomed(camera, factor, dx, dy, unit) {
  const zoom = Math.max(LEAST, Math.min(MOST, camera.zoom * factor));
  const step = 1 / (unit * camera.zoom) - 1 / (unit * zoom);
  return within({ x: camera.x + dx * step, y: camera.y - dy * step, zoom });
}

/**
 * The camera after a drag of so many pixels.
 * @param {Camera} camera
 * @param {number} dx
 * @param {number} dy
 * @param {number} unit
 */
export function dragged(camera, dx, dy, unit) {
  const scale = unit * camera.zoom;
  return within({ x: camera.x - dx / scale, y: camera.y + dy / scale, zoom: camera.zoom });
}

/**
 * The point nearest to a place, within so many pixels; -1 for none.
 * @param {ArrayLike<number>} xs pixels
 * @param {ArrayLike<number>} ys
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
export function nearestPoint(xs, ys, x, y, reach) {
  let best = -1;
  let least = reach * reach;
  for (let k = 0; k < xs.length; k++) {
    const distance = (xs[k] - x) ** 2 + (ys[k] - y) ** 2;
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}
