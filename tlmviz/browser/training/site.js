// @ts-check
// What the parts of a network that learns are built from: its parameters, and the places of intermediate numbers.

import { Memory } from "../memory.js";
import { dice } from "#canvas/dice.js";
import { FUSED_TRAINING_KERNELS, TRAINING_KERNELS } from "./kernel_bytes.js";

/** @typedef {{ name: string, place: number, rows: number, columns: number, spread: number, used: number }} Tensor `used`: columns that are not padding */

const ROWS = 128; // of a product at once: what it reads and writes stays in the processor's cache

/** A number of mean 0 and variance 1. @param {() => number} roll */
export const normal = (roll) => Math.sqrt(-2 * Math.log(1 - roll())) * Math.cos(2 * Math.PI * roll());

/**
 * Parameters lie without gaps from place 0 on; behind them, in blocks of the same `size`, Adam's means of gradients and of
 * their squares, and the gradients. Parts take parameters when they are made, and other places in `reserve`.
 */
export class Site {
  /** @param {import("./settings.js").Settings} settings */
  constructor(settings) {
    this.settings = settings;
    this.memory = new Memory([FUSED_TRAINING_KERNELS, TRAINING_KERNELS]);
    this.kernels = this.memory.kernels;
    this.size = 0;
    /** @type {Tensor[]} */
    this.tensors = [];
  }

  /**
   * A parameter [rows, columns], whose numbers are drawn with this standard deviation; 0: they are all 1.
   * @param {string} name
   * @param {number} rows
   * @param {number} columns a multiple of 4
   * @param {number} spread
   * @param {number} [used] columns that are not padding, which stays 0
   */
  parameter(name, rows, columns, spread, used = columns) {
    const place = this.memory.take(rows * columns);
    this.tensors.push({ name, place, rows, columns, spread, used });
    return place;
  }

  /** All parameters are known: give them gradients and means, and draw them. */
  begin() {
    this.size = this.memory.top;
    this.memory.take(3 * this.size);
    const roll = dice(this.settings.seed + 1);
    const { numbers } = this.memory;
    for (const { place, rows, columns, spread, used } of this.tensors) {
      for (let i = 0; i < rows; i++) for (let j = 0; j < used; j++) numbers[place + i * columns + j] = spread ? spread * normal(roll) : 1;
    }
  }

  /** Where the gradient of the parameter at `place` is. @param {number} place */
  gradient(place) {
    return place + 3 * this.size;
  }

  /**
   * c[M, N] = a[M, K] b[K, N], added to what is there where `add`; a is read with any two strides.
   * @param {number} a
   * @param {number} aRow from row to row
   * @param {number} aColumn from number to number in a row
   * @param {number} b
   * @param {number} bRow
   * @param {number} c
   * @param {number} cRow
   * @param {number} M
   * @param {number} K
   * @param {number} N a multiple of 4
   * @param {boolean} [add]
   */
  product(a, aRow, aColumn, b, bRow, c, cRow, M, K, N, add = false) {
    this.kernels.matmul(a * 4, aRow * 4, aColumn * 4, b * 4, bRow * 4, c * 4, cRow * 4, M, K, N, add);
  }

  /**
   * @param {number} from
   * @param {number} to
   * @param {number} count
   */
  copy(from, to, count) {
    this.memory.numbers.copyWithin(to, from, from + count);
  }
}

/** y = x W of rows, and its gradients. */
export class Linear {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} inputs K
   * @param {number} outputs N, a multiple of 4
   * @param {number} spread
   * @param {number} [used] outputs that are not padding
   */
  constructor(site, name, inputs, outputs, spread, used) {
    this.site = site;
    this.inputs = inputs;
    this.outputs = outputs;
    this.weight = site.parameter(name, inputs, outputs, spread, used);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} rows
   * @param {boolean} [add]
   */
  forward(x, y, rows, add = false) {
    const { site, inputs, outputs, weight } = this;
    for (let r = 0; r < rows; r += ROWS) {
      site.product(x + r * inputs, inputs, 1, weight, outputs, y + r * outputs, outputs, Math.min(ROWS, rows - r), inputs, outputs, add);
    }
  }

  /**
   * The weight's gradient grows by x' dy, and dx = dy W'.
   * @param {number} x
   * @param {number} dy
   * @param {number} dx
   * @param {number} rows
   */
  backward(x, dy, dx, rows) {
    const { site, inputs, outputs, weight } = this;
    const turned = site.memory.scratch("turned weight", inputs * outputs);
    site.kernels.transpose(weight * 4, outputs * 4, turned * 4, inputs, outputs);
    for (let r = 0; r < rows; r += ROWS) {
      const count = Math.min(ROWS, rows - r);
      site.product(x + r * inputs, 1, inputs, dy + r * outputs, outputs, site.gradient(weight), outputs, inputs, count, outputs, true);
      site.product(dy + r * outputs, outputs, 1, turned, inputs, dx + r * inputs, inputs, count, outputs, inputs);
    }
  }
}

/** RMSNorm with a gain; without it x as it is. */
export class Norm {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    this.site = site;
    this.gain = site.settings.norm ? site.parameter(name, 1, site.settings.width, 0) : null;
    this.factors = 0; // of each row, kept for the gradient
  }

  /** @param {number} rows */
  reserve(rows) {
    this.factors = this.site.memory.take(rows);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} rows
   */
  forward(x, y, rows) {
    const { site, gain, factors } = this;
    const { width } = site.settings;
    if (gain === null) site.copy(x, y, rows * width);
    else site.kernels.rms_norm(x * 4, gain * 4, y * 4, factors * 4, rows, width);
  }

  /**
   * dx, or more of it where `add`, and the gain's gradient.
   * @param {number} x
   * @param {number} dy
   * @param {number} dx
   * @param {number} rows
   * @param {boolean} [add]
   */
  backward(x, dy, dx, rows, add = false) {
    const { site, gain, factors } = this;
    const { width } = site.settings;
    if (gain !== null) site.kernels.rms_norm_backward(x * 4, gain * 4, dy * 4, factors * 4, dx * 4, site.gradient(gain) * 4, rows, width, add);
    else if (add) site.kernels.add(dx * 4, dy * 4, rows * width);
    else site.copy(dy, dx, rows * width);
  }
}
