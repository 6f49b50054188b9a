// @ts-check
// What predicts more than the next token: modules in a chain (DeepSeek-V3, section 2.2), heads side by side (003, 6.4).

import { Attention } from "./layers/attention.js";
import { blockOf } from "./layers/blocks.js";
import { plainFeedForward } from "./layers/feedforward.js";
import { normOf } from "./layers/norms.js";
import { TransformerLM } from "./network.js";

/** @typedef {import("./types").ModelConfig} ModelConfig */
/** @typedef {import("./types").Site} Site */
/** @typedef {import("./types").Weights} Weights */

/** One module: h'_i = W [norm(h_i); norm(e_(i+k))], then a block and a norm; e_(i+k) embeds the token k places further. */
class AheadModule {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {import("./types").Positions} positions
   */
  constructor(site, name, positions) {
    const { config, memory, chunk } = site;
    this.memory = memory;
    this.width = config.d_model;
    this.normHidden = normOf(site, `${name}.norm_hidden`);
    this.normToken = normOf(site, `${name}.norm_token`);
    this.join = site.linear(`${name}.join`, this.width, 2 * this.width);
    this.attn = new Attention(site, `${name}.block.attn`, 0, positions);
    this.block = blockOf(site, `${name}.block`, { attn: this.attn, mlp: plainFeedForward(site, `${name}.block.mlp`) });
    this.norm = normOf(site, `${name}.norm`);
    this.both = site.scratch("hidden and token", chunk * 2 * this.width);
  }

  /**
   * @param {number} hidden what the module before made [T, C]; becomes what this one makes
   * @param {number} token [T, C], changed
   * @param {number} start
   * @param {number} rows
   */
  apply(hidden, token, start, rows) {
    const { memory: { numbers }, width, both } = this;
    this.normHidden.apply(hidden, hidden, rows);
    this.normToken.apply(token, token, rows);
    for (let t = 0; t < rows; t++) {
      [hidden, token].forEach((from, half) => numbers.copyWithin(both + (2 * t + half) * width, from + t * width, from + (t + 1) * width));
    }
    this.join.apply(both, hidden, rows);
    this.block.apply(hidden, start, rows);
    this.norm.apply(hidden, hidden, rows);
  }
}

/** A causal language model whose modules share its embedding and its head. */
export class MTPNetwork extends TransformerLM {
  /**
   * @param {ModelConfig} config
   * @param {Weights} weights
   */
  constructor(config, weights) {
    super(config, weights);
    this.ahead = Array.from({ length: config.depth }, (_, k) => new AheadModule(this.site, `ahead.${k}`, this.positions));
    this.token = this.site.scratch("token ahead", this.chunk * config.d_model);
  }

  /**
   * Final states of every module in turn, T - k positions of the k-th, of the model's own [T, C]: position i of the k-th has
   * read tokens up to i + k.
   * @param {Float32Array} states
   * @param {number[]} ids
   */
  lookAhead(states, ids) {
    const { memory: { numbers }, config: { d_model: width, embedding_scale: scale }, chunk, state, token } = this;
    const found = [];
    for (let k = 1; k <= Math.min(this.ahead.length, ids.length - 1); k++) {
      const length = ids.length - k;
      const made = new Float32Array(length * width);
      this.positions.reach(length);
      for (let start = 0; start < length; start += chunk) {
        const rows = Math.min(chunk, length - start);
        numbers.set(states.subarray(start * width, (start + rows) * width), state);
        for (let t = 0; t < rows; t++) this.embedding.copyRow(ids[start + t + k], token + t * width, scale);
        this.ahead[k - 1].apply(state, token, start, rows);
        made.set(numbers.subarray(state, state + rows * width), start * width);
      }
      states = made;
      found.push(made);
    }
    return found;
  }

  /**
   * Logits of every module in turn, T - k positions of the k-th, and what its attention kept.
   * @param {Float32Array} states
   * @param {number[]} ids
   */
  logitsAhead(states, ids) {
    const made = this.lookAhead(states, ids);
    return made.map((own, k) => ({ logits: this.unembed(own), kept: this.ahead[k].attn.attended.kept(ids.length - k - 1) }));
  }
}

/** A causal language model with further output matrices, each of which reads its final state as its own does. */
export class ParallelMTPNetwork extends TransformerLM {
  /**
   * @param {ModelConfig} config
   * @param {Weights} weights
   */
  constructor(config, weights) {
    super(config, weights);
    this.ahead = Array.from({ length: config.depth }, (_, k) => this.site.linear(`ahead.${k}`, config.vocab_size, config.d_model));
  }

  /**
   * Logits of every head: T - k positions of the k-th, as a chain of modules has.
   * @param {Float32Array} states
   * @param {number[]} ids
   */
  logitsAhead(states, ids) {
    const heads = this.ahead.slice(0, ids.length - 1);
    const { d_model: width } = this.config;
    const logitsOf = (/** @type {import("./types").Matrix} */ head, /** @type {number} */ k) =>
      this.project(head, states.subarray(0, (ids.length - k - 1) * width));
    return heads.map((head, k) => ({ logits: logitsOf(head, k) }));
  }
}
