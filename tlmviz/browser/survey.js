// @ts-check
// All heads of a trace at a glance: their statistics, and a small picture of each map (trace.head_statistics, encode_overview).

import { padded } from "./memory.js";

/** @typedef {import("./language_model.js").Trace} Trace */

const OVERVIEW_CELLS = 640_000; // of all pictures together

/**
 * A query's weights: the map [T * T] that they are a row of, the keys that follow an earlier token like the query's, and of the
 * row the sums of p ln p and p (i - j), and the largest p.
 * @typedef {{ map: Float32Array, length: number, repeats: number[], logs: number, distances: number, most: number }} Row
 */

/** What is averaged over queries; null where a query has no such thing. @type {Record<string, (row: Row, i: number) => number | null>} */
const MEASURES = {
  entropy: ({ logs }) => -logs / Math.LN2,
  previous: ({ map, length }, i) => (i ? map[i * length + i - 1] : 0),
  induction: ({ map, length, repeats }, i) => (repeats.length ? repeats.reduce((sum, j) => sum + map[i * length + j], 0) : null),
  sink: ({ map, length }, i) => map[i * length],
  distance: ({ distances }) => distances,
  peak: ({ most }) => most,
};

/**
 * Statistics of all heads, averaged over queries from the second on ([layers * heads] each; entropy in bits, null where
 * nothing repeats), and their maps pooled to `size` x `size` bytes, round(255 sqrt(p)) of the largest weight p in a bin.
 * @param {Trace} trace
 * @param {number} most cells along a side of a picture
 */
export function surveyOf(trace, most) {
  const { layers, heads, ids: { length } } = trace;
  const count = layers * heads;
  const size = Math.max(1, Math.min(most, length, Math.floor(Math.sqrt(OVERVIEW_CELLS / count))));
  const overview = new Uint8Array(count * size * size);
  /** @type {Record<string, (number | null)[]>} */
  const stats = Object.fromEntries(Object.keys(MEASURES).map((name) => [name, /** @type {any[]} */ ([])]));
  const [repeats, bins] = [repeatsOf(trace.ids), binsOf(length, size)];
  for (let index = 0; index < count; index++) {
    const map = trace.map(Math.floor(index / heads), index % heads);
    for (const [name, mean] of Object.entries(meansOf(trace, map, repeats))) stats[name].push(mean);
    pool(map, length, overview.subarray(index * size * size, (index + 1) * size * size), bins);
  }
  return { stats, overview, size };
}

/**
 * The head that looks most at the token before, the first of equal ones.
 * @param {Trace} trace
 * @returns {[layer: number, head: number]}
 */
export function previousHead(trace) {
  const { previous } = surveyOf(trace, 1).stats;
  const best = previous.reduce((most, share, i) => (share > previous[most] ? i : most), 0);
  return [Math.floor(best / trace.heads), best % trace.heads];
}

/**
 * For each token the places behind earlier ones like it.
 * @param {number[]} ids
 */
function repeatsOf(ids) {
  /** @type {Map<number, number[]>} */
  const behind = new Map();
  return ids.map((id, i) => {
    const found = behind.get(id) ?? [];
    behind.set(id, [...found, i + 1]);
    return found;
  });
}

/**
 * The mean of each measure over queries from the second on, the first sees only itself; null where no query has a value.
 * @param {Trace} trace
 * @param {Float32Array} map
 * @param {number[][]} repeats
 */
function meansOf({ network: { memory, site }, ids: { length } }, map, repeats) {
  const place = site.scratch("a row of a map", padded(length));
  const out = site.scratch("measures of a row", 4);
  const { numbers, kernels } = memory;
  numbers.fill(0, place, place + padded(length));
  const sums = Object.keys(MEASURES).map((name) => ({ name, sum: 0, count: 0 }));
  for (let i = Math.min(1, length - 1); i < length; i++) {
    numbers.set(map.subarray(i * length, i * length + i + 1), place);
    kernels.measures(place * 4, (i + 4) & ~3, i, out * 4);
    const row = { map, length, repeats: repeats[i], logs: numbers[out], distances: numbers[out + 1], most: numbers[out + 2] };
    for (const own of sums) {
      const value = MEASURES[own.name](row, i);
      if (value === null) continue;
      own.sum += value;
      own.count += 1;
    }
  }
  return Object.fromEntries(sums.map(({ name, sum, count }) => [name, count ? sum / count : null]));
}

/**
 * The first token of each of n bins, and the one behind its last: bins overlap where n does not divide the text.
 * @param {number} length T
 * @param {number} n
 */
export function binsOf(length, n) {
  return Array.from({ length: n }, (_, bin) => ({ first: Math.floor((bin * length) / n), end: Math.ceil(((bin + 1) * length) / n) }));
}

/**
 * @param {Float32Array} map [T * T], of which the past is read
 * @param {number} length T
 * @param {Uint8Array} out [n * n]
 * @param {ReturnType<typeof binsOf>} bins
 */
function pool(map, length, out, bins) {
  bins.forEach((rows, r) => {
    for (let c = 0; c < bins.length && bins[c].first < rows.end; c++) {
      const { first, end } = bins[c];
      let largest = 0;
      for (let i = Math.max(rows.first, first); i < rows.end; i++) {
        const last = i * length + Math.min(i + 1, end);
        for (let at = i * length + first; at < last; at++) if (map[at] > largest) largest = map[at];
      }
      out[r * bins.length + c] = Math.round(255 * Math.sqrt(largest));
    }
  });
}
