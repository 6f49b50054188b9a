// @ts-check
// A pad to draw a digit on: a square of pixels of 0 to 16, painted by finger, mouse or keys.

import { debounce, make } from "#canvas/dom.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { inkOn, rgb } from "#canvas/theme.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {ReturnType<typeof makePad>} Pad */

const FULL_INK = 16; // the largest value of a pixel
const PIXEL_LEVELS = "0123456789abcdefg"; // a pixel as a letter, as `tlmviz.digits.written` in Python
const PAD_BRUSH = 1.15; // cells from a stroke's middle to where it ends; the ink fades over the last of them
const KEYS_REST = 500; // milliseconds without a key until what keys painted counts as a stroke

/**
 * Pixels as a text, a letter each.
 * @param {ArrayLike<number>} values
 */
export function writtenPixels(values) {
  return Array.from(values, (value) => PIXEL_LEVELS[value]).join("");
}

/**
 * The pixels of such a text; letters that stand for none are paper.
 * @param {string} text
 */
export function readPixels(text) {
  return Uint8Array.from(text, (letter) => Math.max(0, PIXEL_LEVELS.indexOf(letter)));
}

/**
 * Lay a stroke's piece from (x0, y0) to (x1, y1), in cells, over the pixels: ink is never taken away, or all of it where `erase`.
 * @param {Uint8Array} values changed in place
 * @param {number} side
 * @param {number[]} piece [x0, y0, x1, y1]
 * @param {boolean} [erase]
 */
export function inkStroke(values, side, [x0, y0, x1, y1], erase = false) {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length2 = dx * dx + dy * dy;
  for (let i = 0; i < side * side; i++) {
    const [x, y] = [(i % side) + 0.5 - x0, Math.floor(i / side) + 0.5 - y0];
    const along = length2 ? Math.max(0, Math.min(1, (x * dx + y * dy) / length2)) : 0;
    const distance = Math.hypot(x - along * dx, y - along * dy);
    if (erase && distance < PAD_BRUSH / 2) values[i] = 0;
    else if (!erase) values[i] = Math.max(values[i], Math.round(FULL_INK * Math.max(0, Math.min(1, PAD_BRUSH - distance))));
  }
}

/**
 * A pad of side x side pixels. `drawn` is called with its pixels whenever they change, `finished` once at the end of every stroke
 * (with keys: when they rest). Whoever leaves the view calls `end`.
 * @param {object} parts
 * @param {(values: Uint8Array) => void} parts.drawn
 * @param {(values: Uint8Array) => void} parts.finished
 * @param {number} [parts.side]
 * @param {string} [parts.testid]
 */
export function makePad({ drawn, finished, side = 8, testid = "pad" }) {
  const canvas = make("canvas", { tabIndex: 0, role: "application", testid, className: "pad" });
  canvas.setAttribute("aria-label", _("Pad of {side} by {side} pixels to draw on. Arrow keys move, Space sets or takes away ink, Delete clears.", { side }));
  canvas.style.touchAction = "none"; // a finger draws, and does not scroll
  const pad = { root: canvas, values: new Uint8Array(side * side), erasing: false, cursor: -1, busy: false, fill, clear, paint, end };
  /** @type {number[] | null} */
  let last = null;
  const rest = debounce(() => finish(), KEYS_REST);

  function finish() {
    rest.cancel();
    pad.busy = false;
    finished(pad.values);
  }
  /** @param {ArrayLike<number>} values shown from now on, unless somebody is drawing */
  function fill(values) {
    if (!pad.busy) pad.values = Uint8Array.from(values);
  }
  function clear() {
    pad.values = new Uint8Array(side * side);
    drawn(pad.values);
    finish();
  }
  /**
   * @param {Theme} theme
   * @param {number} size pixels of the screen
   */
  function paint(theme, size) {
    const pen = canvasPen(fit(canvas, size, size), theme);
    const cell = size / side;
    drawPixels(pen, theme, pad.values, side, size);
    for (let i = 1; i < side; i++) {
      pen.line(i * cell, 0, i * cell, size, theme.faint);
      pen.line(0, i * cell, size, i * cell, theme.faint);
    }
    pen.rect(0.5, 0.5, size - 1, size - 1, null, theme.muted);
    if (pad.cursor >= 0) pen.rect((pad.cursor % side) * cell + 1, Math.floor(pad.cursor / side) * cell + 1, cell - 2, cell - 2, null, theme.primary,
      { width: 2 });
  }
  function end() {
    rest.cancel();
  }
  const place = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return [((event.clientX - box.x) / box.width) * side, ((event.clientY - box.y) / box.height) * side];
  };
  const draw = (/** @type {number[]} */ to) => {
    inkStroke(pad.values, side, [...(last ?? to), ...to], pad.erasing);
    last = to;
    drawn(pad.values);
  };
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    Object.assign(pad, { busy: true, cursor: -1, values: pad.values.slice() });
    last = null;
    draw(place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    if (last) draw(place(event));
  });
  const lift = () => {
    if (last) finish();
    last = null;
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("keydown", (event) => {
    if (typedOnPad(pad, side, event.key)) rest();
    else if (event.key === "Delete" || event.key === "Backspace") clear();
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    drawn(pad.values);
  });
  canvas.addEventListener("blur", () => {
    pad.cursor = -1;
    drawn(pad.values);
  });
  return pad;
}

/**
 * A key: arrows move the cursor, Space and Enter set its pixel or take its ink away. Returns whether pixels have changed.
 * @param {{ cursor: number, values: Uint8Array, busy: boolean }} pad
 * @param {number} side
 * @param {string} key
 */
function typedOnPad(pad, side, key) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const clipped = (/** @type {number} */ at) => Math.max(0, Math.min(side - 1, at));
  if (way) {
    const from = pad.cursor < 0 ? Math.floor(side / 2) * side + Math.floor(side / 2) : pad.cursor;
    pad.cursor = pad.cursor < 0 ? from : clipped(Math.floor(from / side) + way[1]) * side + clipped((from % side) + way[0]);
  } else if ((key === " " || key === "Enter") && pad.cursor >= 0) {
    pad.values = pad.values.slice();
    pad.values[pad.cursor] = pad.values[pad.cursor] ? 0 : FULL_INK;
    pad.busy = true;
    return true;
  }
  return false;
}

/**
 * Draw pixels as ink on paper: dark on a light theme, light on a dark one.
 * @param {import("#canvas/pens.js").Pen} pen
 * @param {Theme} theme
 * @param {ArrayLike<number>} values 0 to 16
 * @param {number} side
 * @param {number} size pixels of the screen
 */
export function drawPixels(pen, theme, values, side, size) {
  const cell = size / side;
  const ink = inkOn(rgb(theme.background));
  pen.rect(0, 0, size, size, theme.background);
  for (let i = 0; i < side * side; i++) {
    if (values[i]) pen.rect((i % side) * cell, Math.floor(i / side) * cell, cell, cell, ink, null, { alpha: values[i] / FULL_INK });
  }
}
