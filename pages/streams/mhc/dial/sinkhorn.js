// @ts-check
// Sinkhorn-Knopp in double precision on logarithms, and how the dial writes numbers. Free of the DOM.
// A matrix is a Float64Array of its logarithms, row by row; an entry of 0 is -Infinity.

import { singularValues, sums } from "#canvas/matrix.js";
import { minus, scientific } from "#canvas/text.js";

export const ITERATIONS = 40;
const WORK = 400000; // entries scaled on the way to a limit
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** After every half step: the start, rows scaled, columns scaled, rows scaled, ...: 2 * count + 1 matrices. @param {Float64Array} logits @param {number} n */
export function halfSteps(logits, n, count = ITERATIONS) {
  const steps = [shifted(logits)];
  for (let half = 0; half < 2 * count; half++) steps.push(scaled(steps[half], n, half % 2));
  return steps;
}

/** Its largest entry is 1: the kernel begins there too. @param {Float64Array} logits */
function shifted(logits) {
  const top = finite(Math.max(...logits));
  return logits.map((value) => value - top);
}

/** Rows (axis 0) or columns (axis 1) brought to the sum 1; a line of zeros stays. @param {Float64Array} z @param {number} n @param {number} axis */
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
const finite = (top) => (top === -Infinity ? 0 : top);

/** @param {Float64Array} z */
export const entries = (z) => z.map(Math.exp);

/** Largest distance of a row sum from 1, and of a column sum. @param {Float64Array} m @param {number} n */
export function errors(m, n) {
  const { rows, columns } = sums(m, n);
  const worst = (/** @type {Float64Array} */ line) => line.reduce((most, value) => Math.max(most, Math.abs(value - 1)), 0);
  return { rows: worst(rows), columns: worst(columns), both: Math.max(worst(rows), worst(columns)) };
}

/** The square of the limit's first singular value below those that are 1; NaN where the limit is not reached in time. @param {Float64Array} logits
 * @param {number} n @param {number} blocks */
export function rateOf(logits, n, blocks) {
  if (n <= blocks) return 0;
  let z = shifted(logits);
  let error = Infinity;
  for (let k = 0; k < WORK / (n * n) && error > 1e-14; k++) {
    z = scaled(scaled(z, n, 0), n, 1);
    if (k % 8 === 7) error = errors(entries(z), n).both;
  }
  return error < 1e-6 ? Math.min(1, singularValues(entries(z), n)[blocks] ** 2) : NaN;
}

/** Largest absolute row sum and column sum of the product of all matrices, after 0, 1, ... iterations on each. @param {Float64Array[]} all @param {number} n */
export function depthGains(all, n, count = ITERATIONS) {
  let steps = all.map(shifted);
  return Array.from({ length: count + 1 }, (_, k) => {
    if (k) steps = steps.map((z) => scaled(scaled(z, n, 0), n, 1));
    const { rows, columns } = sums(steps.map(entries).reduce((product, m) => multiplied(m, product, n)), n);
    return /** @type {[forward: number, backward: number]} */ ([Math.max(...rows), Math.max(...columns)]);
  });
}

/** @param {Float64Array} a @param {Float64Array} b @param {number} n */
const multiplied = (a, b, n) => a.map((_, at) => {
  let sum = 0;
  for (let k = 0; k < n; k++) sum += a[at - (at % n) + k] * b[k * n + (at % n)];
  return sum;
});

/** Typed words as logits; null where the server will say what is wrong. @param {string[][]} words @param {string} kind */
export function logitsOf(words, kind) {
  const values = words.flat().map((word) => {
    const text = word.replace("−", "-").replace("∞", "inf");
    if (/^-inf$/i.test(text) && kind === "logits") return -Infinity;
    const value = NUMBER.test(text) ? Number(text) : NaN;
    return kind === "logits" ? value : value >= 0 ? Math.log(value) : NaN;
  });
  return values.some((value) => Number.isNaN(value) || value === Infinity) ? null : Float64Array.from(values);
}

/** A number with `places` decimals, or with an exponent: 0.031, 12.400, 3.1·10⁻⁹. @param {number} value */
export function decimal(value, places = 3) {
  if (!Number.isFinite(value)) return value === -Infinity ? "−∞" : String(value);
  const size = Math.abs(value);
  const exponential = size !== 0 && (size < 10 ** -places || size >= 1e5);
  return exponential ? scientific(value, 2) : minus(value.toFixed(size >= 100 ? 1 : places));
}

/** A positive number of any size in a few characters: 0.013, 3.1·10⁻⁹. @param {number} value */
export const brief = (value) => (value >= 0.001 && value < 1e4 ? value.toPrecision(3) : scientific(value, 3));
