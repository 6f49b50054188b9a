// @ts-check
// Word vectors on their two main axes, and the word that is looked for, as data.py and view.py make them. Free of the DOM.

import { _ } from "#canvas/language.js";

/** @typedef {import("#browser/word_vectors.js").WordVectors} WordVectors */
/** @typedef {{ axes: Float64Array[], mean: Float64Array, share: number[] }} Axes */
/** @typedef {{ near: number, categories: string[][], groups: { name: string, light: string, dark: string }[] }} Tables as site.py gives them */

const STEPS = 65535; // of a coordinate in two bytes
const OUTSIDE = 0.002; // share on each side of each axis that may lie outside the first view
const ROUNDS = 5000; // of the power iteration, at most
const SHOWN = 60; // characters of what was typed

/** The two directions on which vectors differ the most, about their mean. @param {WordVectors} model @returns {Axes} */
export function principalAxes(model) {
  const { width, space } = model;
  const count = space.length / width;
  const mean = new Float64Array(width);
  for (let i = 0; i < space.length; i++) mean[i % width] += space[i] / count;
  const covariance = new Float64Array(width * width);
  for (let row = 0; row < count; row++) {
    for (let a = 0; a < width; a++) {
      const one = (space[row * width + a] - mean[a]) / count;
      for (let b = 0; b < width; b++) covariance[a * width + b] += one * (space[row * width + b] - mean[b]);
    }
  }
  let total = 0;
  for (let a = 0; a < width; a++) total += covariance[a * width + a];
  const found = [0, 1].map(() => {
    const { axis, variance } = strongest(covariance, width);
    for (let a = 0; a < width; a++) for (let b = 0; b < width; b++) covariance[a * width + b] -= variance * axis[a] * axis[b];
    return { axis, variance };
  });
  return { axes: found.map(({ axis }) => axis), mean, share: found.map(({ variance }) => Math.max(0, variance) / Math.max(total, 1e-300)) };
}

/**
 * A symmetric matrix's largest eigenvalue and its vector, whose largest entry is positive, by power iteration.
 * @param {Float64Array} matrix [C, C]
 * @param {number} width C
 */
function strongest(matrix, width) {
  let axis = Float64Array.from({ length: width }, (_one, i) => Math.sin(i + 1));
  let variance = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(width);
    for (let a = 0; a < width; a++) for (let b = 0; b < width; b++) next[a] += matrix[a * width + b] * axis[b];
    variance = Math.hypot(...next);
    const moved = next.reduce((most, value, i) => Math.max(most, Math.abs(value / variance - axis[i])), 0);
    axis = next.map((value) => value / variance);
    if (moved < 1e-13) break;
  }
  const largest = axis.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
  return { axis: axis.map((value) => value * Math.sign(largest)), variance };
}

/** Coordinates of a vector on the axes. @param {Axes} axes @param {ArrayLike<number>} vector */
const placeOf = ({ axes, mean }, vector) => axes.map((axis) => axis.reduce((sum, value, i) => sum + value * (vector[i] - mean[i]), 0));

/**
 * A space's points, which are sent once, and what stays of its headers.
 * @param {WordVectors} model
 * @param {Tables} tables
 */
export function spaceOf(model, { categories, groups }) {
  const axes = principalAxes(model);
  const count = model.vocabulary.length;
  const places = model.vocabulary.map((_word, row) => placeOf(axes, model.at(row)));
  const sorted = [0, 1].map((axis) => Float64Array.from(places, (place) => place[axis]).sort());
  const [low, high] = [sorted.map((all) => all[0]), sorted.map((all) => all[count - 1])];
  const span = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
  const origin = [0, 1].map((axis) => (low[axis] + high[axis]) / 2 - span / 2);
  const share = (/** @type {number[]} */ place) => /** @type {[number, number]} */ (place.map((value, axis) => (value - origin[axis]) / span));
  const at = (/** @type {number} */ part) => share(sorted.map((all) => {
    const [index, rest] = [Math.floor(part * (count - 1)), (part * (count - 1)) % 1];
    return all[index] + (all[Math.min(index + 1, count - 1)] - all[index]) * rest;
  }));
  const [first, last] = [at(OUTSIDE), at(1 - OUTSIDE)];
  const margin = 0.08 * Math.max(last[0] - first[0], last[1] - first[1]) + 1e-3;
  const numbers = new Map(categories.flatMap((words, k) => words.map((word) => /** @type {[string, number]} */ ([word, k + 1]))));
  const space = `${model.name}|words|Map|PCA`;
  const percent = axes.share.map((part) => `${(100 * part).toFixed(0)}%`);
  const title = _("{model}, {side}: {count} × {size} numbers on two axes ({one} + {two} of the variance)", {
    model: model.name, side: "words", count: count.toLocaleString("en"), size: model.width, one: percent[0], two: percent[1],
  });
  const rounded = (/** @type {number} */ value) => Number(value.toFixed(5));
  return {
    points: {
      header: { space, names: model.vocabulary.join("\n") },
      arrays: {
        places: Uint16Array.from(places.flatMap(share), (value) => Math.round(Math.min(Math.max(value, 0), 1) * STEPS)),
        groups: Uint8Array.from(model.vocabulary, (word) => numbers.get(word) ?? 0),
      },
    },
    header: { title, space, token: false, box: [...first.map((value) => rounded(value - margin)), ...last.map((value) => rounded(value + margin))], groups,
      colour: "category", large: true, film: /** @type {null} */ (null) },
    place: (/** @type {ArrayLike<number>} */ vector) => share(placeOf(axes, vector)),
  };
}

/**
 * What a header says of a word that was typed: its row, -1 for one made from letters, its place if it has no row, its neighbours.
 * @param {WordVectors} model
 * @param {ReturnType<typeof spaceOf>} space
 * @param {string} typed
 * @param {number} count of neighbours
 * @throws UnknownName
 */
export function foundOf(model, space, typed, count) {
  const name = typed.trim();
  if (!name) return { word: typed, ...NOTHING };
  const form = [name.replace(/^=/, ""), name, name.toLowerCase()].find((each) => model.rows.has(each));
  const vector = form === undefined ? model.place(name) : model.at(model.rows.get(form));
  const near = model.nearest(vector, count, form === undefined ? [] : [form]);
  return {
    word: typed, name: form ?? name.slice(0, SHOWN), row: form === undefined ? -1 : model.rows.get(form),
      place: form === undefined ? space.place(vector) : null,
    near: near.map(([word]) => model.rows.get(word)), cosines: near.map(([, cosine]) => Number(cosine.toFixed(6))),
  };
}

/** Where no word is chosen, or none is found. */
export const NOTHING = { name: "", row: -1, place: /** @type {[number, number] | null} */ (null), near: /** @type {number[]} */ ([]),
  cosines: /** @type {number[]} */ ([]) };
