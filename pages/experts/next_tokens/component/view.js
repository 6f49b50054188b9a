// @ts-check
// What is predicted ahead of a position of a text, or what each pass of the model writes; walked by pointer and keys.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { drawChain } from "./chains.js";
import { drawRounds } from "./rounds.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 300; // milliseconds until what is looked at is sent

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header } = decode(bytes);
  const about = (/** @type {any} */ h) => h && JSON.stringify([h.kind, h.tokens, h.rounds.length]);
  if (about(header) !== about(v.header)) Object.assign(v, { at: header.at, hover: null });
  v.header = header;
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function count(v) {
  return v.header.kind === "chains" ? v.header.chains.length : v.header.rounds.length;
}

/** @param {View} v */
function paint(v) {
  if (!v.header) return;
  const at = Math.max(1, Math.min(v.hover ?? v.at, count(v)));
  const focus = /** @type {HTMLElement | null} */ (/** @type {ShadowRoot} */ (v.root.getRootNode()).activeElement)?.dataset?.testid;
  const parts = v.header.kind === "chains" ? drawChain(v, at - 1) : drawRounds(v, at - 1);
  v.root.className = `ahead ${v.header.kind}`;
  v.root.replaceChildren(...parts);
  v.root.dataset.at = String(at);
  if (focus) /** @type {HTMLElement | null} */ (v.root.querySelector(`[data-testid="${focus}"]`))?.focus({ preventScroll: true });
}

/**
 * @param {View} v
 * @param {number} at from 1
 */
export function choose(v, at) {
  v.at = Math.max(1, Math.min(at, count(v)));
  v.hover = null;
  paint(v);
  v.sendSoon();
}

/**
 * The position under an event, from 1; null elsewhere.
 * @param {Event} event
 */
function placeOf(event) {
  const place = Number(/** @type {HTMLElement} */ (event.target).dataset?.place ?? 0);
  return place > 0 ? place : null;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ at: 1, hover: null });
  v.sendSoon = debounce(() => v.component.setStateValue(v.header.kind === "chains" ? "place" : "step", v.at), DELAY);
  v.root = make("div", { className: "ahead", testid: "ahead-root" });
  const look = (/** @type {number | null} */ place) => {
    if (place === v.hover) return;
    v.hover = place;
    paint(v);
  };
  v.root.addEventListener("pointerover", (event) => look(placeOf(event)));
  v.root.addEventListener("pointerleave", () => look(null));
  v.root.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place !== null) choose(v, place);
  });
  v.root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || v.header.kind !== "chains") return;
    event.preventDefault();
    choose(v, v.at + step);
  });
  host.append(v.root);
  addMenu(v, TEXTS.severalTokensPredicted, true);
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
}

export default mounted({ create, receive, leave });
