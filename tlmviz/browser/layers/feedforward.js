// @ts-check
// Position-wise feed-forward networks: tlmviz/layers/feedforward.py.

import { chosenFrom } from "../config.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../memory.js").Memory} Memory */
/** @typedef {(memory: Memory, x: number, out: number, count: number) => void} Activation of so many numbers */

/**
 * An activation of one number, for all.
 * @param {(x: number) => number} of
 * @returns {Activation}
 */
const each = (of) => ({ numbers }, x, out, count) => {
  for (let i = 0; i < count; i++) numbers[out + i] = of(numbers[x + i]);
};

/** @type {Activation} By the kernel, which rounds up to four numbers. */
export const silu = ({ kernels }, x, out, count) => kernels.silu(x * 4, out * 4, (count + 3) & ~3);
const relu = each((x) => Math.max(x, 0));
export const gelu = each((x) => (x * complement(-x * Math.SQRT1_2)) / 2);
const geluTanh = each((x) => (x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)))) / 2);

const ACTIVATIONS = { relu, gelu, "gelu-tanh": geluTanh, silu, swiglu: silu, geglu: gelu, "geglu-tanh": geluTanh };
const GATED = ["swiglu", "geglu", "geglu-tanh"];

/**
 * The complementary error function, with a relative error below 1.2e-7 (Numerical Recipes, section 6.2).
 * @param {number} x
 */
function complement(x) {
  const t = 2 / (2 + Math.abs(x));
  const series = [0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223];
  let sum = 0;
  for (const term of series) sum = sum * t + term;
  const value = t * Math.exp(-x * x + sum);
  return x >= 0 ? value : 2 - value;
}

/** Two linear maps with an activation between, or (act(x W_gate) * x W_up) W_down with a gate (Shazeer 2020). */
export class FeedForward {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {string} kind of activation
   * @param {number} hidden F
   * @param {boolean} bias
   */
  constructor(site, name, kind, hidden, bias) {
    const { config, memory } = site;
    this.memory = memory;
    this.name = name;
    this.hidden = hidden;
    this.activation = chosenFrom(ACTIVATIONS, kind, "feed-forward", config.name);
    this.gated = GATED.includes(kind);
    const [up, width] = this.gated ? ["gate_up", 2 * hidden] : ["up", hidden];
    this.up = site.linear(`${name}.${up}`, width, config.d_model, bias);
    this.down = site.linear(`${name}.down`, config.d_model, hidden, bias);
    this.before = site.scratch("before the activation", site.chunk * width + 4);
    this.behind = site.scratch("behind the activation", site.chunk * hidden + 4);
  }

  /**
   * @param {number} x [T, C]
   * @param {number} out [T, C]
   * @param {number} rows
   */
  apply(x, out, rows) {
    const { memory, name, before, behind, hidden } = this;
    this.up.apply(x, before, rows);
    memory.tap(`${name}.up`, before, rows * this.up.outputs);
    if (this.gated) gate(memory, this.activation, before, behind, rows, hidden);
    else this.activation(memory, before, behind, rows * hidden);
    memory.tap(`${name}.hidden`, behind, rows * hidden);
    this.down.apply(behind, out, rows);
    memory.tap(`${name}.out`, out, rows * this.down.outputs);
  }
}

/**
 * The network of a configuration's own kind.
 * @param {Site} site
 * @param {string} name
 */
export function plainFeedForward(site, name) {
  const { kind, hidden, bias } = site.config.feedforward;
  return new FeedForward(site, name, kind, hidden, bias);
}

/**
 * act(gate) * up of rows that hold both side by side.
 * @param {Memory} memory
 * @param {Activation} activation
 * @param {number} before [T, 2 F]
 * @param {number} behind [T, F]
 * @param {number} rows
 * @param {number} hidden F
 */
export function gate(memory, activation, before, behind, rows, hidden) {
  const { numbers } = memory;
  for (let t = 0; t < rows; t++) {
    const [from, to] = [before + 2 * t * hidden, behind + t * hidden];
    activation(memory, from, to, hidden);
    for (let i = 0; i < hidden; i++) numbers[to + i] *= numbers[from + hidden + i];
  }
}
