// @ts-check
// Pointer, touch and keys: points are dragged, added and taken away.

import { nearestPoint, pointAt } from "./drawing.js";
import { change, paint } from "./view.js";

/** @typedef {import("./types").View} View */

const REACH = { mouse: 12, touch: 26 }; // pixels
const MOST = 1000; // points
const NUDGE = 10; // thousandths that a key moves

/** @param {View} v */
export function wire(v) {
  const { canvas } = v.els;
  const place = (/** @type {MouseEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y } = place(event);
    v.held = nearestPoint(v, x, y, event.pointerType === "mouse" ? REACH.mouse : REACH.touch);
    v.dragging = v.held !== null;
    if (v.dragging) canvas.setPointerCapture(event.pointerId);
    paint(v);
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
    if (moved.join() !== v.points[v.held].join()) change(v, v.points.with(v.held, moved));
  });
  const drop = () => {
    v.dragging = false;
    paint(v);
  };
  canvas.addEventListener("pointerup", drop);
  canvas.addEventListener("pointercancel", drop);
  canvas.addEventListener("dblclick", (event) => {
    const { x, y } = place(event);
    const at = nearestPoint(v, x, y, REACH.mouse);
    if (at !== null) remove(v, at);
    else if (v.points.length < MOST) change(v, [...v.points, pointAt(v.side, x, y)]);
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
  if (v.points.length > 1) change(v, v.points.toSpliced(index, 1));
}

/**
 * A key: Enter chooses the next point, arrows move it, Delete takes it away, + adds one. Returns whether it meant something.
 * @param {View} v
 * @param {string} key
 */
function typed(v, key) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
  if (key === "Enter") v.held = ((v.held ?? -1) + 1) % v.points.length;
  else if (key === "+" && v.points.length < MOST) {
    v.held = v.points.length;
    return change(v, [...v.points, [500, 500]]), true;
  } else if (v.held === null) return false;
  else if (way) {
    const [x, y] = v.points[v.held];
    const clipped = (/** @type {number} */ value) => Math.max(0, Math.min(1000, value));
    return change(v, v.points.with(v.held, [clipped(x + NUDGE * way[0]), clipped(y + NUDGE * way[1])])), true;
  } else if (key === "Delete" || key === "Backspace") remove(v, v.held);
  else if (key === "Escape") v.held = null;
  else return false;
  paint(v);
  return true;
}
