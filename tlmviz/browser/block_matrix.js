// @ts-check
// A linear map kept in 8 bits, as the kernels `block_row` and `widen` read it: integers, with a scale and an offset for 32 of them.

import { BLOCKS_KERNELS, FUSED_BLOCKS_KERNELS } from "./blocks/kernel_bytes.js";
import { instanceOf, PANEL } from "./memory.js";

/** @typedef {import("./memory.js").Memory} Memory */
/**
 * Numbers in row-major order; number i is scale[i / 32] * integers[i] + offset[i / 32].
 * @typedef {{ integers: Int8Array, scale: Float32Array, offset: Float32Array }} Blocks
 */

export const SHARED = 32; // numbers that share a scale
const HEAD = 2 * PANEL; // scales and offsets, in front of a block of a panel
const SIZE = HEAD + (SHARED * PANEL) / 4; // of such a block, in numbers of 4 bytes
const FEW_ROWS = 3; // rows of x that are faster without widening first

/** The kernels of each memory. @type {WeakMap<Memory, any>} */
const BLOCK_KERNELS = new WeakMap();

/** Whether a matrix [N, K] can be kept so. */
export const fits = (/** @type {number} */ outputs, /** @type {number} */ inputs) => outputs % PANEL === 0 && inputs % SHARED === 0;

/** As `Matrix`, of a quarter of its memory; a matrix of float32 reads so much of it that one further token takes twice as long. */
export class BlockMatrix {
  /**
   * @param {Memory} memory
   * @param {Blocks} blocks [N, K]
   * @param {number} outputs N
   * @param {number} inputs K
   * @param {Float32Array | null} bias [N]
   */
  constructor(memory, { integers, scale, offset }, outputs, inputs, bias) {
    this.memory = memory;
    if (!BLOCK_KERNELS.has(memory)) BLOCK_KERNELS.set(memory,
      instanceOf([FUSED_BLOCKS_KERNELS, BLOCKS_KERNELS], { engine: { memory: memory.kernels.memory } }));
    this.kernels = BLOCK_KERNELS.get(memory);
    this.outputs = outputs;
    this.inputs = inputs;
    this.bias = bias;
    this.panel = (inputs / SHARED) * SIZE; // numbers of 4 bytes from one to the next
    this.place = memory.take((outputs / PANEL) * this.panel);
    this.wide = memory.scratch("a panel in float32", inputs * PANEL);
    const { numbers } = memory;
    const bytes = new Int8Array(numbers.buffer);
    for (let n = 0, b = 0; n < outputs; n++) {
      for (let at = this.at(n), end = at + this.panel; at < end; at += SIZE, b++) {
        numbers[at] = scale[b];
        numbers[at + PANEL] = offset[b];
        for (let i = b * SHARED, to = this.integersAt(at, n); i < (b + 1) * SHARED; i++, to += PANEL) bytes[to] = integers[i];
      }
    }
  }

  /** Where the scale of row n's first block lies. @param {number} n */
  at(n) {
    return this.place + ((n / PANEL) | 0) * this.panel + (n % PANEL);
  }

  /**
   * The byte of a block's first integer, of which the others follow 8 apart.
   * @param {number} at place of its scale
   * @param {number} n its row
   */
  integersAt(at, n) {
    return (at - (n % PANEL) + HEAD) * 4 + (n % PANEL);
  }

  /**
   * Row n of the checkpoint's matrix, an embedding, times a factor, written at `to`.
   * @param {number} n
   * @param {number} to
   * @param {number} factor
   */
  copyRow(n, to, factor) {
    const { numbers } = this.memory;
    this.row(n).forEach((value, k) => (numbers[to + k] = value * factor));
  }

  /** Row n of the checkpoint's matrix, [K]. @param {number} n */
  row(n) {
    const { memory: { numbers }, inputs } = this;
    const bytes = new Int8Array(numbers.buffer);
    return Float32Array.from({ length: inputs }, (_number, k) => {
      const at = this.at(n) + ((k / SHARED) | 0) * SIZE;
      return numbers[at] * bytes[this.integersAt(at, n) + (k % SHARED) * PANEL] + numbers[at + PANEL];
    });
  }

  /**
   * x[T, K] W' + bias, written at y, both without gaps between rows.
   * @param {number} x
   * @param {number} y
   * @param {number} rows T
   */
  apply(x, y, rows) {
    const { memory, kernels, place, panel, wide, inputs, outputs, bias } = this;
    const { numbers } = memory;
    if (rows <= FEW_ROWS) {
      for (let t = 0; t < rows; t++) kernels.block_row((x + t * inputs) * 4, place * 4, (y + t * outputs) * 4, inputs, outputs);
    } else {
      for (let n = 0, at = place; n < outputs; n += PANEL, at += panel) {
        kernels.widen(at * 4, wide * 4, inputs);
        memory.matmul(x, inputs, wide, inputs * PANEL, y + n, outputs, rows, inputs, PANEL);
      }
    }
    if (bias) for (let t = 0, at = y; t < rows; t++) for (let n = 0; n < outputs; n++) numbers[at++] += bias[n];
  }
}
