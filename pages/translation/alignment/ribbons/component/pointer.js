// @ts-check
// Pointer, touch and keys: a ribbon is dragged, or a word of the translation is chosen and then one of the source.

import { lightUp } from "#canvas/hovered.js";
import { ribbonAt, tokenAt } from "./layout.js";
import { paint, pin, undo } from "./view.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Side} Side */

const FAR = 5; // pixels that a pointer moves until it drags

/**
 * What is under a point.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @param {number} [reach]
 * @returns {import("./types").Hover}
 */
function under(v, x, y, reach = 0) {
  const place = tokenAt(v.plan, x, y, reach);
  if (place) return place.side === "target" ? { step: place.index, token: null } : { step: null, token: place.index };
  const ribbon = ribbonAt(v.plan, x, y);
  return ribbon ? { step: ribbon.step, token: ribbon.token } : { step: null, token: null };
}

/**
 * A press and a release on the same place: choose a step, then the token that it shall read.
 * @param {View} v
 * @param {import("./types").Hover} at
 */
function tapped(v, at) {
  if (v.held !== null && at.token !== null && at.step === null) pin(v, v.held, at.token);
  else if (at.step !== null && at.step !== v.held) hold(v, at.step);
  else hold(v, null);
}

/**
 * @param {View} v
 * @param {number | null} step
 */
function hold(v, step) {
  v.held = step;
  v.cursor = null;
  paint(v);
}

/** @param {View} v */
export function wire(v) {
  const { canvas } = v.els;
  const place = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.x, y: event.clientY - box.y };
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { x, y } = place(event);
    const at = under(v, x, y);
    v.pressed = { x, y, at };
    if (event.pointerType !== "mouse" || at.step === null) return;
    canvas.setPointerCapture(event.pointerId);
    v.drag = { step: at.step, x, y, moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    const { x, y } = place(event);
    if (v.drag) return drag(v, x, y);
    if (event.pointerType === "mouse") point(v, under(v, x, y));
  });
  canvas.addEventListener("pointerup", (event) => {
    const { x, y } = place(event);
    const { drag, pressed } = v;
    v.drag = v.pressed = null;
    if (drag?.moved) return drop(v, drag.step);
    if (!pressed || Math.hypot(x - pressed.x, y - pressed.y) > 2 * FAR) return paint(v);
    tell(v, pressed.at);
    tapped(v, pressed.at);
  });
  canvas.addEventListener("pointercancel", () => {
    v.drag = v.pressed = null;
    paint(v);
  });
  canvas.addEventListener("pointerleave", () => !v.drag && point(v, { step: null, token: null }));
  canvas.addEventListener("blur", () => {
    v.cursor = null;
    paint(v);
  });
  canvas.addEventListener("keydown", (event) => {
    if (typed(v, event)) event.preventDefault();
  });
}

/**
 * @param {View} v
 * @param {import("./types").Hover} at
 */
function point(v, at) {
  if (at.step === v.hover.step && at.token === v.hover.token) return;
  tell(v, at);
  v.hover = v.held === null ? at : { step: null, token: at.step === null ? at.token : null };
  paint(v);
}

/**
 * Tell the page which tokens are pointed at.
 * @param {View} v
 * @param {import("./types").Hover} at
 */
function tell({ joined }, { step, token }) {
  lightUp([...(step === null ? [] : [joined.target.spot(step)]), ...(token === null ? [] : [joined.source.spot(token)])]);
}

/**
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function drag(v, x, y) {
  const { drag: from } = v;
  if (!from.moved && Math.hypot(x - from.x, y - from.y) < FAR) return;
  const place = tokenAt(v.plan, x, y, 40); // the word need not be hit
  v.held = from.step;
  v.drag = { step: from.step, x, y, moved: true };
  v.hover = { step: null, token: place?.side === "source" ? place.index : null };
  paint(v);
}

/**
 * @param {View} v
 * @param {number} step
 */
function drop(v, step) {
  const { token } = v.hover;
  v.held = null;
  if (token === null) paint(v);
  else pin(v, step, token);
}

/**
 * A key: arrows walk along the rows and between them, Enter chooses, Escape lets go. Returns whether it meant something.
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function typed(v, event) {
  const { plan, header } = v;
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const cursor = v.cursor ?? { side: /** @type {Side} */ ("target"), index: 0 };
  if (step) {
    const [along, across] = plan.upright ? [step[1], step[0]] : step;
    if (along && v.cursor) cursor.index += along;
    if (across) {
      const side = /** @type {Side} */ (across < 0 ? "source" : "target");
      if (side !== cursor.side && v.held === null) v.cursor = Object.assign(cursor, { side, index: nearest(v, cursor, side) });
    }
    const count = cursor.side === "source" ? header.source.length : header.target.length;
    v.cursor = { side: cursor.side, index: Math.max(0, Math.min(count - 1, cursor.index)) };
    v.hover = { step: null, token: null };
    paint(v);
    return true;
  }
  return chosen(v, event, cursor);
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 * @param {import("./types").Place} cursor
 */
function chosen(v, event, cursor) {
  if (event.key === "Enter" || event.key === " ") {
    if (v.held !== null && cursor.side === "source") pin(v, v.held, cursor.index);
    else if (cursor.side === "target") {
      v.held = cursor.index;
      v.cursor = { side: "source", index: heaviest(v, cursor.index) };
    }
  } else if (event.key === "Escape") v.held = null;
  else if ((event.key === "Delete" || event.key === "Backspace") && cursor.side === "target") pin(v, cursor.index, null);
  else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey)) undo(v);
  else return false;
  paint(v);
  return true;
}

/**
 * The token of the other row that lies nearest.
 * @param {View} v
 * @param {import("./types").Place} from
 * @param {Side} side
 */
function nearest({ plan }, from, side) {
  const { at } = plan[from.side][from.index];
  const distances = plan[side].map((slot) => Math.abs(slot.at - at));
  return distances.indexOf(Math.min(...distances));
}

/**
 * The source token that a step reads most.
 * @param {View} v
 * @param {number} step
 */
function heaviest({ header, weights }, step) {
  const S = header.source.length;
  const row = Array.from(weights.subarray(step * S, (step + 1) * S));
  return row.indexOf(Math.max(...row));
}
