// @ts-check
// Beam search with its whole history: tlmviz/decoding/beam.py and records.py (004 section 6).

import { BadSearch } from "../errors.js";
import { checkPenalties, scoreOf } from "./penalties.js";

export const WIDEST = 20;
const REMEMBERED = 5; // candidates of every beam that are remembered even if dropped
const SECONDS = 20; // after which a search ends with what it has

/** @typedef {import("../types").Stepper} Stepper */
/** @typedef {import("./penalties.js").Weights} Weights */
/** `prefix` is written first, whatever it costs; `align` is the map that counts as a_ij, null for the mean of all.
 * @typedef {{ width: number, longest: number, align: number | null, penalties: Weights, prefix?: number[] }} Options */
/**
 * One candidate: a token behind its parent; `logp` is its own, `total` that of the whole text, in nats.
 * @typedef {{ parent: number, depth: number, token: number, logp: number, total: number, state: string, why: string }} Node
 */

/** A search for the most probable texts: at each depth the `width` best candidates, by log P, live on. */
export class Search {
  /**
   * @param {Stepper} stepper that has read a source
   * @param {number} end the token that ends a text
   * @param {Options} options
   * @throws BadSearch
   */
  constructor(stepper, end, options) {
    const { width, penalties, prefix = [], longest } = options;
    if (!Number.isInteger(width) || width < 1 || width > WIDEST) throw new BadSearch(`width is ${width}; it must be a whole number from 1 to ${WIDEST}.`);
    checkPenalties(penalties);
    if (prefix.length > longest) throw new BadSearch(`The forced beginning has ${prefix.length} tokens; ${longest} are allowed in all.`);
    this.stepper = stepper;
    this.end = end;
    this.options = options;
    /** @type {Node[]} */
    this.nodes = [{ parent: -1, depth: 0, token: -1, logp: 0, total: 0, state: "kept", why: "" }];
    /** @type {number[]} */
    this.leaves = []; // that the search ended with
    /** @type {Map<number, Float32Array>} */
    this.attention = new Map(); // what the prediction behind a node attended to, [A, S]
    this.stopped = "";
    this.run();
  }

  run() {
    const { stepper, end, options: { longest } } = this;
    const began = performance.now();
    let live = [0]; // nodes
    let [rows, ids] = [[0], [end]];
    for (let depth = 0; depth < longest && !this.stopped; depth++) {
      const { logits, attention } = stepper.step(rows, ids);
      const each = attention.length / live.length;
      live.forEach((node, row) => this.attention.set(node, attention.slice(row * each, (row + 1) * each)));
      const kept = this.select(depth, live, logProbabilities(logits, live.length));
      rows = kept.map((node) => live.indexOf(this.nodes[node].parent));
      ids = kept.map((node) => this.nodes[node].token);
      live = kept;
      this.stopped = this.reason(depth, began);
    }
    for (const node of live) this.nodes[node].why = this.stopped;
    if (!this.leaves.length) this.leaves = live;
  }

  /**
   * What the prediction behind a node attended to, [S], by a map: one of the A, or their mean.
   * @param {number} node
   * @param {number | null} align
   */
  aligned(node, align) {
    const { stepper: { maps } } = this;
    const attention = this.attention.get(node);
    const size = attention.length / maps;
    const chosen = align === null ? Array.from({ length: maps }, (_, map) => map) : [align];
    const mean = new Float32Array(size);
    for (const map of chosen) for (let j = 0; j < size; j++) mean[j] += attention[map * size + j] / chosen.length;
    return mean;
  }

  /**
   * The nodes that live on: candidates from the best down, finished ones set aside if they rank among the best `width`.
   * @param {number} depth
   * @param {number[]} live
   * @param {Float32Array} logp [R, V]
   */
  select(depth, live, logp) {
    const { nodes, end, options: { width, prefix = [] } } = this;
    const forced = prefix[depth];
    const size = logp.length / live.length;
    const totals = live.map((node) => Math.fround(nodes[node].total)); // ranked in float32, as Python does
    const ranked = new Float32Array(logp.length).fill(-Infinity);
    totals.forEach((total, beam) => {
      const [from, to] = forced === undefined ? [0, size] : [forced, forced + 1];
      for (let flat = beam * size + from; flat < beam * size + to; flat++) ranked[flat] = total + logp[flat];
    });
    /** @type {number[]} */
    const kept = [];
    const remembered = new Set();
    for (const [rank, flat] of largest(ranked, 0, ranked.length, 2 * width).entries()) {
      if (kept.length === width || ranked[flat] === -Infinity) break;
      const [beam, token] = [Math.floor(flat / size), flat % size];
      const ends = token === end;
      if (ends && rank >= width) continue;
      const node = this.add(live[beam], token, logp[flat], ends ? "finished" : "kept", ends ? "it is complete" : `rank ${rank + 1} of its depth`);
      remembered.add(flat);
      (ends ? this.leaves : kept).push(node);
    }
    live.forEach((parent, beam) => {
      for (const flat of largest(logp, beam * size, (beam + 1) * size, REMEMBERED)) {
        const why = forced === undefined ? `not among the best ${width} of its depth` : "another token was forced";
        if (!remembered.has(flat)) this.add(parent, flat % size, logp[flat], "pruned", why);
      }
    });
    return kept;
  }

  /**
   * @param {number} parent
   * @param {number} token
   * @param {number} logp
   * @param {string} state
   * @param {string} why
   */
  add(parent, token, logp, state, why) {
    const { depth, total } = this.nodes[parent];
    return this.nodes.push({ parent, depth: depth + 1, token, logp, total: total + logp, state, why }) - 1;
  }

  /**
   * Why the search ends at a depth; nothing where it goes on.
   * @param {number} depth
   * @param {number} began
   */
  reason(depth, began) {
    const { leaves, options: { width, longest } } = this;
    if (leaves.length >= width) return "enough texts were finished";
    if (performance.now() - began > 1000 * SECONDS) return `the time limit of ${SECONDS} s was reached`;
    return depth + 1 === longest ? `the limit of ${longest} tokens was reached` : "";
  }

  /**
   * The nodes from the first token to a node.
   * @param {number} node
   */
  wayTo(node) {
    /** @type {number[]} */
    const way = [];
    for (let at = node; at > 0; at = this.nodes[at].parent) way.unshift(at);
    return way;
  }

  /**
   * The texts found, best first under the search's own penalties and map or others: their tokens, scores, and attention
   * [|Y|, |X|].
   * @param {Weights} [penalties]
   * @param {number | null} [align]
   */
  hypotheses(penalties = this.options.penalties, align = this.options.align) {
    const found = this.leaves.map((leaf) => {
      const way = this.wayTo(leaf).map((node) => this.nodes[node]);
      const attention = this.mapOf(leaf, align);
      const size = attention.length / way.length;
      const covered = attention.slice(0, size).map((_, j) => way.reduce((sum, _node, i) => sum + attention[i * size + j], 0));
      const parts = scoreOf(penalties, this.nodes[leaf].total, way.length, covered);
      return { node: leaf, tokens: way.map(({ token }) => token), logps: way.map(({ logp }) => logp), finished: this.nodes[leaf].state === "finished", parts,
        covered, attention };
    });
    return found.sort((a, b) => b.parts.total - a.parts.total);
  }

  /**
   * What every token of a text attended to, [|Y|, |X|], by a map: one of the A, or their mean.
   * @param {number} leaf
   * @param {number | null} align
   */
  mapOf(leaf, align) {
    const rows = this.wayTo(leaf).map((node) => this.aligned(this.nodes[node].parent, align));
    const attention = new Float32Array(rows.length * rows[0].length);
    rows.forEach((row, i) => attention.set(row, i * row.length));
    return attention;
  }

  /** A line for each node but the empty text: itself, and each penalty's share of its score. */
  tree() {
    /** @type {Map<number, Float32Array>} */
    const covered = new Map();
    return this.nodes.slice(1).map((node, i) => {
      const before = covered.get(node.parent);
      const paid = this.aligned(node.parent, this.options.align).map((weight, j) => weight + (before ? before[j] : 0));
      covered.set(i + 1, paid);
      const { length, coverage, end, total: score } = scoreOf(this.options.penalties, node.total, node.depth, paid);
      return { node: i + 1, ...node, length, coverage, end, score };
    });
  }
}

/**
 * log softmax of each row.
 * @param {Float32Array} logits [R, V]
 * @param {number} rows R
 */
export function logProbabilities(logits, rows) {
  const size = logits.length / rows;
  for (let start = 0; start < logits.length; start += size) {
    let [most, sum] = [-Infinity, 0]; // loops, where functions called for every number would take half of a search
    for (let i = start; i < start + size; i++) if (logits[i] > most) most = logits[i];
    for (let i = start; i < start + size; i++) sum += Math.exp(logits[i] - most);
    const total = Math.log(sum);
    for (let i = start; i < start + size; i++) logits[i] = logits[i] - most - total;
  }
  return logits;
}

/**
 * Places of the largest numbers in a part of an array, from the largest down, the first of equals first.
 * @param {Float32Array} values
 * @param {number} from
 * @param {number} to
 * @param {number} count
 */
function largest(values, from, to, count) {
  /** @type {number[]} */
  const found = [];
  for (let i = from; i < to; i++) {
    if (found.length === count && !(values[i] > values[found[count - 1]])) continue;
    let at = Math.min(found.length, count - 1);
    while (at > 0 && values[i] > values[found[at - 1]]) at--;
    found.splice(at, 0, i);
    if (found.length > count) found.pop();
  }
  return found;
}
