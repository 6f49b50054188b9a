// @ts-check
// What is computed of a matrix: distances, eigenvalues as the server sends them, and the permutations that it averages. No DOM.

import { sums } from "#canvas/matrix.js";

/** @typedef {[re: number, im: number]} Root */
/** @typedef {{ weight: number, columns: number[] }} Term `columns[i]`: the column of row i in the permutation */

const SMALLEST = 1e-12;

/** @param {number} k @param {number} n */
const onDiagonal = (k, n) => (k % (n + 1) === 0 ? 1 : 0);

/** The entries as the colours show them: H, or H − I. @param {ArrayLike<number>} matrix @param {number} n @param {string} colors */
export const coloured = (matrix, n, colors) => (colors === "change" ? Float64Array.from(matrix, (x, k) => x - onDiagonal(k, n)) : matrix);

/** Frobenius distances from the identity and from the matrix of nothing but 1/n. @param {ArrayLike<number>} matrix @param {number} n */
export function distances(matrix, n) {
  const from = (/** @type {(k: number) => number} */ origin) => Math.sqrt(Array.from(matrix).reduce((sum, x, k) => sum + (x - origin(k)) ** 2, 0));
  return { fromIdentity: from((k) => onDiagonal(k, n)), fromMean: from(() => 1 / n) };
}

/**
 * The n eigenvalues of one matrix, largest magnitude first. A real one is one of the `values`; a conjugate pair is two,
 * its real part and the size of its imaginary part, marked in `pairs`.
 * @param {ArrayLike<number>} values @param {ArrayLike<number>} pairs
 */
export function unpackRoots(values, pairs) {
  /** @type {Root[]} */
  const roots = [];
  for (let k = 0; k < values.length; k++) {
    if (!pairs[k]) roots.push([values[k], 0]);
    else roots.push([values[k], values[k + 1]], [values[k], -values[++k]]);
  }
  return roots;
}

/**
 * A doubly stochastic matrix as tlmviz.analysis.streams.birkhoff takes it apart: terms, largest weights first, and the
 * residual; null unless sums are 1 within `tolerance` and no entry is negative.
 * @param {ArrayLike<number>} matrix @param {number} n @param {number} tolerance
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

/** The column of each row in a permutation whose smallest entry is as large as possible. @param {Float64Array} matrix @param {number} n */
function widest(matrix, n) {
  const steps = [...new Set(matrix)].sort((a, b) => a - b);
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (matching(matrix, n, steps[middle])) low = middle;
    else high = middle - 1;
  }
  return matching(matrix, n, steps[low]);
}

/** A column for every row, none twice, among entries of at least `least`; null where there is no such choice. @param {Float64Array} matrix @param {number} n
 * @param {number} least */
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
