// @ts-check
// From vectors to what is drawn: dots and arrows in a plane, rows of probabilities, and the loss for every rate. Free of the DOM.

import { _, ngettext } from "#canvas/language.js";
import { minus, scientific, short } from "#canvas/text.js";
import { bagOf, dot, logSumExp, logisticLoss, movedScores, planeOf, sampledStep, sigmoid, softmaxOf, weighted } from "./arithmetic.js";

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Dot} Dot */
/** @typedef {import("./types").Row} Row */

const LABELLED = 10; // words with a name, beside the target
const ROWS = 9;

/**
 * A probability with about three digits.
 * @param {number} p
 */
export function chance(p) {
  return p >= 0.1 ? p.toFixed(3) : p >= 0.001 ? p.toFixed(4) : scientific(p, 2);
}

/**
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {State} state
 * @returns {Scene}
 */
export function sceneOf(header, arrays, state) {
  const scenes = { softmax: softmaxScene, negative: negativeScene, cbow: bagScene };
  return scenes[/** @type {keyof typeof scenes} */ (header.mode)](header, arrays, state);
}

/**
 * Indices of the largest values, largest first.
 * @param {Float64Array} values
 * @param {number} count
 */
function largestOf(values, count) {
  return Array.from(values.keys()).sort((a, b) => values[b] - values[a]).slice(0, count);
}

/**
 * Skip-gram with the full softmax: every word is an output.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {State} state
 * @returns {Scene}
 */
function softmaxScene(header, arrays, { rate, all }) {
  const { target, vv, vg, words } = header;
  const { scores, toward, x, y } = arrays;
  const before = softmaxOf(scores);
  const pull = before.map((p, w) => Number(w === target) - p);
  const step = { scores, toward, pull, vv, vg, lift: 1 };
  const after = softmaxOf(movedScores(step, rate, all));
  const move = all ? rate : 0;
  const [vx, vy] = header.v;
  const [gx, gy] = header.g;
  const moved = { x: new Float32Array(x.length), y: new Float32Array(x.length), p: after };
  let [meanX, meanY, oldX, oldY] = [0, 0, 0, 0];
  for (let w = 0; w < x.length; w++) {
    moved.x[w] = x[w] + move * pull[w] * vx;
    moved.y[w] = y[w] + move * pull[w] * vy;
    meanX += after[w] * moved.x[w];
    meanY += after[w] * moved.y[w];
    oldX += before[w] * x[w];
    oldY += before[w] * y[w];
  }
  const named = [...new Set([target, ...largestOf(before, LABELLED), ...largestOf(after, 4)])];
  const says = (/** @type {number} */ w) => `Pr(${words[w]} | ${header.center}) ${chance(before[w])} → ${chance(after[w])}`;
  /** @type {Dot[]} */
  const dots = named.map((w) => ({ x: moved.x[w], y: moved.y[w], weight: after[w], before: before[w], name: words[w], kind: w === target ? "target" : "other",
    says: says(w) }));
  const rows = [...new Set([target, ...largestOf(before, ROWS - 1), ...largestOf(after, 4)])].slice(0, ROWS + 1);
  /** @type {Row[]} */
  const shown = rows.map((w) => ({ name: words[w], before: before[w], after: after[w], kind: w === target ? "target" : "other", says: says(w) }));
  const loss = (/** @type {number} */ r) => { const s = movedScores(step, r, all); return logSumExp(s) - s[target]; };
  return {
    dots, cloud: moved, rows: shown, rowsTitle: _("Pr(word | {center}), all {count} words sum to 1",
      { center: header.center, count: words.length.toLocaleString("en") }), loss, shown: header.shown,
    arrows: [
      { from: [oldX, oldY], to: [x[target], y[target]], name: "u_o − E[u]", kind: "g" },
      { from: [0, 0], to: [vx, vy], name: _("v, {word}", { word: header.center }), kind: "v" },
      { from: [vx, vy], to: [vx + rate * gx, vy + rate * gy], name: _("step"), kind: "step" },
      { from: [oldX, oldY], to: [oldX, oldY], name: "E[u]", kind: "mean" },
      { from: [meanX, meanY], to: [meanX, meanY], name: _("E[u] after"), kind: "after" },
    ],
    reach: [[0, 0], [vx, vy], [vx + gx, vy + gy], [x[target], y[target]], [oldX, oldY], ...named.map((w) => /** @type {[number, number]} */ ([x[w], y[w]]))],
    said: _("E[u] is the mean of all words' vectors, weighed by what the model expects. The step moves v by rate · (u_o − E[u]), {long} long: Pr({context} | " +
      "{center}) goes from {before} to {after}.", { long: minus(short(rate * Math.hypot(gx, gy))), context: header.context, center: header.center,
      before: chance(before[target]), after: chance(after[target]) }),
  };
}

/**
 * One of so many vectors that lie in one array.
 * @param {Float32Array} all
 * @param {number} width
 * @param {number} n
 */
function rowOf(all, width, n) {
  return all.subarray(n * width, (n + 1) * width);
}

/**
 * The words of a throw: rows of the vocabulary.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {number} seed
 */
export function thrown({ first, throws }, { drawn, numbers }, seed) {
  const count = drawn.length / throws;
  const at = Math.max(0, Math.min(throws - 1, seed - first));
  return { rows: Array.from(drawn.subarray(at * count, (at + 1) * count)), numbers: Array.from(numbers.subarray(at * count, (at + 1) * count)) };
}

/**
 * What both kinds of negative sampling draw: one word that was there, some that were thrown, and what predicts them.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {State} state
 * @param {{ v: ArrayLike<number>, lift: number, target: number, name: string, members: Dot[], vectors: ArrayLike<number>[] }} given
 * @returns {Scene}
 */
function sampledScene(header, arrays, { rate, all, seed }, { v, lift, target, name, members, vectors }) {
  const rows = [target, ...thrown(header, arrays, seed).rows];
  const { words } = header;
  const place = new Map(Array.from(arrays.ids, (id, n) => [id, n]));
  const width = arrays.vectors.length / arrays.ids.length;
  const outputs = rows.map((row) => rowOf(arrays.vectors, width, place.get(row)));
  const step = sampledStep(v, outputs, rows, lift);
  const push = weighted(outputs.slice(1), Array.from(step.error).slice(1));
  const axes = header.mode === "cbow" ? planeOf([step.gradient, v]) : planeOf([step.gradient, outputs[0], v]);
  const at = (/** @type {ArrayLike<number>} */ vector) => /** @type {[number, number]} */ ([dot(vector, axes[0]), dot(vector, axes[1])]);
  const [v2, g2, push2, target2] = [at(v), at(step.gradient), at(push), at(outputs[0])];
  const before = Array.from(step.scores, sigmoid);
  const after = Array.from(movedScores(step, rate, all), sigmoid);
  const says = (/** @type {number} */ n) => _(step.signs[n]
    ? "σ(u·v) of “{word}” {before} → {after}, wanted: {wanted}" : "“{word}” is the word that was there: this draw is left out",
    { word: words[rows[n]], before: chance(before[n]), after: chance(after[n]), wanted: step.signs[n] > 0 ? 1 : 0 });
  const unique = rows.map((row, n) => n).filter((n) => rows.indexOf(rows[n]) === n);
  const move = all ? rate : 0;
  /** @type {Dot[]} */
  const dots = unique.map((n) => {
    const [x, y] = at(outputs[n]);
    return { x: x + move * step.pull[n] * v2[0], y: y + move * step.pull[n] * v2[1], weight: after[n] / 6, before: before[n] / 6, name: words[rows[n]],
      kind: n ? "other" : "target", says: says(n) };
  });
  const pull = 1 - before[0];
  const along = rate * lift;
  return {
    dots: [...dots, ...members.map((member, k) => ({ ...member, x: at(vectors[k])[0], y: at(vectors[k])[1] }))],
    cloud: null,
    rows: rows.map((row, n) => ({ name: words[row], before: before[n], after: after[n], kind: n === 0 ? "target" : step.signs[n] ? "other" : "out",
      says: says(n) })),
    rowsTitle: _("σ(u·v): was this word there? 1 for the first, 0 for the drawn"), shown: Math.hypot(...v2) / Math.sqrt(step.vv),
    loss: (r) => logisticLoss(movedScores(step, r, all), step.signs),
    arrows: [
      { from: [0, 0], to: [pull * target2[0], pull * target2[1]], name: _("pull"), kind: "u" },
      { from: [0, 0], to: push2, name: _("push"), kind: "push" },
      { from: [0, 0], to: g2, name: _("pull + push"), kind: "g" },
      { from: [0, 0], to: v2, name, kind: "v" },
      { from: v2, to: [v2[0] + along * g2[0], v2[1] + along * g2[1]], name: _("step"), kind: "step" },
    ],
    reach: [[0, 0], v2, [v2[0] + g2[0], v2[1] + g2[1]], target2, push2, g2, ...unique.map((n) => at(outputs[n])), ...vectors.map(at)],
    said: ngettext("{n} word drawn, {moved} of {count} output vectors move. σ of “{word}” goes from {before} to {after}.",
      "{n} words drawn, {moved} of {count} output vectors move. σ of “{word}” goes from {before} to {after}.", rows.length - 1,
      { moved: rows.length, count: words.length.toLocaleString("en"), word: words[target], before: chance(before[0]), after: chance(after[0]) }),
  };
}

/**
 * Skip-gram with negative sampling.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {State} state
 */
function negativeScene(header, arrays, state) {
  return sampledScene(header, arrays, state, { v: arrays.v, lift: 1, target: header.target, name: _("v, {word}", { word: header.center }), members: [],
    vectors: [] });
}

/**
 * The places of a window's words, without its middle.
 * @param {Header} header
 * @param {number} at
 */
export function windowOf({ text, radius }, at) {
  return text.map((_, k) => k).filter((k) => k !== at && Math.abs(k - at) <= radius);
}

/**
 * CBOW: the mean of a window predicts its middle.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {State} state
 */
function bagScene(header, arrays, state) {
  const { text } = header;
  const at = Math.max(0, Math.min(text.length - 1, state.at ?? header.place));
  const places = windowOf(header, at);
  const width = arrays.read.length / text.length;
  const vectors = places.map((k) => rowOf(arrays.read, width, k));
  const { mean, lift } = bagOf(vectors, places.map((k) => arrays.rows[k]));
  /** @type {Dot[]} */
  const members = places.map((k) => ({ x: 0, y: 0, weight: 0.006, name: text[k], kind: "member",
    says: _("v of “{word}”, one of {count} that the mean is of", { word: text[k], count: places.length }) }));
  const scene = sampledScene(header, arrays, state, { v: mean, lift, target: arrays.rows[at], name: _("mean"), members, vectors });
  return { ...scene, said: `${ngettext("{n} word predicts “{word}”.", "The mean of {n} words predicts “{word}”.", places.length,
    { word: text[at] })} ${scene.said}` };
}
