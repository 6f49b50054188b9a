// @ts-check
// What is computed of the payload: slices, ends of the scales, one sublayer over all tokens, and the matrix looked at.

import { singularValues, sums } from "#canvas/matrix.js";
import { birkhoff } from "./birkhoff.js";
import { unpackRoots } from "./roots.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Root} Root */

/**
 * H_res [N * N], H_pre [N] or H_post [N] of a sublayer at a token.
 * @param {View} v
 * @param {"pre" | "post" | "res"} name
 */
export function matrixAt(v, name, sublayer = v.state.sublayer, token = v.state.token) {
  const size = name === "res" ? v.N * v.N : v.N;
  const start = (sublayer * v.T + token) * size;
  return v.arrays[name].subarray(start, start + size);
}

/**
 * The eigenvalues of H_res of a sublayer at a token.
 * @param {View} v
 */
function rootsAt(v, sublayer = v.state.sublayer, token = v.state.token) {
  const start = (sublayer * v.T + token) * v.N;
  return unpackRoots(v.arrays.roots.subarray(start, start + v.N), v.arrays.pairs.subarray(start, start + v.N));
}

/**
 * The ends of all scales, from the whole text, so that pictures of its tokens can be compared.
 * @param {View} v
 */
export function measure(v) {
  const { N, arrays } = v;
  const larger = (/** @type {number} */ most, /** @type {number} */ x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most);
  const largest = (/** @type {Float32Array} */ values) => values.reduce(larger, 0) || 1;
  let change = 0;
  let sum = 1;
  for (let start = 0; start < arrays.res.length; start += N * N) {
    const matrix = arrays.res.subarray(start, start + N * N);
    for (let k = 0; k < N * N; k++) change = larger(change, matrix[k] - (k % (N + 1) === 0 ? 1 : 0));
    const { rows, columns } = sums(matrix, N);
    for (let i = 0; i < N; i++) sum = larger(larger(sum, rows[i]), columns[i]);
  }
  v.ranges = { value: largest(arrays.res), change: change || 1, pre: largest(arrays.pre), post: largest(arrays.post), sum };
  v.sublayers = new Map();
}

/**
 * One sublayer over all tokens: mean and standard deviation of every entry, and all eigenvalues.
 * @param {View} v
 * @param {number} sublayer
 */
function overTokens(v, sublayer) {
  const cached = v.sublayers.get(sublayer);
  if (cached) return cached;
  const { N, T } = v;
  const [mean, variance] = [new Float64Array(N * N), new Float64Array(N * N)];
  /** @type {Root[]} */
  const allRoots = [];
  for (let t = 0; t < T; t++) {
    const matrix = matrixAt(v, "res", sublayer, t);
    for (let k = 0; k < N * N; k++) mean[k] += matrix[k] / T;
    allRoots.push(...rootsAt(v, sublayer, t));
  }
  for (let t = 0; t < T; t++) {
    const matrix = matrixAt(v, "res", sublayer, t);
    for (let k = 0; k < N * N; k++) variance[k] += (matrix[k] - mean[k]) ** 2 / T;
  }
  const measured = { mean, spread: variance.map(Math.sqrt), allRoots };
  v.sublayers.set(sublayer, measured);
  return measured;
}

/**
 * Everything that is computed of the matrix looked at.
 * @param {View} v
 */
export function analyse(v) {
  const { N } = v;
  const matrix = matrixAt(v, "res");
  return {
    matrix,
    ...sums(matrix, N),
    ...distances(matrix, N),
    roots: rootsAt(v),
    singular: singularValues(matrix, N),
    parts: v.header.kind === "hyper" ? null : birkhoff(matrix, N, v.header.tolerance),
    ...overTokens(v, v.state.sublayer),
  };
}

/**
 * The entries as the colours show them: H, or H − I.
 * @param {View} v
 * @param {ArrayLike<number>} matrix
 */
export function coloured(v, matrix) {
  if (v.state.colors !== "change") return matrix;
  return Float64Array.from(matrix, (x, k) => x - (k % (v.N + 1) === 0 ? 1 : 0));
}

/**
 * Frobenius distances from the identity and from the matrix of nothing but 1/n.
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 */
export function distances(matrix, n) {
  let identity = 0;
  let mean = 0;
  for (let k = 0; k < n * n; k++) {
    identity += (matrix[k] - (k % (n + 1) === 0 ? 1 : 0)) ** 2;
    mean += (matrix[k] - 1 / n) ** 2;
  }
  return { fromIdentity: Math.sqrt(identity), fromMean: Math.sqrt(mean) };
}
