// @ts-check
// Which numbers are shown, and how they are written.

import { minus, named } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Member} Member */
/** @typedef {import("./types").Slices} Slices */
/** @typedef {import("./types").View} View */

/**
 * The models that are drawn.
 * @param {View} v
 */
export function shownMembers(v) {
  const { members } = v.header;
  const chosen = members.filter(({ kind }) => kind === v.state.show);
  return chosen.length ? chosen : members;
}

/**
 * One model's matrices of all sublayers at the chosen token.
 * @param {View} v
 * @param {Member} member
 * @returns {Slices}
 */
export function slicesOf(v, { kind, streams: N }) {
  const token = v.state.token - v.header.first;
  const take = (/** @type {string} */ name, /** @type {number} */ size) => {
    const all = v.arrays[`${name}.${kind}`];
    const own = new Float32Array(v.P * size);
    for (let p = 0; p < v.P; p++) own.set(all.subarray((p * v.T + token) * size, (p * v.T + token + 1) * size), p * size);
    return own;
  };
  return { N, P: v.P, pre: take("pre", N), post: take("post", N), res: take("res", N * N) };
}

/**
 * A coefficient in about three digits.
 * @param {number} value
 */
export function times(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return minus(size >= 1e4 ? value.toExponential(1) : size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : size < 0.01 && size > 0 ? value.toFixed(4) : value.toFixed(2));
}

/**
 * The chosen token, counted from the text's first one, not the window's.
 * @param {View} v
 */
export function tokenName(v) {
  return named(v.header.tokens, v.state.token - v.header.first).replace(/^\d+/, String(v.state.token));
}

/**
 * One sublayer of one model in a sentence.
 * @param {View} v
 * @param {Member} member
 * @param {number} sublayer
 */
export function sublayerSentence(v, member, sublayer) {
  const { N, pre, post } = slicesOf(v, member);
  const list = (/** @type {Float32Array} */ all) => Array.from(all.subarray(sublayer * N, (sublayer + 1) * N), times).join(", ");
  return TEXTS.readsStreamsWrites(member.title, v.header.names[sublayer], list(pre), list(post));
}
