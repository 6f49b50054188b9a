// @ts-check
// What one scale for a whole matrix makes of its numbers, measured on a sample. Free of the DOM.

import { roundTo } from "#canvas/bits.js";

/** @typedef {import("#canvas/bits.js").Format} Format */
/** @typedef {import("./types").Outcome} Outcome */
/** @typedef {import("./types").Curve} Curve */
/** @typedef {{ values: ArrayLike<number>, tail: number, weight: number, scale: number }} Sample the first `tail` stand for themselves */

const STEPS = 4; // of the curve, for each doubling

/**
 * Multiply by S, cut to the format's largest, round, and divide again.
 * @param {Format} format
 * @param {number} value
 * @param {number} scale S
 */
export function roundScaled(format, value, scale) {
  const inside = Math.max(-format.largest, Math.min(format.largest, value * scale));
  return roundTo(format, inside) / scale;
}

/**
 * @param {Format} format
 * @param {Sample} sample
 * @param {number} factor doublings from the scale that cuts nothing
 * @returns {Outcome}
 */
export function outcome(format, sample, factor) {
  const scale = sample.scale * 2 ** factor;
  const limit = (format.largest / scale) * (1 + 1e-6); // the largest number itself is rounded, not cut
  let [signal, noise, cut, lost, count] = [0, 0, 0, 0, 0];
  for (let i = 0; i < sample.values.length; i++) {
    const value = sample.values[i];
    const weight = i < sample.tail ? 1 : sample.weight;
    const kept = roundScaled(format, value, scale);
    signal += weight * value * value;
    noise += weight * (kept - value) ** 2;
    if (Math.abs(value) > limit) cut += weight;
    if (kept === 0 && value !== 0) lost += weight;
    count += weight;
  }
  return { sqnr: 10 * Math.log10(signal / noise), cut: cut / count, lost: lost / count };
}

/**
 * @param {Format} format
 * @param {Sample} sample
 * @param {[number, number]} range doublings of the slider
 * @returns {Curve}
 */
export function curveOf(format, sample, [least, most]) {
  const doublings = Array.from({ length: (most - least) * STEPS + 1 }, (_step, i) => least + i / STEPS);
  const sqnr = doublings.map((factor) => outcome(format, sample, factor).sqnr);
  const best = sqnr.reduce((found, value, i) => (value > sqnr[found] + 1e-9 ? i : found), 0);
  return { doublings, sqnr, best };
}

/**
 * Shares of a sample's numbers by size: bins of a quarter of a doubling, the last of which ends at the largest.
 * @param {Sample} sample
 * @param {number} bins
 */
export function bySize(sample, bins) {
  let largest = 0;
  for (let i = 0; i < sample.values.length; i++) largest = Math.max(largest, Math.abs(sample.values[i]));
  const top = Math.log2(largest || 1);
  const shares = new Float64Array(bins);
  let count = 0;
  for (let i = 0; i < sample.values.length; i++) {
    const weight = i < sample.tail ? 1 : sample.weight;
    count += weight;
    if (sample.values[i] === 0) continue;
    const bin = bins - 1 - Math.floor((top - Math.log2(Math.abs(sample.values[i]))) * 4);
    shares[Math.max(0, Math.min(bins - 1, bin))] += weight;
  }
  for (let i = 0; i < bins; i++) shares[i] /= count;
  return { top, shares };
}
