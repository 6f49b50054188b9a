// @ts-check
// Tokens as chips in lines, as they stand in the text.

import { make } from "#canvas/dom.js";
import { scientific, visible } from "#canvas/text.js";

/**
 * A chip for each token; the space before it stays outside of it.
 * @param {HTMLElement} text
 * @param {string[]} tokens
 * @param {boolean} [buttons] whether they are to be pressed
 * @returns {HTMLElement[]}
 */
export function layChips(text, tokens, buttons = false) {
  const chips = tokens.map((token, place) => {
    const chip = make(buttons ? "button" : "span", { className: "chip", textContent: visible(token.trim() || token) });
    chip.dataset.place = String(place);
    return chip;
  });
  text.replaceChildren(...chips.flatMap((chip, place) => (
    place && (/^\s/.test(tokens[place]) || /^\[/.test(tokens[place]) || /^\[/.test(tokens[place - 1])) ? [" ", chip] : [chip])));
  return chips;
}

/**
 * The colours of two things that are told apart, for what the style sheet fills.
 * @param {HTMLElement} root
 * @param {import("#canvas/theme.js").Theme} theme
 */
export function colorParts(root, theme) {
  root.style.setProperty("--one", theme.heads[0]);
  root.style.setProperty("--other", theme.heads[1]);
}

/**
 * The number in a data attribute of what an event happened to; null where there is none.
 * @param {Event} event
 * @param {string} name
 */
export function numberAt(event, name) {
  const value = /** @type {HTMLElement} */ (event.target).dataset?.[name];
  return value === undefined ? null : Number(value);
}

/**
 * A probability: three places, or what is left of it.
 * @param {number} p
 */
export function chance(p) {
  return p && p < 0.0005 ? scientific(p, 2) : p.toFixed(3);
}
