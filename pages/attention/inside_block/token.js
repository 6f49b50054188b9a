// @ts-check
// A text as the steps of one layer read it, and one token of it. Free of the DOM.

import { surveyOf } from "#browser/survey.js";
import { measured, strikingRow } from "#browser/tags.js";

/** @typedef {import("#browser/language_model.js").LanguageModel} LanguageModel */
/** @typedef {import("#browser/language_model.js").Trace} Trace */
/** @typedef {{ reads: string[], added: string[], streams: string[], summed: boolean, input: string }} Placement of norms: what sublayers read, add,
 * and add it to, whether norms follow the sum, and the name of what is read */
/** @typedef {{ lm: LanguageModel, text: string, trace: Trace, taps: Record<string, Float32Array>, layer: number, likely?: Likely }} Read a text,
 * and what passed a layer */
/** @typedef {{ ids: number[], names: string[] }} Likely tokens anywhere in the text */

/**
 * A text as one layer's steps read it.
 * @param {LanguageModel} lm
 * @param {string} text
 * @param {number} layer
 * @returns {Read}
 * @throws BadText
 */
export function readLayer(lm, text, layer) {
  const prefix = `blocks.${layer}.`;
  return { lm, text, layer, ...lm.watched(text, (name) => name === "embed" || name.startsWith(prefix)) };
}

/** @type {WeakMap<Trace, import("#browser/tags.js").Row>} */
const striking = new WeakMap();

/**
 * The row of all heads that shows the most.
 * @param {Trace} trace
 * @param {{ name: string, least: number }[]} tags
 */
export function rowOf(trace, tags) {
  const row = striking.get(trace) ?? strikingRow(trace, measured(trace).values, tags, surveyOf(trace, 1).stats);
  striking.set(trace, row);
  return row;
}

/**
 * The token that is followed: the chosen one if the text has it, else the one that shows the most.
 * @param {Trace} trace
 * @param {number | null} query
 * @param {{ name: string, least: number }[]} tags
 */
export const tokenOfChoice = (trace, query, tags) => (query !== null && query < trace.ids.length ? query : rowOf(trace, tags).query);

/** One token in one layer and head, and what its steps read. */
export class Token {
  /**
   * @param {Read} read
   * @param {Placement} placement
   * @param {number} head
   * @param {number} position
   */
  constructor(read, placement, head, position) {
    const { attention: { n_heads: heads, n_kv_heads: groups, head_dim: dim }, d_model: width } = read.lm.config;
    const block = /** @type {any} */ (read.lm.network.blocks[read.layer]); // whose parts are of the kinds that the configuration names
    this.read = read;
    this.placement = placement;
    this.head = head;
    this.position = position;
    this.heads = heads;
    this.groups = groups;
    this.dim = dim;
    this.width = width;
    this.block = block;
    this.attended = read.trace.attended(read.layer);
    this.group = Math.floor((head * groups) / heads);
    this.length = read.trace.ids.length;
  }

  /**
   * The same of another token.
   * @param {number} position
   */
  at(position) {
    return position === this.position ? this : new Token(this.read, this.placement, this.head, position);
  }

  /**
   * The token's row of numbers that passed.
   * @param {string} name
   */
  row(name) {
    const all = this.read.taps[name];
    const width = all.length / this.length;
    return all.subarray(this.position * width, (this.position + 1) * width);
  }

  /** The same of this layer. @param {string} part */
  own(part) {
    return this.row(`blocks.${this.read.layer}.${part}`);
  }

  /** The mean of the streams. @param {string} part */
  stream(part) {
    const [all, { width }] = [this.own(part), this];
    const count = all.length / width;
    return count === 1 ? all : Float32Array.from({ length: width }, (_number, c) => {
      let sum = 0;
      for (let s = 0; s < count; s++) sum += all[s * width + c];
      return sum / count;
    });
  }

  /** A part of what a trace keeps, of one of its heads at a token. @param {"q" | "k" | "v"} part @param {number} at */
  kept(part, at) {
    const { scores: { dim }, width } = this.attended;
    const [size, index] = [part === "v" ? width : dim, part === "q" ? this.head : this.group];
    const from = (index * this.length + at) * size;
    return this.read.trace.kept[this.read.layer][part].subarray(from, from + size);
  }

  /** A head's slice of the fused projection; keys follow the queries. @param {string} part @param {number} index */
  slice(part, index) {
    return this.own(part).subarray(index * this.dim, (index + 1) * this.dim);
  }

  /** The head's mixed values. */
  get mixed() {
    const { width } = this.attended;
    return this.own("attn.concat").subarray(this.head * width, (this.head + 1) * width);
  }

  /** What the head gives to each key, [T]. */
  get weights() {
    return this.attended.weights(this.head, this.read.trace.kept[this.read.layer], this.position, this.position + 1);
  }

  /** @param {number} key */
  dot(key) {
    const [q, k] = [this.kept("q", this.position), this.kept("k", key)];
    return q.reduce((sum, number, d) => sum + number * k[d], 0);
  }

  /** The score of a key, scaled, with what distance adds. @param {number} key */
  score(key) {
    const { scale, softcap, slopes, distances, dim } = this.attended.scores;
    const distance = Math.abs(this.position - key);
    let score = this.dot(key) * scale;
    if (softcap !== null) score = softcap * Math.tanh(score / softcap);
    if (distances) {
      const vectors = this.read.lm.network.positions.relative(this.read.layer);
      const from = Math.min(distance, distances - 1) * dim;
      score += scale * this.kept("q", this.position).reduce((sum, number, d) => sum + number * vectors[from + d], 0);
    }
    return score - (slopes ? slopes[this.head] : 0) * distance;
  }

  /** @param {number} key */
  sees(key) {
    return key <= this.position && this.position - key < this.attended.scores.window;
  }

  /** What a sublayer reads. @param {0 | 1} which */
  input(which) {
    return this.own(this.placement.reads[which]);
  }
}
