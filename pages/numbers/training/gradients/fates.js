// @ts-check
// What becomes of gradients times 2^k, from counts of their exponents, as tlmviz.analysis.numbers.loss_scaling in Python. Free of the DOM.

/** @typedef {import("./types").Sizes} Sizes */
/** @typedef {import("./types").Limits} Limits */
/** @typedef {"lost" | "subnormal" | "normal" | "overflow"} Fate */

/** @type {Fate[]} */
export const FATES = ["lost", "subnormal", "normal", "overflow"];

/**
 * The fate of numbers of an exponent, in one column of the counts.
 * @param {Limits} at
 * @param {number} exponent
 * @param {number} column
 * @returns {Fate}
 */
export function fateOf(at, exponent, column) {
  if (exponent < at.lost || (exponent === at.lost && column === 0)) return "lost";
  if (exponent > at.top || (exponent === at.top && column >= at.top_bin)) return "overflow";
  return exponent > at.normal || (exponent === at.normal && column >= at.normal_bin) ? "normal" : "subnormal";
}

/**
 * How many numbers have each fate, and in all; what is infinite or NaN already overflows at every scale.
 * @param {Sizes} sizes
 * @param {Limits} at
 * @param {number} k
 */
export function fatesAt(sizes, at, k) {
  const found = { lost: 0, subnormal: 0, normal: 0, overflow: sizes.broken, total: sizes.broken };
  const { counts, columns, lowest } = sizes;
  for (let i = 0; i < counts.length; i++) {
    if (!counts[i]) continue;
    found[fateOf(at, lowest + Math.floor(i / columns) + k, i % columns)] += counts[i];
    found.total += counts[i];
  }
  return found;
}

/**
 * Of each exponent, how many numbers have which fate: the bars of the histogram, from the lowest exponent on.
 * @param {Sizes} sizes
 * @param {Limits} at
 * @param {number} k
 */
export function barsAt({ counts, columns, lowest }, at, k) {
  return Array.from({ length: counts.length / columns }, (_, row) => {
    const bar = { exponent: lowest + row + k, lost: 0, subnormal: 0, normal: 0, overflow: 0 };
    for (let column = 0; column < columns; column++) bar[fateOf(at, bar.exponent, column)] += counts[row * columns + column];
    return bar;
  });
}

/**
 * The numbers of several tensors.
 * @param {Sizes[]} parts
 * @returns {Sizes}
 */
export function together(parts) {
  const { columns } = parts[0];
  const lowest = Math.min(...parts.map((part) => part.lowest));
  const end = Math.max(...parts.map((part) => part.lowest + part.counts.length / columns));
  const counts = new Float64Array((end - lowest) * columns);
  for (const part of parts) {
    const start = (part.lowest - lowest) * columns;
    for (let i = 0; i < part.counts.length; i++) counts[start + i] += part.counts[i];
  }
  return { lowest, columns, counts, zeros: sum(parts, "zeros"), broken: sum(parts, "broken") };
}

/**
 * @param {Sizes[]} parts
 * @param {"zeros" | "broken"} of
 */
function sum(parts, of) {
  return parts.reduce((total, part) => total + part[of], 0);
}

/**
 * The least and the largest k of these at which nothing overflows and at most this share is lost; null where there is none.
 * @param {Sizes} sizes
 * @param {Limits} at
 * @param {number[]} scales
 * @param {number} mostLost
 * @returns {[number, number] | null}
 */
export function safeScales(sizes, at, scales, mostLost) {
  const good = scales.filter((k) => {
    const { lost, overflow, total } = fatesAt(sizes, at, k);
    return overflow === 0 && lost <= mostLost * total;
  });
  return good.length ? [good[0], good[good.length - 1]] : null;
}
