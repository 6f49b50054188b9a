// @ts-check
// Pointer and keys on the panels: what lies under the pointer, what a click or an arrow key chooses, the tooltip.

import { digits } from "#canvas/text.js";
import { distances, matrixAt } from "./measures.js";
import { tokenName } from "./numbers.js";
import { act, send } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").CellPlan} CellPlan */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").PanelName} PanelName */

/**
 * The row and column of an N x N map under a point; null outside.
 * @param {View} v
 * @param {CellPlan} plan
 * @param {number} px
 * @param {number} py
 */
function entryUnder(v, { x, y, cell }, px, py) {
  const [row, col] = [Math.floor((py - y) / cell), Math.floor((px - x) / cell)];
  return row >= 0 && col >= 0 && row < v.N && col < v.N ? { row, col } : null;
}

/**
 * What a click at a point of a panel would choose.
 * @type {Record<string, (v: View, px: number, py: number) => Partial<State> | null>}
 */
const UNDER = {
  maps(v, px, py) {
    const { x, y, width, height, columns } = v.plans.maps;
    const [col, row] = [Math.floor((px - x) / width), Math.floor((py - y) / height)];
    const sublayer = row * columns + col;
    return row >= 0 && col >= 0 && col < columns && sublayer < v.P ? { sublayer } : null;
  },
  matrix: (v, px, py) => entryUnder(v, v.plans.matrix, px, py),
  spread: (v, px, py) => entryUnder(v, v.plans.spread, px, py),
  course(v, px) {
    const { x, width } = v.plans.course;
    return { token: Math.max(0, Math.min(v.T - 1, Math.round(((px - x) / width) * (v.T - 1)))) };
  },
};

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/**
 * What an arrow key on a panel chooses.
 * @param {View} v
 * @param {string} name
 * @param {number[]} step
 */
function stepped(v, name, [down, right]) {
  const { state } = v;
  const keep = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, value));
  if (name === "maps") return { sublayer: keep(state.sublayer + right + down * v.plans.maps.columns, v.P) };
  if (name === "course") return { token: keep(state.token + right - down, v.T) };
  return { row: keep(state.row + down, v.N), col: keep(state.col + right, v.N) };
}

/** @param {View} v */
export function wire(v) {
  for (const name of Object.keys(UNDER)) {
    const canvas = v.els[/** @type {PanelName} */ (name)];
    const under = (/** @type {PointerEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return UNDER[name](v, event.clientX - box.x, event.clientY - box.y);
    };
    const change = (/** @type {PointerEvent} */ event) => {
      const place = under(event);
      if (place && Object.entries(place).some(([key, value]) => v.state[/** @type {keyof State} */ (key)] !== value)) act(v, place);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (name === "course" && event.pointerType === "mouse") v.dragging = true; // drag along the text
      change(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (name === "course" && v.dragging) change(event);
      const place = under(event);
      canvas.style.cursor = place ? "pointer" : "default";
      if (place) showTip(v, event, tip(v, name, place));
      else v.els.tip.hidden = true;
    });
    canvas.addEventListener("pointerleave", () => (v.els.tip.hidden = true));
    canvas.addEventListener("keydown", (event) => {
      const step = KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act(v, stepped(v, name, step));
    });
  }
  const drop = () => {
    if (!v.dragging) return;
    v.dragging = false;
    send(v);
  };
  // A click elsewhere on the page may leave this view: the state is sent before.
  const leaving = (/** @type {Event} */ event) => {
    if (!event.composedPath().includes(v.root)) send(v);
  };
  v.outside = { pointerup: drop, pointercancel: drop, pointerdown: leaving };
  for (const [type, listener] of Object.entries(v.outside)) document.addEventListener(type, listener, true);
}

/**
 * @param {View} v
 * @param {string} name
 * @param {any} place
 */
function tip(v, name, place) {
  const { N, header, state } = v;
  if (name === "maps") {
    const far = distances(matrixAt(v, "res", place.sublayer), N);
    return `${header.names[place.sublayer]}: ‖H − I‖F ${digits(far.fromIdentity, 3)}, ‖H − 1/N‖F ${digits(far.fromMean, 3)}`;
  }
  if (name === "course") {
    const value = matrixAt(v, "res", state.sublayer, place.token)[state.row * N + state.col];
    return `${tokenName(v, place.token)}: ${digits(value, 6)}`;
  }
  const k = place.row * N + place.col;
  return TEXTS.streamIntoStream2(place.col, place.row, digits(v.result.matrix[k], 7), digits(v.result.mean[k], 4), digits(v.result.spread[k], 2));
}

/**
 * @param {View} v
 * @param {PointerEvent} event
 * @param {string} text
 */
function showTip(v, event, text) {
  const { tip: box } = v.els;
  box.textContent = text;
  box.hidden = false;
  const frame = v.root.getBoundingClientRect();
  const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
  box.style.left = `${Math.max(2, Math.min(x + 14, frame.width - box.offsetWidth - 2))}px`;
  box.style.top = `${y + 16}px`;
}
