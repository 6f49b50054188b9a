// @ts-check
// Dropout's masks, thrown by a seed, and what their mean is off by. Free of the DOM.

import { dice } from "#canvas/dice.js";

const APART = 100003; // between the seeds of masks of one throw and the next

/**
 * The numbers with one mask over them: kept with probability q = 1 - p, and divided by q where `scaled`.
 * @param {ArrayLike<number>} x
 * @param {number} p
 * @param {number} seed
 * @param {number} index of the mask, from 0
 * @param {boolean} scaled
 * @returns {Float64Array}
 */
export function dropped(x, p, seed, index, scaled) {
  const next = dice(seed * APART + index);
  const by = scaled ? 1 / (1 - p) : 1;
  return Float64Array.from(x, (value) => (next() >= p ? value * by : 0));
}

/**
 * The mean of `count` masks, and the root mean square of what the mean of the first n is off by, at some n up to `count`.
 * @param {ArrayLike<number>} x
 * @param {number} p
 * @param {number} seed
 * @param {number} count
 * @param {boolean} scaled
 * @returns {{ mean: Float64Array, errors: { n: number, error: number }[] }}
 */
export function meanOf(x, p, seed, count, scaled) {
  const sum = new Float64Array(x.length);
  const errors = [];
  let wanted = 1;
  for (let n = 1; n <= count; n++) {
    const one = dropped(x, p, seed, n - 1, scaled);
    for (let at = 0; at < sum.length; at++) sum[at] += one[at];
    if (n === count || n >= wanted) {
      errors.push({ n, error: rms(sum, (value, at) => value / n - x[at]) });
      wanted = Math.max(n + 1, n * 1.25);
    }
  }
  return { mean: sum.map((value) => value / count), errors };
}

/**
 * What the mean of n masks should be off by: RMS(X) √(p / (q n)); without 1/q also by p X, which no mean takes away.
 * @param {number} size RMS(X)
 * @param {number} p
 * @param {number} n
 * @param {boolean} scaled
 */
export function expected(size, p, n, scaled) {
  const q = 1 - p;
  return size * (scaled ? Math.sqrt(p / (q * n)) : Math.sqrt((p * q) / n + p * p));
}

/**
 * @param {ArrayLike<number>} x
 * @param {(value: number, at: number) => number} [of]
 */
export function rms(x, of = (value) => value) {
  let total = 0;
  for (let at = 0; at < x.length; at++) total += of(x[at], at) ** 2;
  return Math.sqrt(total / Math.max(1, x.length));
}
