// @ts-check
// One query and one key of a head, turned by RoPE at every step of the slider, as data.py and view.py make them. Free of the DOM.

import { BadConfig } from "#browser/errors.js";
import { placeOfLargest } from "#browser/tags.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";

/** @typedef {import("#browser/language_model.js").Trace} Trace */
/** @typedef {import("./drawing.js").Header} Header */
/** @typedef {import("./drawing.js").Moves} Moves */
/** @typedef {{ head: [number, number], pair: [number, number], moves: Moves, stride: number,
 * base: number | null }} Choice `pair` are positions of query and key; base null is the model's own */

const REACH = 32; // steps to each side of the true positions, at most
const LEAST = 6;
const DRAWN = 640; // planes times steps to one side

/**
 * The base of a model's RoPE.
 * @param {{ layers: { rope_base: number }[] }} config
 */
export const ownBase = (config) => config.layers[0].rope_base;

/**
 * The base that a choice asks for.
 * @param {number | null} base
 * @param {number} own
 * @throws BadConfig where it makes no angles
 */
export function checkedBase(base, own) {
  if (base === null) return own;
  if (Number.isFinite(base) && base > 1) return base;
  throw new BadConfig(_("The base is {base}; give a number above 1, such as 10000: at 1 every plane turns equally fast, at 0 or below there is no angle.",
    { base }));
}

/**
 * Positions of query and key: those that are pinned where the text has them, else the last token and the key that it weighs most.
 * @param {Trace} trace
 * @param {[number, number]} head
 * @param {{ query: number | null, key: number | null }} pinned
 * @returns {[query: number, key: number]}
 */
export function pairOf(trace, [layer, head], pinned) {
  const { length } = trace.ids;
  const there = pinned.query !== null && pinned.query < length;
  const query = there ? pinned.query : length - 1;
  if (there && pinned.key !== null && pinned.key <= query) return [query, pinned.key];
  const row = trace.attended(layer).weights(head, trace.kept[layer], query, query + 1);
  return [query, placeOfLargest(row)];
}

/**
 * A vector turned by a position, pairs of neighbours as planes.
 * @param {ArrayLike<number>} x [D]
 * @param {number[]} speeds radians per token [P]
 * @param {number} position
 */
function turned(x, speeds, position) {
  return speeds.flatMap((speed, j) => {
    const [c, s] = [Math.cos(position * speed), Math.sin(position * speed)];
    return [x[2 * j] * c - x[2 * j + 1] * s, x[2 * j] * s + x[2 * j + 1] * c];
  });
}

/**
 * The picture's header and arrays.
 * @param {Trace} trace
 * @param {Choice} chosen
 */
export function clocksOf(trace, { head: [layer, head], pair, moves, stride, base }) {
  const { attention: { head_dim: dim, n_heads: heads, n_kv_heads: groups } } = trace.network.config;
  const own = ownBase(trace.network.config);
  const speedsOf = (/** @type {number} */ theta) => Array.from({ length: dim / 2 }, (_plane, j) => theta ** ((-2 * j) / dim));
  const { q, k } = trace.kept[layer];
  const row = (/** @type {Float32Array} */ all, /** @type {number} */ index, /** @type {number} */ position) =>
    turned(all.subarray((index * trace.ids.length + position) * dim, (index * trace.ids.length + position + 1) * dim), speedsOf(own), -position);
  const vectors = [row(q, head, pair[0]), row(k, Math.floor((head * groups) / heads), pair[1])]; // before RoPE
  const moving = [moves !== "key", moves !== "query"];
  const reach = Math.max(LEAST, Math.min(REACH, Math.floor((2 * DRAWN) / dim)));
  const home = Math.min(reach, Math.floor(Math.min(...pair.filter((_at, i) => moving[i])) / stride));
  const speeds = speedsOf(checkedBase(base, own));
  const positions = Array.from({ length: home + reach + 1 },
    (_step, i) => /** @type {[number, number]} */ (pair.map((at, which) => (moving[which] ? at + stride * (i - home) : at))));
  const [query, key] = vectors.map((vector, which) => Float32Array.from(positions.flatMap((at) => turned(vector, speeds, at[which]))));
  const { scale } = trace.attended(layer).scores;
  const parts = Float32Array.from({ length: query.length / 2 }, (_part, i) => (query[2 * i] * key[2 * i] + query[2 * i + 1] * key[2 * i + 1]) * scale);
  const [queryNamed, keyNamed] = pair.map((at) => `${at} · ${visible(trace.tokens[at])}`);
  /** @type {Header} */
  const header = { title: _("L{layer}H{head}: query {query}, key {key}", { layer, head, query: queryNamed, key: keyNamed }), moves, home, positions, speeds };
  return { header, arrays: { q: query, k: key, parts } };
}
