// @ts-check
// An axis of a live view that is walked and played: a slider, a play button, keys.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go } from "#canvas/live.js";

/** @typedef {import("#canvas/live.js").View} View */
/**
 * An axis from 0 to `end`, walked in steps of `step`. `read` gives the place on it, `write` what is another place's change;
 * `says` reads it; playing it whole takes `lasts` milliseconds.
 * @typedef {{ end: () => number, step: () => number, read: () => number, write: (at: number) => Record<string, any>, says: () => string, label: string,
 *   lasts: () => number }} Axis
 */

/** @param {View} v */
export function pause(v) {
  cancelAnimationFrame(v.frame);
  v.frame = 0;
}

/**
 * Where a view is on its axis: between two steps while it plays.
 * @param {View} v
 * @param {Axis} axis
 */
export function placeOn(v, axis) {
  const walked = v.walking === axis.label ? v.walked : null; // of several axes one is played
  return Math.max(0, Math.min(walked ?? axis.read(), axis.end()));
}

/**
 * @param {View} v
 * @param {Axis} axis
 * @param {number} at
 */
export function walk(v, axis, at) {
  pause(v);
  v.walked = null;
  const step = axis.step();
  go(v, axis.write(Math.max(0, Math.min(step * Math.round(at / step), axis.end()))));
}

/**
 * @param {View} v
 * @param {Axis} axis
 */
export function play(v, axis) {
  if (v.frame && v.walking === axis.label) return walk(v, axis, placeOn(v, axis));
  pause(v);
  Object.assign(v, { walking: axis.label, walked: null });
  v.sendSoon.cancel();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches; // then it goes from step to step
  const from = placeOn(v, axis) >= axis.end() ? 0 : placeOn(v, axis);
  const since = performance.now();
  const tick = (/** @type {number} */ now) => {
    const at = from + (Math.max(0, now - since) / axis.lasts()) * axis.end();
    if (at >= axis.end()) return walk(v, axis, axis.end());
    const step = Math.max(axis.step(), axis.end() / 20);
    v.walked = still ? step * Math.floor(at / step) : at;
    v.paint();
    v.frame = requestAnimationFrame(tick);
  };
  v.frame = requestAnimationFrame(tick);
}

/**
 * The controls of an axis: play, slider, reading. `repaint` brings them up to date; `listen` lets keys on an element walk it.
 * @param {View} v
 * @param {Axis} axis
 */
export function makeAxis(v, axis) {
  const toggle = makeButton("▶", _("Play or pause"), () => play(v, axis));
  toggle.dataset.pressed = ""; // no part of a saved picture
  const slider = make("input", { type: "range", min: 0, "aria-label": axis.label, testid: "axis" });
  slider.addEventListener("input", () => walk(v, axis, Number(slider.value)));
  const reading = make("output");
  const listen = (/** @type {HTMLElement} */ element) => element.addEventListener("keydown", (event) => {
    const [at, step] = [placeOn(v, axis), axis.step()];
    const to = { ArrowLeft: at - step, ArrowRight: at + step, Home: 0, End: axis.end() }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (to === undefined && event.key !== " ")) return;
    event.preventDefault();
    if (to === undefined) play(v, axis);
    else walk(v, axis, to);
  });
  const repaint = () => {
    Object.assign(slider, { max: axis.end(), step: axis.step(), value: placeOn(v, axis) });
    reading.textContent = axis.says();
    slider.setAttribute("aria-valuetext", axis.says());
    const plays = v.frame && v.walking === axis.label;
    toggle.textContent = plays ? "❚❚" : "▶";
    toggle.setAttribute("aria-label", plays ? _("Pause") : _("Play"));
    v.root.dataset.playing = String(Boolean(v.frame));
  };
  return { parts: [toggle, make("label", { className: "slider" }, slider, reading)], repaint, listen };
}
