// @ts-check
// A doubly stochastic matrix as a weighted sum of permutations, as tlmviz.analysis.streams.birkhoff does it. Free of the DOM.

import { sums } from "#canvas/matrix.js";

/** @typedef {{ weight: number, columns: number[] }} Term `columns[i]`: the column of row i in the permutation */

const SMALLEST = 1e-12;

/**
 * Terms, largest weights first, and the residual; null unless sums are 1 within `tolerance` and no entry is negative.
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 * @param {number} tolerance
 */
export function birkhoff(matrix, n, tolerance) {
  const rest = Float64Array.from(matrix);
  const { rows, columns } = sums(rest, n);
  const close = (/** @type {number} */ x) => Math.abs(x - 1) <= tolerance; // false for NaN
  if (![...rows, ...columns].every(close) || rest.some((x) => x < 0)) return null;
  /** @type {Term[]} */
  const terms = [];
  for (let left = (n - 1) ** 2 + 1; left > 0; left--) {
    const permutation = widest(rest, n);
    const weight = Math.min(...permutation.map((j, i) => rest[i * n + j]));
    if (weight <= SMALLEST) break;
    permutation.forEach((j, i) => (rest[i * n + j] -= weight));
    terms.push({ weight, columns: permutation });
  }
  return { terms, residual: Math.max(...rest.map(Math.abs)) };
}

/**
 * The column of each row in a permutation whose smallest entry is as large as possible.
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 */
function widest(matrix, n) {
  const steps = [...new Set(Array.from(matrix))].sort((a, b) => a - b);
  let low = 0;
  let high = steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (matching(matrix, n, steps[middle])) low = middle;
    else high = middle - 1;
  }
  return matching(matrix, n, steps[low]);
}

/**
 * A column for every row, none twice, among entries of at least `least`; null where there is no such choice.
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 * @param {number} least
 */
function matching(matrix, n, least) {
  const rowOf = new Array(n).fill(-1);
  const place = (/** @type {number} */ row, /** @type {Set<number>} */ seen) => {
    for (let col = 0; col < n; col++) {
      if (matrix[row * n + col] < least || seen.has(col)) continue;
      seen.add(col);
      if (rowOf[col] < 0 || place(rowOf[col], seen)) {
        rowOf[col] = row;
        return true;
      }
    }
    return false;
  };
  for (let row = 0; row < n; row++) if (!place(row, new Set())) return null;
  return rowOf.map((_, row) => rowOf.indexOf(row));
}
