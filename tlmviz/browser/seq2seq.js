// @ts-check
// Recurrent translation with attention and input feeding, with or without a pointer (tlmviz/networks/seq2seq.py; 004 section 7).

import { WIDEST } from "./decoding/beam.js";
import { alignmentOf } from "./layers/alignment.js";
import { GRUCell } from "./layers/recurrent.js";
import { siteOf } from "./site.js";

/** @typedef {import("./types").Seq2SeqConfig} Seq2SeqConfig */
/**
 * What a row of a decoder holds: h, h~ and the coverage, the last attention weights, and the gate before its sigmoid (0 without a pointer).
 * @typedef {{ h: Float32Array, fed: Float32Array, covered: Float32Array, a: Float32Array, gate: number }} State
 */

const LEAST_NORMAL = 2 ** -126; // the smallest normal number of 32 bits: a probability has no logarithm below it

/** A bidirectional GRU reads, a GRU writes; between them one attention whose score is the model's choice. */
export class Seq2Seq {
  /**
   * @param {Seq2SeqConfig} config
   * @param {import("./types").Weights} weights
   */
  constructor(config, weights) {
    const rows = Math.max(config.context, WIDEST);
    const site = siteOf(config, weights, rows);
    const { vocab_size: size, d_model: width, hidden } = config;
    this.config = config;
    this.memory = site.memory;
    this.embedding = site.linear("token_emb", size, width);
    this.readers = ["_l0", "_l0_reverse"].map((suffix) => new GRUCell(site, "encoder", suffix, width, hidden / 2));
    this.bridge = site.linear("bridge", hidden, hidden, true);
    this.cell = new GRUCell(site, "cell", "", 2 * width, hidden);
    this.score = alignmentOf(site, config);
    this.combine = site.linear("combine", width, 2 * hidden, true);
    this.gate = config.pointer ? site.linear("gate", 1, 2 * hidden + width, true) : null;
    this.maps = 1;
    this.align = 0;
    const sizes = { x: 2 * width, z: hidden, keys: hidden, h: hidden, both: 2 * hidden, fed: width, gated: 2 * hidden + width, gate: 1, logits: size };
    /** @type {Map<number, number>} */
    this.pins = new Map();
    this.written = 0;
    this.at = Object.fromEntries(Object.entries(sizes).map(([part, count]) => [part, site.scratch(part, rows * count)]));
  }

  /**
   * Read a source; nothing is written yet.
   * @param {number[]} source
   * @param {Map<number, number>} [pins] steps, from 0, that look at one source token alone
   */
  start(source, pins = new Map()) {
    Object.assign(this, { pins, written: 0 });
    const { memory: { numbers }, at, config: { hidden, d_model: width }, readers, score } = this;
    const half = hidden / 2;
    this.length = source.length;
    this.source = source;
    source.forEach((id, t) => this.embedding.copyRow(id, at.x + t * width, Math.sqrt(width)));
    readers.forEach((cell, side) => {
      const h = at.h + side * half; // of both sides, side by side: the last ones are what the bridge reads
      numbers.fill(0, h, h + half);
      cell.input.apply(at.x, cell.ofInput, source.length);
      for (let i = 0; i < source.length; i++) {
        const t = side ? source.length - 1 - i : i;
        cell.join(cell.ofInput + t * cell.row, h, 1);
        numbers.copyWithin(at.z + t * hidden + side * half, h, h + half);
      }
    });
    this.bridge.apply(at.h, at.both, 1);
    score.prepare(at.z, at.keys, source.length);
    const h = numbers.slice(at.both, at.both + hidden).map(Math.tanh);
    /** @type {State[]} */
    this.states = [{ h, fed: new Float32Array(width), covered: new Float32Array(source.length), a: new Float32Array(source.length), gate: 0 }];
  }

  /**
   * Text i becomes a copy of the former text rows[i], continued by ids[i]: what is said to come next, and what that attended
   * to in the source.
   * @param {number[]} rows
   * @param {number[]} ids
   */
  step(rows, ids) {
    const attention = this.advance(rows, ids);
    return { logits: this.unembed(this.states), attention };
  }

  /**
   * Logits after each token of a whole target, and the attention weights there.
   * @param {number[]} source
   * @param {number[]} target
   */
  force(source, target) {
    this.start(source);
    const map = new Float32Array(target.length * source.length);
    const states = target.map((id, t) => {
      map.set(this.advance([0], [id]), t * source.length);
      return this.states[0];
    });
    return { logits: this.unembed(states), map };
  }

  /**
   * One token further in each row: the attention weights [R, S].
   * @param {number[]} rows
   * @param {number[]} ids
   */
  advance(rows, ids) {
    const { memory: { numbers }, at, config: { hidden, d_model: width }, length } = this;
    const former = rows.map((row) => this.states[row]);
    former.forEach(({ h, fed }, r) => {
      this.embedding.copyRow(ids[r], at.x + 2 * r * width, Math.sqrt(width));
      numbers.set(fed, at.x + (2 * r + 1) * width);
      numbers.set(h, at.h + r * hidden);
    });
    this.cell.step(at.x, at.h, rows.length);
    const attention = new Float32Array(rows.length * length);
    const pin = this.pins.get(this.written++);
    const weights = former.map(({ covered }, r) => (pin === undefined
      ? softmaxed(this.score.of(at.h + r * hidden, at.keys, covered)) : covered.map((_, j) => Number(j === pin))));
    weights.forEach((a, r) => {
      attention.set(a, r * length);
      const context = at.both + 2 * r * hidden;
      numbers.fill(0, context, context + hidden);
      for (let j = 0; j < length; j++) for (let d = 0; d < hidden; d++) numbers[context + d] += a[j] * numbers[at.z + j * hidden + d];
      numbers.copyWithin(context + hidden, at.h + r * hidden, at.h + (r + 1) * hidden);
    });
    const gates = this.gates(rows.length);
    this.combine.apply(at.both, at.fed, rows.length);
    this.states = former.map(({ covered }, r) => ({
      h: numbers.slice(at.h + r * hidden, at.h + (r + 1) * hidden),
      fed: numbers.slice(at.fed + r * width, at.fed + (r + 1) * width).map(Math.tanh),
      covered: covered.map((c, j) => c + weights[r][j]),
      a: weights[r],
      gate: gates[r],
    }));
    return attention;
  }

  /**
   * What the sigmoid makes the gate of each row of, u [c; h; y] + b, from what `advance` has laid out; 0 without a pointer.
   * @param {number} rows
   */
  gates(rows) {
    const { memory: { numbers }, at, config: { hidden, d_model: width }, gate } = this;
    if (!gate) return new Float32Array(rows);
    for (let r = 0; r < rows; r++) {
      const gated = at.gated + r * (2 * hidden + width);
      numbers.copyWithin(gated, at.both + 2 * r * hidden, at.both + 2 * (r + 1) * hidden);
      numbers.copyWithin(gated + 2 * hidden, at.x + 2 * r * width, at.x + (2 * r + 1) * width);
    }
    gate.apply(at.gated, at.gate, rows);
    return numbers.slice(at.gate, at.gate + rows);
  }

  /**
   * Logits [R, V] of rows of a decoder; with a pointer log p of the mixture.
   * @param {State[]} states
   */
  unembed(states) {
    const { memory: { numbers }, at, embedding } = this;
    states.forEach(({ fed }, r) => numbers.set(fed, at.fed + r * fed.length));
    embedding.apply(at.fed, at.logits, states.length);
    const size = embedding.outputs;
    const logits = numbers.slice(at.logits, at.logits + states.length * size);
    if (this.gate) states.forEach((state, r) => this.mix(logits.subarray(r * size, (r + 1) * size), state));
    return logits;
  }

  /**
   * In place of a row's logits, the log of g softmax(logits) + (1 - g) p_ptr, g = sigmoid(gate): p_ptr gives a token the attention
   * on all its places.
   * @param {Float32Array} row
   * @param {State} state
   */
  mix(row, { a, gate }) {
    const p = softmaxed(row).map((share) => share / (1 + Math.exp(-gate)));
    this.source.forEach((id, j) => (p[id] += a[j] / (1 + Math.exp(gate)))); // 1 - g, whose digits a g near 1 no longer has
    row.set(p.map((share) => Math.log(Math.max(share, LEAST_NORMAL))));
  }
}

/** @param {Float32Array} scores */
function softmaxed(scores) {
  const most = Math.max(...scores);
  const parts = scores.map((score) => Math.exp(score - most));
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
}
