// @ts-check
// Pointer and keys: which sublayer lies under the pointer, what a click or a key chooses, the tooltip.

import { shownMembers, sublayerSentence } from "./numbers.js";
import { act, play, send } from "./view.js";

/** @typedef {import("./types").View} View */

/**
 * The model and the sublayer under a point of the canvas; null where there is none.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function under(v, x, y) {
  for (const { kind, box, upright, start, step } of v.plans) {
    if (x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height) continue;
    const sublayer = Math.floor(((upright ? y : x) - start) / step);
    if (sublayer >= 0 && sublayer < v.P) return { kind, sublayer };
  }
  return null;
}

/**
 * @param {View} v
 * @param {string} key
 */
function keyed(v, key) {
  const { sublayer, token } = v.state;
  const last = v.header.first + v.T - 1;
  return {
    ArrowLeft: { sublayer: Math.max(0, sublayer - 1) },
    ArrowRight: { sublayer: Math.min(v.P - 1, sublayer + 1) },
    ArrowUp: { token: Math.max(v.header.first, token - 1) },
    ArrowDown: { token: Math.min(last, token + 1) },
    Home: { sublayer: 0 },
    End: { sublayer: v.P - 1 },
  }[key];
}

/** @param {View} v */
export function wire(v) {
  const { canvas, sentence, tip } = v.els;
  const found = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect();
    return under(v, event.clientX - box.x, event.clientY - box.y);
  };
  const words = (/** @type {{ kind: string, sublayer: number }} */ place) => {
    const member = shownMembers(v).find(({ kind }) => kind === place.kind);
    return sublayerSentence(v, member, place.sublayer);
  };
  canvas.addEventListener("click", (event) => {
    const place = found(/** @type {PointerEvent} */ (event));
    if (!place) return;
    play(v, false);
    act(v, { sublayer: place.sublayer });
    sentence.textContent = words(place);
  });
  canvas.addEventListener("pointermove", (event) => {
    const place = event.pointerType === "mouse" ? found(event) : null;
    canvas.style.cursor = place ? "pointer" : "";
    tip.hidden = !place;
    if (!place) return;
    tip.textContent = words(place);
    const frame = v.root.getBoundingClientRect();
    tip.style.left = `${Math.max(2, Math.min(event.clientX - frame.left + 14, frame.width - tip.offsetWidth - 2))}px`;
    tip.style.top = `${event.clientY - frame.top + 16}px`;
  });
  canvas.addEventListener("pointerleave", () => (tip.hidden = true));
  canvas.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const change = keyed(v, event.key);
    if (!change && event.key !== " ") return;
    event.preventDefault();
    if (change) act(v, change);
    else play(v, !v.playing);
  });
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
