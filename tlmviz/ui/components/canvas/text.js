// @ts-check
// How tokens and numbers are written. Free of the DOM.

const segmenter = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter() : null;

/**
 * A token on one line, without control characters and characters that override the direction of text.
 * @param {string} token
 * @returns {string}
 */
export function visible(token) {
  if (token === "<|endoftext|>") return "⟨start⟩";
  if (token === "") return "∅";
  if (/^ +$/.test(token)) return "·".repeat(Math.min(token.length, 6));
  const line = token.replace(/\r?\n|\r/g, "⏎").replace(/\t/g, "⇥");
  const plain = line.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
  return plain.replace(/^ +/, "") || "·";
}

/**
 * At most `limit` user-visible characters, with an ellipsis.
 * @param {string} text
 * @param {number} limit
 * @returns {string}
 */
export function clip(text, limit) {
  if (text.length <= limit) return text;
  const parts = segmenter ? Array.from(segmenter.segment(text), (s) => s.segment) : Array.from(text);
  return parts.length <= limit ? text : parts.slice(0, limit - 1).join("") + "…";
}

/**
 * `"cat" (11)`; the isolates keep right-to-left tokens from reordering their surroundings.
 * @param {string[]} tokens
 * @param {number} i
 * @returns {string}
 */
export function named(tokens, i) {
  return `"\u2068${clip(visible(tokens[i]), 18)}\u2069" (${i})`;
}

/**
 * `count` significant digits; with an exponent below 1e-4 and from 1e6 on.
 * @param {number | null | undefined} value
 * @param {number} [count]
 * @returns {string}
 */
export function digits(value, count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential(count - 1);
  return value.toPrecision(count);
}

/**
 * About three digits, for labels and captions.
 * @param {number | null | undefined} value
 * @returns {string}
 */
export function short(value) {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/**
 * A number's text with a minus sign for the hyphens.
 * @param {string} text
 * @returns {string}
 */
export function minus(text) {
  return text.replaceAll("-", "−");
}
