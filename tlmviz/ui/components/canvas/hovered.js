// @ts-check
// The tokens that are pointed at, for all views of a page: what is pointed at in one lights up in the others.

import { visible } from "#canvas/text.js";

const HOVERED = "tlmviz:hovered";
export const ANY = ""; // the text of a token that may be of any text: charts do not say whose tokens their axes show

/**
 * A token by its place and how it reads: so views of one text find each other's tokens, and those of other texts stay dark.
 * `text` tells texts of one page apart, such as a sentence and its translation.
 * @typedef {{ text: string, index: number, word: string }} Spot
 * @typedef {Window & { tlmvizHovered?: Spot[] }} HoverPage
 */

/** @returns {Spot[]} */
export function hoveredSpots() {
  return /** @type {HoverPage} */ (window).tlmvizHovered ?? [];
}

/**
 * Tell all views what is pointed at now, if that has changed.
 * @param {Spot[]} spots
 */
export function lightUp(spots) {
  if (JSON.stringify(spots) === JSON.stringify(hoveredSpots())) return;
  /** @type {HoverPage} */ (window).tlmvizHovered = spots;
  window.dispatchEvent(new Event(HOVERED));
}

/**
 * Call `action` after changes, at most once a frame. Returns what ends that.
 * @param {() => void} action
 */
export function onHovered(action) {
  let frame = 0;
  const soon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      action();
    });
  };
  window.addEventListener(HOVERED, soon);
  return () => {
    window.removeEventListener(HOVERED, soon);
    cancelAnimationFrame(frame);
  };
}

/**
 * Which of these tokens are pointed at, as indices from 0; `first` is the place of the first of them in its text.
 * @param {string[]} tokens
 * @param {string} [text]
 * @param {number} [first]
 */
export function litAmong(tokens, text = "text", first = 0) {
  const fits = (/** @type {Spot} */ spot) => (spot.text === text || spot.text === ANY) && tokens[spot.index - first] !== undefined
    && visible(tokens[spot.index - first]) === spot.word;
  return [...new Set(hoveredSpots().filter(fits).map(({ index }) => index - first))];
}

/**
 * Tie the tokens of a view to those of the others. `light` is called with the indices of those that are pointed at, when they change.
 * @param {object} parts
 * @param {() => string[]} parts.tokens
 * @param {(indices: number[]) => void} parts.light
 * @param {string} [parts.text]
 * @param {() => number} [parts.first]
 */
export function joinHover({ tokens, light, text = "text", first = () => 0 }) {
  let shown = "";
  const look = () => {
    const indices = litAmong(tokens(), text, first());
    if (indices.join() === shown) return;
    shown = indices.join();
    light(indices);
  };
  const spot = (/** @type {number} */ index) => ({ text, index: index + first(), word: visible(tokens()[index]) });
  const stop = onHovered(look);
  return {
    spot,
    /** @param {number[]} indices none: the pointer has left */
    point: (...indices) => lightUp([...new Set(indices)].filter((index) => tokens()[index] !== undefined).map(spot)),
    look,
    end: stop,
  };
}

/** @typedef {ReturnType<typeof joinHover>} Joined */

/**
 * Spans of tokens, with `data-index`, in an element: those pointed at anywhere have the class "lit".
 * @param {HTMLElement} root
 * @param {() => string[]} tokens
 * @param {() => number} [first]
 */
export function joinSpans(root, tokens, first) {
  /** @type {Element[]} */
  let lit = [];
  const light = (/** @type {number[]} */ indices) => {
    for (const span of lit) span.classList.remove("lit");
    lit = indices.flatMap((index) => Array.from(root.querySelectorAll(`[data-index="${index}"]`)));
    for (const span of lit) span.classList.add("lit");
  };
  const joined = joinHover({ tokens, light, first });
  const point = (/** @type {Event} */ { target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) joined.point(Number(index));
    else joined.point();
  };
  root.addEventListener("pointerover", point);
  root.addEventListener("click", point); // a finger leaves before it clicks
  root.addEventListener("pointerleave", () => joined.point());
  return joined;
}
