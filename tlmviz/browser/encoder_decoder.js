// @ts-check
// A Transformer that reads one text and writes another (tlmviz/networks/encoder_decoder.py; 002 section 7).

import { chosenFrom } from "./config.js";
import { WIDEST } from "./decoding/beam.js";
import { Attention } from "./layers/attention.js";
import { blockOf, CrossBlock } from "./layers/blocks.js";
import { plainFeedForward } from "./layers/feedforward.js";
import { normOf } from "./layers/norms.js";
import { positionsOf } from "./layers/positions.js";
import { siteOf } from "./site.js";

/** @typedef {import("./types").EncoderDecoderConfig} EncoderDecoderConfig */

/** Source ids and the target so far in, logits of the next target tokens out; several targets may be written at once. */
export class EncoderDecoder {
  /**
   * @param {EncoderDecoderConfig} config
   * @param {import("./types").Weights} weights
   */
  constructor(config, weights) {
    chosenFrom({ rope: true }, config.positions.kind, "positions of a translator", config.name);
    const Block = chosenFrom({ pre: CrossBlock }, config.norm.placement, "norm placement of a translator", config.name);
    // A text passes an encoder whole: each token sees all others.
    const site = siteOf(config, weights, Math.max(config.context, WIDEST));
    const { vocab_size: size, d_model: width, encoder_layers: read, decoder_layers: written, attention, alignment } = config;
    this.config = config;
    this.memory = site.memory;
    this.embedding = site.linear("token_emb", size, width);
    const positions = positionsOf(site);
    this.attention = Array.from({ length: read }, (_, layer) => new Attention(site, `encoder.${layer}.attn`, layer, positions, false));
    this.encoder = this.attention.map((attn, layer) => blockOf(site, `encoder.${layer}`, { attn, mlp: plainFeedForward(site, `encoder.${layer}.mlp`) }));
    this.encoderNorm = normOf(site, "encoder_norm");
    this.decoder = Array.from({ length: written }, (_, layer) => new Block(site, `decoder.${layer}`, layer, positions));
    this.decoderNorm = normOf(site, "decoder_norm");
    this.maps = written * attention.n_heads;
    this.align = alignment === null ? null : alignment[0] * attention.n_heads + alignment[1];
    this.x = site.scratch("stream", site.chunk * width);
    this.logits = site.scratch("logits", site.chunk * size);
  }

  /**
   * Read a source; nothing is written yet.
   * @param {number[]} source
   * @param {Map<number, number>} [pins] steps, from 0, that look at one source token alone
   */
  start(source, pins = new Map()) {
    this.pins = pins;
    const { x, encoder, encoderNorm, decoder } = this;
    this.length = source.length;
    this.written = 0;
    this.embed(source);
    for (const block of encoder) block.apply(x, 0, source.length);
    encoderNorm.apply(x, x, source.length);
    for (const block of decoder) block.begin(x, source.length);
  }

  /**
   * Text i becomes a copy of the former text rows[i], continued by ids[i]: what is said to come next, and what that attended
   * to in the source.
   * @param {number[]} rows
   * @param {number[]} ids
   */
  step(rows, ids) {
    const pin = this.pins.get(this.written) ?? null;
    for (const block of this.decoder) {
      block.reorder(rows);
      block.cross.pinned = pin;
    }
    const logits = this.decode(ids, this.written++);
    const { maps, length, decoder } = this;
    const heads = this.config.attention.n_heads;
    const attention = new Float32Array(rows.length * maps * length);
    decoder.forEach(({ cross: { attended } }, layer) => {
      const kept = attended.kept(rows.length, length);
      if (pin !== null) {
        for (let map = layer * heads; map < (layer + 1) * heads; map++) rows.forEach((_, r) => (attention[(r * maps + map) * length + pin] = 1));
        return;
      }
      for (let head = 0; head < heads; head++) {
        const map = attended.weights(head, kept, 0, rows.length);
        rows.forEach((_, r) => attention.set(map.subarray(r * length, (r + 1) * length), (r * maps + layer * heads + head) * length));
      }
    });
    return { logits, attention };
  }

  /**
   * Logits after each token of a whole target, and what every attention kept.
   * @param {number[]} source
   * @param {number[]} target
   */
  force(source, target) {
    this.start(source);
    for (const { cross } of this.decoder) cross.pinned = null;
    const logits = this.decode(target, 0);
    const encoder = this.attention.map(({ attended }) => ({ attended, kept: attended.kept(source.length) }));
    const decoder = this.decoder.map(({ own: { attended } }) => ({ attended, kept: attended.kept(target.length) }));
    const cross = this.decoder.map(({ cross: { attended } }) => ({ attended, kept: attended.kept(target.length, source.length) }));
    return { logits, parts: { encoder, decoder, cross } };
  }

  /**
   * Logits after some tokens, a row of each text or all rows of one.
   * @param {number[]} ids
   * @param {number} start
   */
  decode(ids, start) {
    const { memory: { numbers }, x, logits, decoder, decoderNorm, embedding } = this;
    this.embed(ids);
    for (const block of decoder) block.apply(x, start, ids.length);
    decoderNorm.apply(x, x, ids.length);
    embedding.apply(x, logits, ids.length);
    return numbers.slice(logits, logits + ids.length * embedding.outputs);
  }

  /** @param {number[]} ids */
  embed(ids) {
    const { x, embedding, config: { d_model: width } } = this;
    ids.forEach((id, t) => embedding.copyRow(id, x + t * width, Math.sqrt(width)));
  }
}
