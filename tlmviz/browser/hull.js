// @ts-check
// A trained pointer network that draws convex hulls, run where this script runs: tlmviz/facades/hull.py, networks/pointer.py.
//
//     const finder = loadHull(configText, weightsBytes);
//     finder.draw([[0, 0], [4, 0], [2, 3], [2, 1]]).order; // [0, 1, 2]

import { chosenFrom, PARTS, readConfig } from "./config.js";
import { BadShape } from "./errors.js";
import { Attention } from "./layers/attention.js";
import { blockOf } from "./layers/blocks.js";
import { plainFeedForward, gelu } from "./layers/feedforward.js";
import { LayerNorm } from "./layers/norms.js";
import { NoPositions } from "./layers/positions.js";
import { LSTMCell } from "./layers/recurrent.js";
import { Safetensors } from "./safetensors.js";
import { siteOf } from "./site.js";

const MOST = 2000; // points: attention among all of them takes their square
const SMALLEST = 2.2250738585072014e-308; // the smallest normal number: an extent of 0 divides to 0
// torch's names of what the engine's blocks call otherwise.
/** @type {[string, string][]} */
const NAMES = [
  [".attn.qkv.", ".self_attn.in_proj_"], [".attn.proj.", ".self_attn.out_proj."], [".mlp.up.", ".linear1."], [".mlp.down.", ".linear2."],
];

/**
 * The configuration of the encoder, as blocks read one: torch's TransformerEncoderLayer with norms in front.
 * @param {any} config
 */
function encoderOf({ name, d_model: width, n_layers: layers, n_heads: heads, d_ff: hidden }) {
  const biases = { q_bias: true, k_bias: true, v_bias: true, o_bias: true };
  const dim = width / heads;
  return {
    name, d_model: width, context: MOST + 1,
    attention: { ...PARTS.attention, ...biases, n_heads: heads, n_kv_heads: heads, head_dim: dim, value_dim: dim },
    norm: { kind: "layernorm", eps: 1e-5, placement: "pre" },
    feedforward: { kind: "gelu", hidden, bias: true },
    connection: PARTS.connection,
    layers: Array.from({ length: layers }, () => ({ window: /** @type {number | null} */ (null) })),
  };
}

/** Reads a set of points, then points at them one after another, and at an end marker when it is done (004 Eq. 51-52). */
class PointerNetwork {
  /**
   * @param {any} config
   * @param {Safetensors} tensors
   */
  constructor(config, tensors) {
    const renamed = (/** @type {string} */ key) => NAMES.reduce((name, [own, torchs]) => name.replace(own, torchs), key);
    const weights = { take: (/** @type {string} */ key, /** @type {number[]} */ shape) => tensors.take(renamed(key), shape) };
    const { d_model: width, n_layers: layers } = config;
    const site = siteOf(encoderOf(config), weights, MOST + 1);
    const positions = new NoPositions();
    this.memory = site.memory;
    this.width = width;
    this.embed = [site.linear("embed.0", width, 2, true), site.linear("embed.2", width, width, true)];
    this.end = weights.take("end", [width]);
    this.begin = weights.take("begin", [width]);
    this.blocks = Array.from({ length: layers }, (_, layer) => {
      const name = `encoder.layers.${layer}`;
      return blockOf(site, name, { attn: new Attention(site, `${name}.attn`, layer, positions, false), mlp: plainFeedForward(site, `${name}.mlp`) });
    });
    this.norm = new LayerNorm(site, "encoder.norm", width);
    this.bridge = site.linear("bridge", width, width, true);
    this.cell = new LSTMCell(site, "decoder", "_l0", width, width);
    this.w1 = site.linear("w1", width, width);
    this.w2 = site.linear("w2", width, width, true);
    this.v = weights.take("v.weight", [1, width]);
    const rows = { points: 2, x: width, keys: width, mean: width, h: width, reads: width, asked: width };
    this.at = Object.fromEntries(Object.entries(rows).map(([part, count]) => [part, site.scratch(part, (MOST + 1) * count)]));
  }

  /**
   * Points read, nothing visited.
   * @param {number[][]} points in [-1, 1]
   */
  start(points) {
    const { memory, memory: { numbers }, at, width, embed: [first, second], cell } = this;
    const count = points.length;
    numbers.set(points.flat(), at.points);
    first.apply(at.points, at.keys, count);
    gelu(memory, at.keys, at.keys, count * width);
    second.apply(at.keys, at.x, count);
    numbers.set(this.end, at.x + count * width);
    this.places = count + 1;
    for (const block of this.blocks) block.apply(at.x, 0, this.places);
    this.norm.apply(at.x, at.x, this.places);
    numbers.fill(0, at.mean, at.mean + width);
    for (let i = 0; i < this.places * width; i++) numbers[at.mean + (i % width)] += numbers[at.x + i] / this.places;
    this.bridge.apply(at.mean, at.h, 1);
    for (let i = 0; i < width; i++) numbers[at.h + i] = Math.tanh(numbers[at.h + i]);
    cell.c.fill(0);
    this.w1.apply(at.x, at.keys, this.places);
    numbers.set(this.begin, at.reads);
    this.visited = new Set([count]); // a hull has at least one corner
  }

  /** Where it points next: probabilities over the points and the end marker, which is the last. */
  step() {
    const { memory: { numbers }, at, width, v, places, visited } = this;
    this.cell.step(at.reads, at.h, 1);
    this.w2.apply(at.h, at.asked, 1);
    const scores = Float32Array.from({ length: places }, (_, j) => {
      if (visited.has(j)) return -Infinity;
      let sum = 0;
      for (let d = 0; d < width; d++) sum += v[d] * Math.tanh(numbers[at.keys + j * width + d] + numbers[at.asked + d]);
      return sum;
    });
    const most = scores.reduce((largest, score) => Math.max(largest, score), -Infinity);
    const parts = scores.map((score) => Math.exp(score - most));
    const sum = parts.reduce((total, part) => total + part, 0);
    return parts.map((part) => part / sum);
  }

  /**
   * Go to a place, which is then visited; the end marker can always be gone to.
   * @param {number} place
   */
  visit(place) {
    const { memory: { numbers }, at, width } = this;
    numbers.copyWithin(at.reads, at.x + place * width, at.x + (place + 1) * width);
    this.visited.add(place);
    this.visited.delete(this.places - 1);
  }
}

/** Told points, it points at the corners of their convex hull, one after another: from the leftmost one counterclockwise. */
export class HullFinder {
  /**
   * @param {any} config
   * @param {PointerNetwork} network
   */
  constructor(config, network) {
    this.config = config;
    this.name = config.name;
    this.network = network;
  }

  /**
   * The hull of 1 to 2,000 points, always going where the probability is highest: indices of the points in order, and
   * attention [(order + 1) * (points + 1)], a row for each step, the end marker last. Of equal points only the first is read.
   * @param {number[][]} points
   * @throws BadShape for anything but finite coordinates
   */
  draw(points) {
    check(points);
    const seen = new Set();
    const firsts = points.map((_, i) => i).filter((i) => {
      const name = `${points[i][0] + 0} ${points[i][1] + 0}`; // without the sign of 0
      return !seen.has(name) && seen.add(name);
    });
    const { network } = this;
    network.start(boxed(firsts.map((i) => points[i])));
    /** @type {number[]} */
    const order = [];
    /** @type {Float32Array[]} */
    const rows = [];
    for (;;) {
      const pointer = network.step();
      rows.push(pointer);
      const place = pointer.indexOf(pointer.reduce((most, share) => Math.max(most, share), 0));
      if (place === firsts.length) break;
      order.push(firsts[place]);
      network.visit(place);
    }
    const attention = new Float32Array(rows.length * (points.length + 1));
    const columns = [...firsts, points.length];
    rows.forEach((row, t) => row.forEach((share, j) => (attention[t * (points.length + 1) + columns[j]] = share)));
    return { order, attention };
  }
}

/**
 * Points as shares of the box around them, from -1 to 1; 0 along an axis on which all are equal.
 * @param {number[][]} points
 */
function boxed(points) {
  const extent = points.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1; // so that no difference overflows
  const shrunk = points.map((point) => point.map((value) => value / extent));
  const sides = [0, 1].map((axis) => {
    const values = shrunk.map((point) => point[axis]);
    const low = values.reduce((least, value) => Math.min(least, value), Infinity);
    const shares = values.map((value) => value - low);
    const side = Math.max(shares.reduce((most, value) => Math.max(most, value), 0), SMALLEST);
    // in float32, as the network is given them: its own box divides what is already one
    return rebox(shares.map((share) => Math.fround(share / side)));
  });
  return points.map((_, i) => [sides[0][i], sides[1][i]]);
}

/** @param {number[]} shares along one axis */
function rebox(shares) {
  const high = shares.reduce((most, share) => Math.max(most, share), 0);
  return shares.map((share) => (high > 0 ? share / high : 0.5) * 2 - 1);
}

/**
 * @param {number[][]} points
 * @throws BadShape
 */
function check(points) {
  if (!Array.isArray(points) || !points.every((point) => Array.isArray(point) && point.length === 2))
    throw new BadShape("The points are no table of numbers; give [N, 2], a row x, y per point.");
  if (points.length < 1 || points.length > MOST) throw new BadShape(
    `There are ${points.length.toLocaleString("en")} points; give 1 to ${MOST.toLocaleString("en")}.`);
  const broken = points.findIndex((point) => !point.every(Number.isFinite));
  if (broken >= 0) throw new BadShape(`Point ${broken} is (${points[broken].join(", ")}); every coordinate must be a finite number.`);
}

/**
 * A hull finder from the two files of its folder.
 * @param {string} config text of config.json
 * @param {Uint8Array} weights bytes of model.safetensors
 * @throws BadConfig and BadCheckpoint
 */
export function loadHull(config, weights) {
  const read = readConfig(config);
  chosenFrom({ pointer: true }, read.kind, "pointer networks of kind", read.name);
  const tensors = new Safetensors(weights, read.name);
  const network = new PointerNetwork(read, tensors);
  tensors.checkAllTaken();
  return new HullFinder(read, network);
}
