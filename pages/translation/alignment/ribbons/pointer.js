// @ts-check
// Pointer, touch and keys: a ribbon is dragged, or a word of the translation is chosen and then one of the source.

import { lightUp } from "#canvas/hovered.js";
import { NOWHERE } from "./drawing.js";
import { ribbonAt, tokenAt } from "./layout.js";
import { pin, undo } from "./view.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Side} Side */
/** @typedef {import("./types").Hover} Hover */

const FAR = 5; // pixels that a pointer moves until it drags

/**
 * What is under a point.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @returns {Hover}
 */
function under(v, x, y) {
  const place = tokenAt(v.plan, x, y);
  if (place) return place.side === "target" ? { step: place.index, token: null } : { step: null, token: place.index };
  const ribbon = ribbonAt(v.plan, x, y);
  return ribbon ? { step: ribbon.step, token: ribbon.token } : NOWHERE;
}

/** A press and a release on the same place: choose a step, then the token that it shall read. @param {View} v @param {Hover} at */
function tapped(v, at) {
  if (v.held !== null && at.token !== null && at.step === null) return pin(v, v.held, at.token);
  Object.assign(v, { held: at.step !== v.held ? at.step : null, cursor: null });
  v.paint();
}

/** @param {View} v */
export function wire(v) {
  const canvas = /** @type {HTMLCanvasElement} */ (v.els.canvas);
  const release = () => {
    const { drag, pressed } = v;
    v.drag = v.pressed = null;
    return { drag, pressed };
  };
  canvas.addEventListener("pointerdown", (event) => {
    const { offsetX: x, offsetY: y } = event;
    const at = under(v, x, y);
    v.pressed = { x, y, at };
    if (event.pointerType !== "mouse" || at.step === null) return;
    canvas.setPointerCapture(event.pointerId);
    v.drag = { step: at.step, x, y, moved: false };
  });
  canvas.addEventListener("pointermove", ({ offsetX: x, offsetY: y, pointerType }) => {
    if (v.drag) drag(v, v.drag, x, y);
    else if (pointerType === "mouse") point(v, under(v, x, y));
  });
  canvas.addEventListener("pointerup", ({ offsetX: x, offsetY: y }) => {
    const { drag: dragged, pressed } = release();
    if (dragged?.moved) return drop(v, dragged.step);
    if (!pressed || Math.hypot(x - pressed.x, y - pressed.y) > 2 * FAR) return v.paint();
    tell(v, pressed.at);
    tapped(v, pressed.at);
  });
  canvas.addEventListener("pointercancel", () => {
    release();
    v.paint();
  });
  canvas.addEventListener("pointerleave", () => !v.drag && point(v, NOWHERE));
  canvas.addEventListener("blur", () => {
    v.cursor = null;
    v.paint();
  });
  canvas.addEventListener("keydown", (event) => {
    if (typed(v, event)) event.preventDefault();
  });
}

/** @param {View} v @param {Hover} at */
function point(v, at) {
  const { step, token } = v.hover ?? NOWHERE;
  if (at.step === step && at.token === token) return;
  tell(v, at);
  v.hover = v.held === null ? at : { step: null, token: at.step === null ? at.token : null };
  v.paint();
}

/** Tell the page which tokens are pointed at. @param {View} v @param {Hover} at */
function tell({ joined }, { step, token }) {
  lightUp([...(step === null ? [] : [joined.target.spot(step)]), ...(token === null ? [] : [joined.source.spot(token)])]);
}

/**
 * @param {View} v
 * @param {import("./types").Drag} from
 * @param {number} x
 * @param {number} y
 */
function drag(v, from, x, y) {
  if (!from.moved && Math.hypot(x - from.x, y - from.y) < FAR) return;
  const place = tokenAt(v.plan, x, y, 40); // the word need not be hit
  v.held = from.step;
  v.drag = { step: from.step, x, y, moved: true };
  v.hover = { step: null, token: place?.side === "source" ? place.index : null };
  v.paint();
}

/** @param {View} v @param {number} step */
function drop(v, step) {
  const { token } = v.hover ?? NOWHERE;
  v.held = null;
  if (token === null) v.paint();
  else pin(v, step, token);
}

/**
 * A key: arrows walk along the rows and between them, Enter chooses, Escape lets go. Returns whether it meant something.
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function typed(v, event) {
  const { plan, header } = v;
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const cursor = v.cursor ?? { side: /** @type {Side} */ ("target"), index: 0 };
  if (!way) return chosen(v, event, cursor);
  const [along, across] = plan.upright ? [way[1], way[0]] : way;
  const side = across ? /** @type {Side} */ (across < 0 ? "source" : "target") : cursor.side;
  let index = cursor.index + (v.cursor ? along : 0);
  if (side !== cursor.side) {
    if (v.held !== null) return true;
    const distances = plan[side].map((slot) => Math.abs(slot.at - plan[cursor.side][cursor.index].at));
    index = distances.indexOf(Math.min(...distances));
  }
  Object.assign(v, { cursor: { side, index: Math.max(0, Math.min(header[side].length - 1, index)) }, hover: null });
  v.paint();
  return true;
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 * @param {import("./types").Place} cursor
 */
function chosen(v, event, { side, index }) {
  if (event.key === "Enter" || event.key === " ") {
    if (v.held !== null && side === "source") pin(v, v.held, index);
    else if (side === "target") Object.assign(v, { held: index, cursor: { side: "source", index: heaviest(v, index) } });
  } else if (event.key === "Escape") v.held = null;
  else if ((event.key === "Delete" || event.key === "Backspace") && side === "target") pin(v, index, null);
  else if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey)) undo(v);
  else return false;
  v.paint();
  return true;
}

/** The source token that a step reads most. @param {View} v @param {number} step */
function heaviest({ header, arrays }, step) {
  const S = header.source.length;
  const row = arrays.weights.subarray(step * S, (step + 1) * S);
  return row.indexOf(Math.max(...row));
}
