// @ts-check
// Pairs of a sliding window, counted. Free of the DOM.

/** @typedef {import("./types").Text} Text */
/** @typedef {import("./types").Counted} Counted */

/**
 * The context words of a center, as [step, distance] from left to right; both are numbers of kept words.
 * @param {Text} text
 * @param {number} step
 * @returns {[number, number][]}
 */
export function contextOf({ places, window }, step) {
  /** @type {[number, number][]} */
  const found = [];
  for (let other = Math.max(0, step - window); other <= Math.min(places.length - 1, step + window); other++) {
    if (other !== step) found.push([other, Math.abs(other - step)]);
  }
  return found;
}

/**
 * What all windows up to `step` have counted. A pair goes into its center's row and its context word's column.
 * @param {Text} text
 * @param {number} step
 * @param {Int32Array} rowOf the row of each word of the vocabulary, -1 for words without one
 * @param {number} rows
 * @returns {Counted}
 */
export function countUpTo(text, step, rowOf, rows) {
  const columns = rowOf.length;
  const counts = new Float64Array(rows * columns);
  let pairs = 0;
  for (let center = 0; center <= step; center++) {
    const row = rowOf[text.ids[text.places[center]]];
    for (const [other, distance] of contextOf(text, center)) {
      pairs += 1;
      if (row >= 0) counts[row * columns + text.ids[text.places[other]]] += text.byDistance ? 1 / distance : 1;
    }
  }
  return { counts, columns, pairs };
}

/**
 * The rows most like one row by cosine, over all columns, as [row, cosine]; rows that have nothing in common are left out.
 * @param {Counted} counted
 * @param {number} row
 * @param {number} most
 * @returns {[number, number][]}
 */
export function mostAlike({ counts, columns }, row, most) {
  const rows = counts.length / columns;
  const lengths = Array.from({ length: rows }, (_, i) => Math.hypot(...counts.subarray(i * columns, (i + 1) * columns)));
  /** @type {[number, number][]} */
  const found = [];
  for (let other = 0; other < rows; other++) {
    if (other === row || !lengths[row] || !lengths[other]) continue;
    let product = 0;
    for (let k = 0; k < columns; k++) product += counts[row * columns + k] * counts[other * columns + k];
    if (product > 0) found.push([other, product / lengths[row] / lengths[other]]);
  }
  return found.sort((a, b) => b[1] - a[1]).slice(0, most);
}
