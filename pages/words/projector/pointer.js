// @ts-check
// Mouse, fingers and keyboard on the picture: point, choose, move, zoom.

import { dragged, homeOf, nearestPoint, unitOf, zoomed } from "./camera.js";
import { allOnScreen } from "./draw.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {{ choose: (row: number) => void, point: (row: number, x: number, y: number) => void, move: (camera: import("./view.js").Camera) => void }} Acts */

const STEP = 1.5; // of the zoom for a key or a button

/**
 * The point under a place of the canvas; -1 for none.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
function pointAt(v, x, y, reach) {
  const { xs, ys } = allOnScreen(v, v.width, v.height);
  return nearestPoint(xs, ys, x, y, reach);
}

/**
 * Zoom about a place, the picture's middle unless given.
 * @param {View} v
 * @param {Acts} acts
 * @param {number} factor
 * @param {number} [x]
 * @param {number} [y]
 */
export function zoomBy(v, acts, factor, x = v.width / 2, y = v.height / 2) {
  const unit = unitOf(v.header.box, v.width, v.height);
  acts.move(zoomed(v.camera, factor, x - v.width / 2, y - v.height / 2, unit));
}

/**
 * @param {View} v
 * @param {Acts} acts
 */
export function wirePointer(v, acts) {
  const canvas = /** @type {HTMLCanvasElement} */ (v.els.canvas);
  /** @type {Map<number, { x: number, y: number }>} */
  const down = new Map();
  let travelled = 0;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    travelled = down.size ? Infinity : 0; // a second finger chooses nothing
    down.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    const now = { x: event.offsetX, y: event.offsetY };
    if (!before) {
      if (event.pointerType === "mouse") acts.point(pointAt(v, now.x, now.y, 12), now.x, now.y);
      return;
    }
    travelled += Math.hypot(now.x - before.x, now.y - before.y);
    if (travelled > 4) follow(v, acts, [...down.values()], before, now, event.pointerType === "mouse");
    down.set(event.pointerId, now);
  });
  canvas.addEventListener("pointerup", (event) => {
    const tapped = down.delete(event.pointerId) && travelled <= 4;
    if (tapped) acts.choose(pointAt(v, event.offsetX, event.offsetY, event.pointerType === "mouse" ? 12 : 22));
  });
  canvas.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => acts.point(-1, 0, 0));
  canvas.addEventListener("touchmove", (event) => event.touches.length > 1 && event.preventDefault(), { passive: false }); // one finger scrolls the page
  canvas.addEventListener("wheel", (event) => {
    // The wheel scrolls the page, unless the picture was clicked before, as on a map.
    if (!event.ctrlKey && /** @type {ShadowRoot} */ (v.root.getRootNode()).activeElement !== v.els.canvas) return;
    event.preventDefault();
    zoomBy(v, acts, Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.002)), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("dblclick", (event) => zoomBy(v, acts, 2.5, event.offsetX, event.offsetY));
  canvas.addEventListener("keydown", (event) => key(v, acts, event));
}

/**
 * A drag with the mouse, or two fingers that move and spread.
 * @param {View} v
 * @param {Acts} acts
 * @param {{ x: number, y: number }[]} fingers where they were
 * @param {{ x: number, y: number }} before where the one that moved was
 * @param {{ x: number, y: number }} now
 * @param {boolean} mouse
 */
function follow(v, acts, fingers, before, now, mouse) {
  const unit = unitOf(v.header.box, v.width, v.height);
  if (mouse) {
    acts.move(dragged(v.camera, now.x - before.x, now.y - before.y, unit));
    return;
  }
  const other = fingers.find((finger) => finger !== before);
  if (!other) return;
  const apart = (/** @type {{ x: number, y: number }} */ finger) => Math.max(8, Math.hypot(finger.x - other.x, finger.y - other.y));
  const camera = dragged(v.camera, (now.x - before.x) / 2, (now.y - before.y) / 2, unit);
  const [x, y] = [(now.x + other.x) / 2 - v.width / 2, (now.y + other.y) / 2 - v.height / 2];
  acts.move(zoomed(camera, apart(now) / apart(before), x, y, unit));
}

/**
 * @param {View} v
 * @param {Acts} acts
 * @param {KeyboardEvent} event
 */
function key(v, acts, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (step) acts.move(dragged(v.camera, step[0], step[1], unitOf(v.header.box, v.width, v.height)));
  else if (event.key === "+" || event.key === "=") zoomBy(v, acts, STEP);
  else if (event.key === "-") zoomBy(v, acts, 1 / STEP);
  else if (event.key === "0") acts.move(homeOf(v.header.box));
  else if (event.key === "Escape") acts.choose(-1);
  else return;
  event.preventDefault();
}
