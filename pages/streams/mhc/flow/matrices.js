// @ts-check
// What is computed of the matrices of one token. Free of the DOM.

import { minus, scientific } from "#canvas/text.js";

/** One model's matrices at one token. @typedef {{ N: number, P: number, pre: Float32Array, post: Float32Array, res: Float32Array }} Slices */
/** @typedef {{ from: number, to: number, value: number }} Band */

/**
 * The bands of every sublayer, from stream to stream, and what each stream holds at every place: [P + 1][N].
 * Carried, a stream begins with 1 and a band is the entry of H_res times what its stream holds: the coefficient of the
 * embedding, exactly. Else a band is the entry alone, and each place holds the sums of the rows that lead to it.
 * @param {Slices} slices
 * @param {boolean} carried
 */
export function bandsOf({ N, P, res }, carried) {
  let held = new Float64Array(N).fill(1);
  const places = [held];
  const bands = Array.from({ length: P }, (_, p) => {
    const next = new Float64Array(N);
    const own = Array.from({ length: N * N }, (__, k) => {
      const [to, from] = [Math.floor(k / N), k % N];
      const value = res[p * N * N + k] * (carried ? held[from] : 1);
      next[to] += value;
      return { from, to, value };
    });
    places.push((held = next));
    return own;
  });
  return { bands, places };
}

/** The largest size that any stream holds or any band carries; at least 1. @param {ReturnType<typeof bandsOf>} flow */
export function largestOf({ bands, places }) {
  const larger = (/** @type {number} */ most, /** @type {number} */ x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most);
  const most = places.reduce((found, place) => place.reduce(larger, found), 1);
  return bands.reduce((found, own) => own.reduce((size, { value }) => larger(size, value), found), most);
}

/** How far H_res is from the identity at most, over all sublayers. @param {Slices} slices */
export const furthestFromIdentity = ({ N, res }) =>
  res.reduce((most, x, k) => Math.max(most, Math.abs(x - (k % (N * N) % (N + 1) === 0 ? 1 : 0))), 0);

/** A coefficient in about three digits. @param {number} value */
export function times(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return size >= 1e4 ? scientific(value, 2) : minus(size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : size < 0.01 && size > 0
    ? value.toFixed(4) : value.toFixed(2));
}
