// @ts-check
// What is computed of the matrices of one token. Free of the DOM.

/** @typedef {import("./types").Slices} Slices */
/** @typedef {{ from: number, to: number, value: number }} Band */

/**
 * The bands of every sublayer, from stream to stream, and what each stream holds at every place: [P + 1][N].
 * Carried, a stream begins with 1 and a band is the entry of H_res times what its stream holds: the coefficient of the
 * embedding, exactly. Else a band is the entry alone, and each place holds the sums of the rows that lead to it.
 * @param {Slices} slices
 * @param {boolean} carried
 */
export function bandsOf({ N, P, res }, carried) {
  /** @type {Band[][]} */
  const bands = [];
  let held = new Float64Array(N).fill(1);
  const places = [held];
  for (let p = 0; p < P; p++) {
    const next = new Float64Array(N);
    /** @type {Band[]} */
    const own = [];
    for (let to = 0; to < N; to++) {
      for (let from = 0; from < N; from++) {
        const value = res[(p * N + to) * N + from] * (carried ? held[from] : 1);
        next[to] += value;
        own.push({ from, to, value });
      }
    }
    bands.push(own);
    places.push((held = next));
  }
  return { bands, places };
}

/**
 * The largest number, in absolute value, that any stream holds or any band carries; at least 1.
 * @param {ReturnType<typeof bandsOf>} flow
 */
export function largestOf({ bands, places }) {
  let most = 1;
  for (const place of places) for (const x of place) if (Number.isFinite(x)) most = Math.max(most, Math.abs(x));
  for (const own of bands) for (const { value } of own) if (Number.isFinite(value)) most = Math.max(most, Math.abs(value));
  return most;
}

/**
 * How far H_res is from the identity at most, over all sublayers.
 * @param {Slices} slices
 */
export function furthestFromIdentity({ N, res }) {
  let most = 0;
  for (let k = 0; k < res.length; k++) {
    const entry = k % (N * N);
    most = Math.max(most, Math.abs(res[k] - (entry % (N + 1) === 0 ? 1 : 0)));
  }
  return most;
}
