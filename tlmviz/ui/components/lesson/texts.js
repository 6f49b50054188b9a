// @ts-check
// How wide a text is, its bold words, and what a link does.

import { make } from "#canvas/dom.js";
import { hiddenContext } from "#canvas/theme.js";
import { follow } from "./progress.js";

const STORY = 'Charter, Georgia, "Iowan Old Style", "DejaVu Serif", serif'; // as --story in view.css

/** @param {string} text @param {number} size @param {boolean} [story] */
export function ruler(text, size, story) {
  const context = hiddenContext();
  context.font = `${size}px ${story ? STORY : "system-ui, sans-serif"}`;
  return context.measureText(text).width;
}

/** A sentence whose **words** between stars are bold. @param {string} text */
export const rich = (text) => text.split("**").map((part, n) => (n % 2 ? make("b", { textContent: part }) : part));

/** @param {Event} event @param {string} to */
export function lead(event, to) {
  event.preventDefault();
  follow(to);
}
