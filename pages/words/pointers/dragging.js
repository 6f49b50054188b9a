// @ts-check
// Pointer, touch and keys: points are dragged, added and taken away.

import { ask, go } from "#canvas/live.js";
import { nearestPoint, pointAt, pointsOf } from "./points.js";

/** @typedef {import("./points.js").View} View */
/** @typedef {import("./points.js").Point} Point */

const REACH = { mouse: 12, touch: 26 }; // pixels
const MOST = 1000; // points
const NUDGE = 10; // thousandths that a key moves

/**
 * Show other points; they are sent as soon as the last ones were answered.
 * @param {View} v
 * @param {Point[]} points
 */
function change(v, points) {
  if (v.waiting) return go(v, { points });
  v.waiting = true;
  ask(v, { points });
}

/** @param {View} v */
export function wire(v) {
  const canvas = /** @type {HTMLCanvasElement} */ (v.els.canvas);
  Object.assign(v, { held: null, dragging: false });
  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y } = place(event);
    v.held = nearestPoint(v, x, y, event.pointerType === "mouse" ? REACH.mouse : REACH.touch);
    v.dragging = v.held !== null;
    if (v.dragging) canvas.setPointerCapture(event.pointerId);
    v.paint();
  });
  // A finger on a point drags it; elsewhere it scrolls the page.
  canvas.addEventListener("touchstart", (event) => v.dragging && event.preventDefault(), { passive: false });
  canvas.addEventListener("pointermove", (event) => {
    const { x, y } = place(event);
    if (!v.dragging || v.held === null) {
      canvas.style.cursor = nearestPoint(v, x, y, REACH.mouse) === null ? "crosshair" : "grab";
      return;
    }
    const moved = pointAt(v.side, x, y);
    if (moved.join() !== pointsOf(v)[v.held].join()) change(v, pointsOf(v).with(v.held, moved));
  });
  const drop = () => {
    v.dragging = false; // what was moved last is told once it rests
    v.paint();
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);
  canvas.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    const at = nearestPoint(v, x, y, REACH.mouse);
    if (at !== null) remove(v, at);
    else if (pointsOf(v).length < MOST) change(v, [...pointsOf(v), pointAt(v.side, x, y)]);
  });
  canvas.addEventListener("keydown", (event) => {
    if (typed(v, event.key)) event.preventDefault();
  });
}

/**
 * @param {View} v
 * @param {number} index
 */
function remove(v, index) {
  v.held = null;
  if (pointsOf(v).length > 1) change(v, pointsOf(v).toSpliced(index, 1));
}

/**
 * A key: Enter chooses the next point, arrows move it, Delete takes it away, + adds one. Returns whether it meant something.
 * @param {View} v
 * @param {string} key
 */
function typed(v, key) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
  if (key === "Enter") v.held = ((v.held ?? -1) + 1) % pointsOf(v).length;
  else if (key === "+" && pointsOf(v).length < MOST) {
    v.held = pointsOf(v).length;
    return change(v, [...pointsOf(v), [500, 500]]), true;
  } else if (v.held === null) return false;
  else if (way) {
    const [x, y] = pointsOf(v)[v.held];
    const clipped = (/** @type {number} */ value) => Math.max(0, Math.min(1000, value));
    return change(v, pointsOf(v).with(v.held, [clipped(x + NUDGE * way[0]), clipped(y + NUDGE * way[1])])), true;
  } else if (key === "Delete" || key === "Backspace") remove(v, v.held);
  else if (key === "Escape") v.held = null;
  else return false;
  v.paint();
  return true;
}
