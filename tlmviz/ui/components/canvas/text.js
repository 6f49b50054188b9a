// @ts-check
// How tokens and numbers are written. Free of the DOM.

const segmenter = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter() : null;

const SPACE = "␣";
const MOST_SPACES = 6;

/**
 * A token on one line, as `figures.readable` in Python: line ends, tabs and lone spaces as signs, nothing unprintable.
 * @param {string} token
 * @param {boolean} [spaced] with the space before a word, which nearly every word has
 * @returns {string}
 */
export function visible(token, spaced = false) {
  if (token === "<|endoftext|>") return "⟨start⟩";
  if (token === "") return "∅";
  if (/^ +$/.test(token)) return SPACE.repeat(Math.min(token.length, MOST_SPACES));
  const line = token.replace(/\r\n|\r|\n/g, "⏎").replace(/\t/g, "⇥");
  const plain = line.replace(/(?![ \u200c\u200d])[\p{C}\p{Z}]/gu, "\ufffd").replace(/ +$/, (end) => SPACE.repeat(end.length));
  const word = plain.replace(/^ +/, "");
  // Spaces before a line end or a tab are no word's: they tell one such token from another.
  return spaced || /^[⏎⇥]/.test(word) ? SPACE.repeat(Math.min(plain.length - word.length, MOST_SPACES)) + word : word;
}

/** @type {WeakMap<string[], string[]>} */
const texts = new WeakMap();

/**
 * The tokens of one text, as `figures.readable_all` in Python: where two that differ would read the same, each shows the space
 * before it. The same array gives the same answer.
 * @param {string[]} tokens
 * @returns {string[]}
 */
export function visibleAll(tokens) {
  let all = texts.get(tokens);
  if (!all) {
    const plain = tokens.map((token) => visible(token));
    /** @type {Map<string, Set<string>>} */
    const kinds = new Map();
    plain.forEach((text, i) => kinds.set(text, (kinds.get(text) ?? new Set()).add(tokens[i])));
    texts.set(tokens, (all = plain.map((text, i) => (kinds.get(text).size > 1 ? visible(tokens[i], true) : text))));
  }
  return all;
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
 * `11 · cat`; the isolates keep right-to-left tokens from reordering their surroundings.
 * @param {string[]} tokens
 * @param {number} i
 * @returns {string}
 */
export function named(tokens, i) {
  return `${i} · \u2068${clip(visibleAll(tokens)[i], 18)}\u2069`;
}

/**
 * `count` significant digits; with a power of ten below 1e-4 and from 1e6 on.
 * @param {number | null | undefined} value
 * @param {number} [count]
 * @returns {string}
 */
export function digits(value, count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e6)) return scientific(value, count);
  return minus(value.toPrecision(count));
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

/**
 * A number with its power of ten: −1.45·10⁻⁸.
 * @param {number} value
 * @param {number} count significant digits
 * @returns {string}
 */
export function scientific(value, count) {
  const [head, exponent] = value.toExponential(count - 1).split("e");
  return `${minus(head)}·${power(Number(exponent))}`;
}

/**
 * A power of ten: 10⁻³.
 * @param {number} exponent
 * @returns {string}
 */
export function power(exponent) {
  return `10${String(exponent).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(d)])}`;
}
