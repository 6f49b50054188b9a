// @ts-check
// A layer's bill, as tlmviz/analysis/cost/layer.py counts it. Free of the DOM.

import { _, ngettext } from "#canvas/language.js";

/** @typedef {import("./view.js").Sizes} Sizes */
/** @typedef {import("./view.js").Line} Line */

export const PARTS = /** @type {const} */ (["projections", "scores", "softmax", "sum", "output", "ffn"]);
export const SOFTMAX = 5; // operations of a cell: compare, subtract, exp, add, divide

/** @param {Sizes} s */
export function headWidth(s) {
  return s.head || s.d / s.h;
}

/**
 * Every part: multiplications in products, operations of the softmax, weights, numbers written, cells of maps.
 * @param {Sizes} s
 * @returns {Record<typeof PARTS[number], Line>}
 */
export function billOf(s) {
  const width = headWidth(s);
  const rows = s.batch * s.n;
  const [every, shared] = [s.h * width, s.g * width];
  const cells = s.batch * s.h * s.n * s.n;
  const making = s.d * (every + 2 * shared);
  const dense = (s.gated ? 3 : 2) * s.d * s.f;
  const inner = (s.gated ? 4 : 2) * s.f;
  const line = (multiplications = 0, softmax = 0, weights = 0, written = 0, maps = 0) =>
    ({ multiplications, softmax, weights, written, maps, operations: 2 * multiplications + softmax });
  return {
    projections: line(rows * making, 0, making, rows * (every + 2 * shared)),
    scores: line(cells * width, 0, 0, 0, cells),
    softmax: line(0, SOFTMAX * cells, 0, 0, cells),
    sum: line(cells * width, 0, 0, rows * every),
    output: line(rows * every * s.d, 0, every * s.d, rows * s.d),
    ffn: line(rows * dense, 0, dense, rows * (inner + s.d)),
  };
}

/**
 * The same layer with one head as wide as all of its heads together.
 * @param {Sizes} s
 * @returns {Sizes}
 */
export function oneHead(s) {
  return { ...s, h: 1, g: 1, head: s.h * headWidth(s) };
}

/**
 * Operations of the layer, and bytes of its weights, of its activations and of one map for every head.
 * @param {Sizes} s
 */
export function totalsOf(s) {
  const lines = Object.values(billOf(s));
  const sum = (/** @type {"operations" | "weights" | "written"} */ key) => lines.reduce((all, line) => all + line[key], 0);
  return { operations: sum("operations"), weights: s.bytes * sum("weights"), written: s.bytes * sum("written"), maps: s.bytes * s.batch * s.h * s.n * s.n };
}

/**
 * The n from which scores and weighted sums take more products than the attention's four matrices, than all matrices, and
 * from which there are more cells of maps than weights.
 * @param {Sizes} s
 */
export function crossingsOf(s) {
  const lines = billOf(s);
  const quadratic = 2 * s.h * headWidth(s);
  const attention = lines.projections.weights + lines.output.weights;
  const every = attention + lines.ffn.weights;
  return { projections: attention / quadratic, weights: every / quadratic, maps: Math.sqrt(every / (s.batch * s.h)) };
}

/**
 * What is counted when so many queries of one text see so many keys: tokens read, pairs of query and key, or operations.
 * @param {Sizes} s
 * @param {number} queries
 * @param {number} keys
 * @param {string} counted
 */
export function takenBy(s, queries, keys, counted) {
  if (counted === "tokens") return queries;
  if (counted === "cells") return queries * keys;
  const weights = Object.values(billOf(s)).reduce((all, line) => all + line.weights, 0);
  return 2 * queries * weights + queries * keys * (4 * s.h * headWidth(s) + SOFTMAX * s.h);
}

/** @param {number} number @param {number} most */
export function largestDivisor(number, most) {
  let each = Math.min(most, number);
  while (number % each) each -= 1;
  return each;
}

/** @param {number} number */
export function divisorsOf(number) {
  const found = [];
  for (let i = 1; i * i <= number; i++) {
    if (number % i) continue;
    found.push(i);
    if (i * i !== number) found.push(number / i);
  }
  return found.sort((a, b) => a - b);
}

/**
 * Sizes that fit together, near those given, and a sentence on what was changed; empty where nothing was.
 * @param {Sizes} s
 * @returns {{ sizes: Sizes, said: string }}
 */
export function fitted(s) {
  const sizes = { ...s };
  let said = "";
  if (!sizes.head && sizes.d % sizes.h) {
    sizes.h = largestDivisor(sizes.d, sizes.h);
    said = _("{h} heads cannot share {d} numbers evenly: {fits} can.", { h: s.h, d: s.d, fits: sizes.h });
    if (s.g === s.h) said += _(" There are as many key/value heads.");
  }
  if (sizes.h % sizes.g) {
    sizes.g = s.g === s.h ? sizes.h : largestDivisor(sizes.h, sizes.g);
    if (s.g !== s.h) said += (said ? " " : "") + ngettext(
      "{n} query head cannot share {g} key/value heads evenly: {fits} can.", "{n} query heads cannot share {g} key/value heads evenly: {fits} can.", sizes.h,
      { g: s.g, fits: sizes.g });
  }
  return { sizes, said };
}
