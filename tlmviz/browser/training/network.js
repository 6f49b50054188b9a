// @ts-check
// A small decoder Transformer that learns: forward pass, loss, gradients of all parameters, and Adam's step.

import { padded } from "../memory.js";
import { Linear, Norm, Site } from "./site.js";
import { Attention, MLP } from "./sublayers.js";

const BETAS = [0.9, 0.99]; // of Adam's two means
const LEAST = 1e-30; // probability: a larger loss would say nothing more

/** @typedef {{ tokens: Int32Array, targets: Int32Array }} Batch ids of sequences [B, T], and at each position the id to predict, -1: none */

/** Token ids of whole sequences in, logits out; what the backward pass needs is kept until the next forward pass. */
export class LearningNetwork {
  /** @param {import("./settings.js").Settings} settings as `settingsOf` checked them */
  constructor(settings) {
    const { vocab, length, layers, width, hidden, positions, batch } = settings;
    const site = new Site(settings);
    this.settings = settings;
    this.site = site;
    this.capacity = batch * length; // rows
    this.embedding = site.parameter("token_emb", vocab, width, 0.5);
    this.places = positions === "learned" ? site.parameter("pos_emb", length, width, 0.5) : null;
    this.sublayers = Array.from({ length: layers }, (_, layer) => {
      const attention = new Attention(site, `blocks.${layer}.attn`);
      return hidden ? [attention, new MLP(site, `blocks.${layer}.mlp`)] : [attention];
    }).flat();
    this.attentions = this.sublayers.filter((part) => part instanceof Attention);
    this.norm = new Norm(site, "norm");
    this.columns = padded(vocab);
    this.head = new Linear(site, "head", width, this.columns, 0.5 * width ** -0.5, vocab);
    site.begin();
    for (const part of [...this.sublayers, this.norm]) part.reserve(this.capacity);
    const { memory } = site;
    this.streams = [...this.sublayers, null].map(() => memory.take(this.capacity * width)); // before each sublayer, and at the end
    this.final = memory.take(this.capacity * width);
    this.outputs = memory.take(this.capacity * this.columns); // logits, then probabilities
    this.rows = 0;
    this.counted = 0; // targets of the last loss
    this.length = 0; // of the last gradient
    this.tokens = new Int32Array();
  }

  get numbers() {
    return this.site.memory.numbers;
  }

  /**
   * Read at most `batch` sequences.
   * @param {Int32Array} tokens [B, T]
   */
  forward(tokens) {
    const { streams, sublayers } = this;
    Object.assign(this, { tokens, rows: tokens.length });
    const { rows } = this;
    this.embed(streams[0]);
    sublayers.forEach((part, i) => part.forward(streams[i], streams[i + 1], rows));
    this.norm.forward(streams[sublayers.length], this.final, rows);
    this.head.forward(this.final, this.outputs, rows);
  }

  /** @param {number} x */
  embed(x) {
    const { numbers, tokens, rows, embedding, places, settings: { width, length } } = this;
    for (let t = 0; t < rows; t++) {
      const [from, to, place] = [embedding + tokens[t] * width, x + t * width, places + (t % length) * width];
      for (let c = 0; c < width; c++) numbers[to + c] = numbers[from + c] + (places === null ? 0 : numbers[place + c]);
    }
  }

  /** A copy of the logits of the last forward pass, [rows * V]; after `loss`, of the probabilities. */
  logits() {
    const { numbers, rows, columns, outputs, settings: { vocab } } = this;
    const all = new Float32Array(rows * vocab);
    for (let t = 0; t < rows; t++) all.set(numbers.subarray(outputs + t * columns, outputs + t * columns + vocab), t * vocab);
    return all;
  }

  /**
   * A copy of a head's attention weights on one sequence of the last forward pass, [T * T].
   * @param {number} layer
   * @param {number} head
   * @param {number} [sequence]
   */
  map(layer, head, sequence = 0) {
    const { length, heads } = this.settings;
    const at = this.attentions[layer].weights + (sequence * heads + head) * length ** 2;
    return this.numbers.slice(at, at + length ** 2);
  }

  /**
   * Mean cross-entropy in nats of the last forward pass, over the positions that have a target. Logits become probabilities.
   * @param {Int32Array} targets
   */
  loss(targets) {
    const { numbers, site, rows, columns, outputs, settings: { vocab } } = this;
    site.kernels.softmax(outputs * 4, rows, columns, vocab, 1);
    let [sum, count] = [0, 0];
    for (let t = 0; t < rows; t++) {
      if (targets[t] < 0) continue;
      count++;
      // a maximum would hide a NaN
      const probability = numbers[outputs + t * columns + targets[t]];
      sum -= Math.log(probability < LEAST ? LEAST : probability);
    }
    this.counted = count;
    return sum / count;
  }

  /**
   * The gradients of the loss by all parameters, after `loss` of the same targets.
   * @param {Int32Array} targets
   */
  backward(targets) {
    const { numbers, site, rows, columns, outputs, streams, sublayers, settings: { width } } = this;
    numbers.fill(0, site.gradient(0), site.gradient(site.size));
    for (let t = 0, at = outputs; t < rows; t++, at += columns) {
      if (targets[t] < 0) numbers.fill(0, at, at + columns);
      else {
        numbers[at + targets[t]] -= 1;
        for (let i = at; i < at + columns; i++) numbers[i] /= this.counted;
      }
    }
    const dx = site.memory.scratch("gradient of stream", this.capacity * width);
    const dfinal = site.memory.scratch("gradient of rows", this.capacity * width);
    this.head.backward(this.final, outputs, dfinal, rows);
    this.norm.backward(streams[sublayers.length], dfinal, dx, rows);
    for (let i = sublayers.length - 1; i >= 0; i--) sublayers[i].backward(streams[i], dx, rows);
    this.embedBackward(dx);
    this.length = Math.sqrt(site.kernels.sum_of_squares(site.gradient(0) * 4, site.size));
  }

  /** @param {number} dx */
  embedBackward(dx) {
    const { numbers, site, tokens, rows, embedding, places, settings: { width, length } } = this;
    for (let t = 0; t < rows; t++) {
      const [from, to] = [dx + t * width, site.gradient(embedding) + tokens[t] * width];
      for (let c = 0; c < width; c++) numbers[to + c] += numbers[from + c];
      if (places === null) continue;
      const place = site.gradient(places) + (t % length) * width;
      for (let c = 0; c < width; c++) numbers[place + c] += numbers[from + c];
    }
  }

  /**
   * Adam's step (Kingma and Ba 2015) along the last gradients, which are shortened to `clip` first.
   * @param {number} step from 1: which one it is
   */
  adam(step) {
    const { site: { kernels, size }, length, settings: { rate, warmup, clip } } = this;
    const warmed = warmup ? rate * Math.min(1, step / warmup) : rate;
    const shortened = clip && length > clip ? clip / length : 1;
    const [first, second] = BETAS.map((beta) => 1 - beta ** step);
    const place = (/** @type {number} */ block) => block * size * 4;
    kernels.adam(place(0), place(3), place(1), place(2), size, shortened, warmed / first, ...BETAS, 1 / Math.sqrt(second));
  }

  /** A copy of all that a step changes: parameters and both means. */
  kept() {
    return this.numbers.slice(0, 3 * this.site.size);
  }

  /** @param {Float32Array} kept */
  restore(kept) {
    this.numbers.set(kept);
  }
}
