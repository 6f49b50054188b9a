// @ts-check
// What is to be drawn: the batch before and after a norm, with the action that is chosen done to it. Free of the DOM.

import { dice } from "#canvas/dice.js";
import { drawPictures, picturesAt, picturesLayout } from "./pictures.js";
import { acted, momentsOf, normalise, NORMS, runningAfter } from "./statistics.js";
import { drawTokens, tokensAt, tokensLayout } from "./tokens.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Scene} Scene */

const CLIPPED = 0.02; // share of the values that are beyond the colours
export const DRAW = { tokens: drawTokens, pictures: drawPictures };
export const CELL_AT = { tokens: tokensAt, pictures: picturesAt };

/**
 * The first `count` of `n` numbers in an order that the seed decides; seed 0 leaves them as they are.
 * @param {number} n
 * @param {number} count
 * @param {number} seed
 */
export function drawn(n, count, seed) {
  const order = Array.from({ length: n }, (_item, i) => i);
  if (seed) {
    const next = dice(seed);
    for (let i = 0; i < count; i++) {
      const j = i + Math.floor(next() * (n - i));
      [order[i], order[j]] = [order[j], order[i]];
    }
  }
  return order.slice(0, count);
}

/**
 * Of pictures, those that the seed draws; of sentences, all tokens.
 * @param {View} v
 */
export function pick(v) {
  const { header, arrays, state } = v;
  if (header.kind === "tokens") {
    v.cells = { x: arrays.x, items: arrays.unit.length, channels: header.channels, inner: 1, unit: arrays.unit };
    return;
  }
  const all = header.labels.length;
  const chosen = drawn(all, state.count, state.seed);
  const [size, pixels] = [arrays.x.length / all, arrays.images.length / all];
  const gather = (/** @type {Float32Array} */ from, /** @type {number} */ each) =>
    Float32Array.from({ length: chosen.length * each }, (_cell, at) => from[chosen[Math.floor(at / each)] * each + (at % each)]);
  v.images = gather(arrays.images, pixels);
  v.labels = chosen.map((index) => header.labels[index]);
  v.cells = { x: gather(arrays.x, size), items: chosen.length, channels: header.channels, inner: pixels, unit: chosen.map((_index, i) => i) };
}

/**
 * Where the user is, within what there is.
 * @param {View} v
 */
export function settle(v) {
  const { header, place, arrays } = v;
  const within = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(value, count - 1));
  v.state = { ...place, norm: normOf(v).key, item: place.item ?? header.open.item, channel: within(place.channel ?? header.open.channel, header.channels),
    first: place.first ?? header.open.first, seen: within(place.seen, arrays.means.length / header.channels + 1) };
  pick(v);
  v.state.item = within(v.state.item, v.cells.items);
}

/** @param {View} v */
export function normOf({ header, place }) {
  const all = NORMS[header.kind];
  return all.find(({ key }) => key === place.norm) ?? all[0];
}

/**
 * @param {View} v
 * @returns {import("./statistics.js").Settings}
 */
export function settingsOf({ header, arrays, state }) {
  const running = runningAfter(arrays.means, arrays.variances, header.channels, state.seen, header.momentum);
  return { eps: header.eps, printed: state.printed, running };
}

/**
 * @param {View} v
 * @param {number} width
 * @param {import("#canvas/theme.js").Theme} [theme]
 * @returns {Scene}
 */
export function sceneOf(v, width, theme = v.theme) {
  const { header, state } = v;
  const norm = normOf(v);
  const settings = settingsOf(v);
  const { cells, alive } = acted(v.cells, { key: state.action, item: state.item, channel: state.channel }, header.plus);
  const { out, moments } = normalise(cells, norm, settings, alive);
  const after = { x: out, moments: momentsOf({ ...cells, x: out }, norm.sharing, norm.centred, alive) };
  const sizes = Float64Array.from(cells.x, Math.abs).sort();
  const layout = header.kind === "tokens" ? tokensLayout(width, cells, state.first) : picturesLayout(width, cells, Math.sqrt(cells.inner));
  return {
    header: header.kind === "tokens" ? header : { ...header, labels: v.labels },
    layout,
    theme,
    cells,
    images: v.images,
    norm,
    cursor: v.hover ?? { item: state.item, channel: state.channel },
    alive,
    before: { x: cells.x, moments },
    after,
    range: sizes[Math.floor((1 - CLIPPED) * (sizes.length - 1))] || 1,
  };
}
