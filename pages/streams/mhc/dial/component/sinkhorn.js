// @ts-check
// Sinkhorn-Knopp in double precision on logarithms. Free of the DOM.
// A matrix is a Float64Array of its logarithms, row by row; an entry of 0 is -Infinity.

import { singularValues, sums } from "#canvas/matrix.js";

export const ITERATIONS = 40;
const WORK = 400000; // entries scaled on the way to a limit

/**
 * After every half step: the start, rows scaled, columns scaled, rows scaled, ...: 2 * count + 1 matrices.
 * @param {Float64Array} logits
 * @param {number} n
 */
export function halfSteps(logits, n, count = ITERATIONS) {
  let z = shifted(logits);
  const steps = [z];
  for (let half = 0; half < 2 * count; half++) steps.push((z = scaled(z, n, half % 2)));
  return steps;
}

/**
 * Its largest entry is 1: the kernel begins there too.
 * @param {Float64Array} logits
 */
function shifted(logits) {
  const top = finite(Math.max(...logits));
  return Float64Array.from(logits, (value) => value - top);
}

/**
 * Rows (axis 0) or columns (axis 1) brought to the sum 1; a line of zeros stays.
 * @param {Float64Array} z
 * @param {number} n
 * @param {number} axis
 */
function scaled(z, n, axis) {
  const out = new Float64Array(z.length);
  const [line, along] = axis ? [1, n] : [n, 1];
  for (let i = 0; i < n; i++) {
    let top = -Infinity;
    for (let j = 0; j < n; j++) top = Math.max(top, z[i * line + j * along]);
    top = finite(top);
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.exp(z[i * line + j * along] - top);
    const total = sum === 0 ? 0 : top + Math.log(sum);
    for (let j = 0; j < n; j++) out[i * line + j * along] = z[i * line + j * along] - total;
  }
  return out;
}

/** @param {number} top */
function finite(top) {
  return top === -Infinity ? 0 : top;
}

/** @param {Float64Array} z */
export function entries(z) {
  return Float64Array.from(z, Math.exp);
}

/**
 * Largest distance of a row sum from 1, and of a column sum.
 * @param {Float64Array} m
 * @param {number} n
 */
export function errors(m, n) {
  const { rows, columns } = sums(m, n);
  const worst = (/** @type {Float64Array} */ line) => line.reduce((most, value) => Math.max(most, Math.abs(value - 1)), 0);
  return { rows: worst(rows), columns: worst(columns), both: Math.max(worst(rows), worst(columns)) };
}

/**
 * Where the iterations lead, {m, error}: how far from there they stopped.
 * @param {Float64Array} logits
 * @param {number} n
 */
function limit(logits, n) {
  let z = shifted(logits);
  let error = Infinity;
  for (let k = 0; k < WORK / (n * n) && error > 1e-14; k++) {
    z = scaled(scaled(z, n, 0), n, 1);
    if (k % 8 === 7) error = errors(entries(z), n).both;
  }
  return { m: entries(z), error };
}

/**
 * The square of the limit's first singular value below those that are 1; NaN where the limit is not reached in time.
 * @param {Float64Array} logits
 * @param {number} n
 * @param {number} blocks
 */
export function rateOf(logits, n, blocks) {
  if (n <= blocks) return 0;
  const { m, error } = limit(logits, n);
  return error < 1e-6 ? Math.min(1, singularValues(m, n)[blocks] ** 2) : NaN;
}

/**
 * Largest absolute row sum and column sum of the product of all matrices, after 0, 1, ... iterations on each.
 * @param {Float64Array[]} all
 * @param {number} n
 */
export function depthGains(all, n, count = ITERATIONS) {
  let steps = all.map(shifted);
  /** @type {[forward: number, backward: number][]} */
  const gains = [];
  for (let k = 0; k <= count; k++) {
    if (k) steps = steps.map((z) => scaled(scaled(z, n, 0), n, 1));
    const { rows, columns } = sums(steps.map(entries).reduce((product, m) => times(m, product, n)), n);
    gains.push([Math.max(...rows), Math.max(...columns)]);
  }
  return gains;
}

/**
 * @param {Float64Array} a
 * @param {Float64Array} b
 * @param {number} n
 */
function times(a, b, n) {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return out;
}
