// @ts-check
// How matrices are written.

import { digits, minus, scientific } from "#canvas/text.js";
import { textWidth } from "#canvas/theme.js";

/** Three decimals, two digits below 0.01, and a power of ten below 0.0001. @param {number} value */
export function small(value) {
  if (value >= 0.01 || !(value > 0)) return value ? value.toFixed(3) : "0";
  if (value >= 1e-4) return String(Number(value.toPrecision(2)));
  return scientific(value, 2);
}

/**
 * The entries in as many digits as all of them fit with into `width` pixels; nothing where none fit.
 * @param {import("#canvas/theme.js").Theme} theme @param {ArrayLike<number>} matrix @param {number} width @param {number} size
 */
export function cellTexts(theme, matrix, width, size) {
  for (const [places, leading] of /** @type {[number, string][]} */ ([[3, "$10."], [3, "$1."], [2, "$1."]])) {
    const write = (/** @type {number} */ x) => minus(Number(x.toFixed(places)) === 0 ? x.toFixed(places).replace("-", "") : x.toFixed(places)).replace(
      /^(−?)0\./, leading);
    const texts = Array.from(matrix, (x) => (Number.isFinite(x) ? write(x) : ""));
    if (texts.every((text) => textWidth(theme, text, size) <= width - 3)) return texts;
  }
  return Array.from(matrix, () => "");
}

/** A text in lines that are no wider than `width` pixels. @param {import("#canvas/theme.js").Theme} theme @param {string} text @param {number} width
 * @param {number} size */
export function wrapped(theme, text, width, size) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (textWidth(theme, longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Two places, or three where those would be zeros. @param {number} value */
export const weight = (value) => fixed(value, value && Math.abs(value) < 0.005 ? 3 : 2);

/** @param {number} value */
export const fixed = (value, places = 4) => (Number.isFinite(value) ? minus(value.toFixed(places)) : "–");

/** Three digits, for the ends of an axis. @param {number} value */
export const tick = (value) => (value !== 0 && Math.abs(value) < 1e-3 ? minus(String(Number(value.toPrecision(1)))) : digits(value, 3));
