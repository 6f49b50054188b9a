// @ts-check
// One decoder language model, assembled from a configuration (tlmviz/networks/transformer.py; 000 section 2.1.4).

import { attentionOf } from "./layers/attention.js";
import { blockOf } from "./layers/blocks.js";
import { feedForwardOf } from "./layers/experts.js";
import { normOf } from "./layers/norms.js";
import { positionsOf } from "./layers/positions.js";
import { siteOf } from "./site.js";

/** @typedef {import("./types").ModelConfig} ModelConfig */
/** @typedef {import("./types").Weights} Weights */

/** Token ids in, normalised final states out, one chunk of tokens after the other; keys and values of all are kept. */
export class TransformerLM {
  /**
   * @param {ModelConfig} config
   * @param {Weights} weights
   * @throws BadConfig and BadCheckpoint
   */
  constructor(config, weights) {
    const site = siteOf(config, weights);
    const { vocab_size: size, d_model: width, connection, context } = config;
    this.config = config;
    this.site = site;
    this.memory = site.memory;
    this.chunk = site.chunk;
    this.streams = connection.kind === "residual" ? 1 : connection.streams;
    this.embedding = site.linear("token_emb", size, width);
    this.positions = positionsOf(site);
    this.blocks = config.layers.map((_, layer) => {
      const attn = attentionOf(site, `blocks.${layer}.attn`, layer, this.positions);
      return blockOf(site, `blocks.${layer}`, { attn, mlp: feedForwardOf(site, `blocks.${layer}.mlp`, layer) });
    });
    this.norm = config.norm.placement === "post" ? null : normOf(site, "norm");
    this.head = config.tied ? this.embedding : site.linear("head", size, width);
    this.headBias = config.head_bias ? weights.take("head.bias", [size]) : null;
    this.x = site.scratch("stream", this.chunk * this.streams * width);
    this.state = site.scratch("state", this.chunk * width);
    this.logits = site.scratch("logits", this.chunk * size);
    this.states = new Float32Array(context * width); // what the head reads of every token kept, [T, C]
  }

  /**
   * Read tokens that continue those before `start`.
   * @param {number[]} ids
   * @param {number} start position of the first
   * @param {Set<number>[]} muted heads without their output, of each layer
   */
  read(ids, start, muted) {
    const { chunk, blocks, x } = this;
    this.positions.reach(start + ids.length);
    for (let at = 0; at < ids.length; at += chunk) {
      const part = ids.slice(at, at + chunk);
      this.embed(part, start + at);
      blocks.forEach((block, layer) => block.apply(x, start + at, part.length, muted[layer]));
      this.finish(start + at, part.length);
    }
  }

  /**
   * Embeddings of tokens, in every stream.
   * @param {number[]} ids
   * @param {number} start
   */
  embed(ids, start) {
    const { memory: { numbers }, config: { d_model: width, embedding_scale: scale }, streams, x, state } = this;
    ids.forEach((id, t) => this.embedding.copyRow(id, state + t * width, scale));
    this.positions.embed(state, start, ids.length);
    this.memory.tap("embed", state, ids.length * width);
    for (let t = 0; t < ids.length; t++) {
      for (let s = 0; s < streams; s++) numbers.copyWithin(x + (t * streams + s) * width, state + t * width, state + (t + 1) * width);
    }
  }

  /**
   * The mean of the streams, normalised: what the head reads.
   * @param {number} start
   * @param {number} rows
   */
  finish(start, rows) {
    const { memory: { numbers }, config: { d_model: width }, streams, x, state, states } = this;
    for (let t = 0; t < rows; t++) {
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let s = 0; s < streams; s++) sum += numbers[x + (t * streams + s) * width + c];
        numbers[state + t * width + c] = sum / streams;
      }
    }
    this.norm?.apply(state, state, rows);
    states.set(numbers.subarray(state, state + rows * width), start * width);
  }

  /**
   * Next-token logits [T, V] of final states [T, C].
   * @param {Float32Array} states
   */
  unembed(states) {
    const { config: { vocab_size: size, logit_softcap: cap }, head, headBias } = this;
    const all = this.project(head, states);
    if (headBias) for (let i = 0; i < all.length; i++) all[i] += headBias[i % size];
    if (cap !== null) for (let i = 0; i < all.length; i++) all[i] = cap * Math.tanh(all[i] / cap);
    return all;
  }

  /**
   * What an output matrix makes of final states, [T, V].
   * @param {import("./types").Matrix} head
   * @param {Float32Array} states [T, C]
   */
  project(head, states) {
    const { memory: { numbers }, config: { d_model: width, vocab_size: size }, chunk, state, logits } = this;
    const length = states.length / width;
    const all = new Float32Array(length * size);
    for (let t = 0; t < length; t += chunk) {
      const rows = Math.min(chunk, length - t);
      numbers.set(states.subarray(t * width, (t + rows) * width), state);
      head.apply(state, logits, rows);
      all.set(numbers.subarray(logits, logits + rows * size), t * size);
    }
    return all;
  }
}
