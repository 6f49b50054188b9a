// @ts-check
// Pointer and keys: cells, patches and heads are chosen on canvases.

import { make } from "#canvas/dom.js";
import { headPlaces, PATCHES } from "./maps.js";
import { show } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

/**
 * Pointer and keys of a picture that is divided into side * side places.
 * @param {HTMLCanvasElement} canvas
 * @param {number} side
 * @param {() => number} now the chosen place, below 0 for none
 * @param {(place: number) => void} onChoose
 * @param {(key: string) => boolean} [onKey]
 */
export function wirePlaces(canvas, side, now, onChoose, onKey = () => false) {
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    const at = (/** @type {number} */ share) => Math.max(0, Math.min(side - 1, Math.floor(share * side)));
    onChoose(at((event.clientY - box.y) / box.height) * side + at((event.clientX - box.x) / box.width));
  });
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (way) {
      const from = Math.max(0, now());
      const clipped = (/** @type {number} */ at) => Math.max(0, Math.min(side - 1, at));
      onChoose(clipped(Math.floor(from / side) + way[0]) * side + clipped((from % side) + way[1]));
    } else if (!onKey(event.key)) return;
    event.preventDefault();
  });
}

/**
 * @param {View} v
 * @param {string} testid
 */
export function patchCanvas(v, testid) {
  const canvas = make("canvas", { role: "application", tabIndex: 0, testid });
  wirePlaces(canvas, PATCHES, () => v.shown.patch - 1, (patch) => show(v, { patch: v.shown.patch === patch + 1 ? 0 : patch + 1 }),
    (key) => key === "Escape" && (show(v, { patch: 0 }), true));
  return canvas;
}

/**
 * @param {View} v
 * @param {string} testid
 * @param {"asks" | "turned"} side
 * @param {"head" | "turnedHead"} key
 */
export function headCanvas(v, testid, side, key) {
  const canvas = make("canvas", { role: "application", tabIndex: 0, testid, "aria-label": TEXTS.meanHeadSmall });
  const count = () => v[side].layers * v[side].heads;
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    const { places, size } = headPlaces(count(), box.width);
    const [x, y] = [event.clientX - box.x, event.clientY - box.y];
    const hit = places.findIndex((place) => x >= place.x && x < place.x + size && y >= place.y - 14 && y < place.y + size);
    if (hit >= 0) show(v, { [key]: hit });
  });
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way) return;
    show(v, { [key]: Math.max(0, Math.min(count(), v.shown[key] + way)) });
    event.preventDefault();
  });
  return canvas;
}
