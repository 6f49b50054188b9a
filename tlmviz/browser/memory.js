// @ts-check
// The engine's memory, which its kernels compute in: one block of float32, and matrices laid out for the kernels.

import { EngineError } from "./errors.js";
import { FUSED_KERNELS, KERNELS } from "./kernel_bytes.js";

export const PANEL = 8; // columns that lie side by side, as the kernels read them
const PAGE_BYTES = 65536; // WebAssembly's unit of memory

/** The least multiple of `PANEL` that is not below n. */
export const padded = (/** @type {number} */ n) => Math.ceil(n / PANEL) * PANEL;

/**
 * What a module of kernels exports.
 * @param {string[]} kernels in base64, the best ones first: the first that this browser runs are taken
 * @param {any} [imports]
 * @returns {any}
 * @throws EngineError where the browser has no WebAssembly with SIMD
 */
export function instanceOf(kernels, imports) {
  const compiled = kernels.map((text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const bytes = typeof WebAssembly === "undefined" ? undefined : compiled.find((each) => WebAssembly.validate(each));
  if (bytes) return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
  throw new EngineError("This browser lacks WebAssembly with SIMD, which the engine computes with; use one of 2023 or later.");
}

/**
 * Memory that only grows while a model is loaded. Places in it are counted in numbers, not in bytes.
 * `numbers` is all of it; do not keep it over a call of `take`, which may move it.
 */
export class Memory {
  /**
   * @param {string[]} kernels in base64, the best ones first: the first that this browser runs are taken
   * @throws EngineError where the browser has no WebAssembly with SIMD
   */
  constructor(kernels = [FUSED_KERNELS, KERNELS]) {
    /** @type {any} */
    this.kernels = instanceOf(kernels);
    this.top = 0;
    this.numbers = new Float32Array(this.kernels.memory.buffer);
    /** @type {Map<string, { place: number, count: number }>} */
    this.shared = new Map();
    /** @type {((name: string, numbers: Float32Array) => void) | null} */
    this.watch = null; // who looks at what passes; the numbers do not stay
  }

  /**
   * Let who watches see numbers by the name that they have in a trace of Python's.
   * @param {string} name
   * @param {number} place
   * @param {number} count
   */
  tap(name, place, count) {
    this.watch?.(name, this.numbers.subarray(place, place + count));
  }

  /**
   * A place for so many numbers, all 0, aligned to 32 bytes.
   * @param {number} count
   * @throws RangeError where the browser gives no more memory
   */
  take(count) {
    const place = this.top;
    this.top = padded(place + count);
    const missing = this.top * 4 - this.numbers.buffer.byteLength;
    if (missing > 0) {
      // By a share at least: each growth has the browser look for garbage. What is not yet written takes no memory.
      this.kernels.memory.grow(Math.ceil(Math.max(missing, this.top / 2) / PAGE_BYTES));
      this.numbers = new Float32Array(this.kernels.memory.buffer);
    }
    return place;
  }

  /**
   * A place for intermediate numbers that all who say this name share.
   * @param {string} name
   * @param {number} count
   */
  scratch(name, count) {
    const known = this.shared.get(name);
    if (known && known.count >= count) return known.place;
    const place = this.take(count);
    this.shared.set(name, { place, count });
    return place;
  }

  /**
   * A place filled with numbers.
   * @param {Float32Array} values
   */
  put(values) {
    const place = this.take(values.length);
    this.numbers.set(values, place);
    return place;
  }

  /**
   * y[T, N] = x[T, K] w[K, N] by the kernel; w lies in panels, N is a multiple of 8.
   * @param {number} x
   * @param {number} xStride
   * @param {number} w
   * @param {number} panelStride
   * @param {number} y
   * @param {number} yStride
   * @param {number} rows T
   * @param {number} inner K
   * @param {number} columns N
   */
  matmul(x, xStride, w, panelStride, y, yStride, rows, inner, columns) {
    this.kernels.matmul(x * 4, xStride * 4, w * 4, panelStride * 4, y * 4, yStride * 4, rows, inner, columns);
  }
}

/** A linear map [N, K] of a checkpoint, in panels of 8 outputs, with its bias where it has one. */
export class Matrix {
  /**
   * @param {Memory} memory
   * @param {Float32Array} values [N, K] in row-major order
   * @param {number} outputs N
   * @param {number} inputs K
   * @param {Float32Array | null} bias [N]
   */
  constructor(memory, values, outputs, inputs, bias = null) {
    this.memory = memory;
    this.outputs = outputs;
    this.inputs = inputs;
    this.place = memory.take(padded(outputs) * inputs);
    this.bias = bias;
    // The kernel writes whole panels: what is no multiple of 8 wide goes through rows of its own.
    this.wide = outputs % PANEL ? memory.take(padded(outputs)) : null;
    const { numbers } = memory;
    for (let n = 0, from = 0; n < outputs; n++) {
      for (let k = 0, to = this.at(n); k < inputs; k++, to += PANEL) numbers[to] = values[from++];
    }
  }

  /**
   * Where row n begins; its further numbers follow 8 apart.
   * @param {number} n
   */
  at(n) {
    return this.place + (n - (n % PANEL)) * this.inputs + (n % PANEL);
  }

  /**
   * Row n of the checkpoint's matrix, an embedding, times a factor, written at `to`.
   * @param {number} n
   * @param {number} to
   * @param {number} factor
   */
  copyRow(n, to, factor) {
    const { numbers } = this.memory;
    for (let k = 0, from = this.at(n); k < this.inputs; k++, from += PANEL) numbers[to + k] = numbers[from] * factor;
  }

  /**
   * Row n of the checkpoint's matrix, [K].
   * @param {number} n
   */
  row(n) {
    const { numbers } = this.memory;
    const first = this.at(n);
    return Float32Array.from({ length: this.inputs }, (_number, k) => numbers[first + k * PANEL]);
  }

  /**
   * x[T, K] W' + bias, written at y, both without gaps between rows.
   * @param {number} x
   * @param {number} y
   * @param {number} rows T
   */
  apply(x, y, rows) {
    const { memory, inputs, outputs } = this;
    const { numbers } = memory;
    if (this.wide === null) {
      memory.matmul(x, inputs, this.place, inputs * PANEL, y, outputs, rows, inputs, outputs);
    } else {
      for (let t = 0; t < rows; t++) {
        memory.matmul(x + t * inputs, inputs, this.place, inputs * PANEL, this.wide, padded(outputs), 1, inputs, padded(outputs));
        numbers.copyWithin(y + t * outputs, this.wide, this.wide + outputs);
      }
    }
    if (!this.bias) return;
    for (let t = 0, at = y; t < rows; t++) for (let n = 0; n < outputs; n++) numbers[at++] += this.bias[n];
  }
}

/** The keys or values of one head in the kernels' layout, a row added per token. */
export class Panels {
  /**
   * @param {Memory} memory
   * @param {number} capacity most rows
   * @param {number} width numbers in a row
   * @param {boolean} transposed whether rows, such as keys, are what the kernel runs over as columns
   * @param {number | null} place of enough numbers; null: one of its own
   */
  constructor(memory, capacity, width, transposed, place = null) {
    this.memory = memory;
    this.width = width;
    this.transposed = transposed;
    this.stride = (transposed ? width : padded(capacity)) * PANEL; // from panel to panel
    this.place = place ?? memory.take(padded(capacity) * (transposed ? width : padded(width)));
  }

  /**
   * The first rows of another one of the same size.
   * @param {Panels} other
   * @param {number} rows
   */
  copy(other, rows) {
    const { memory: { numbers }, stride, width, transposed } = this;
    // Keys lie in panels of 8 rows, one behind the other; of values each panel of 8 columns has its rows in front.
    const [panels, count] = transposed ? [1, (padded(rows) / PANEL) * stride] : [padded(width) / PANEL, rows * PANEL];
    for (let p = 0; p < panels; p++) {
      const from = other.place + p * stride;
      numbers.copyWithin(this.place + p * stride, from, from + count);
    }
  }

  /**
   * Row t, from `numbers` at `from` on.
   * @param {number} t
   * @param {ArrayLike<number>} numbers
   * @param {number} from
   */
  write(t, numbers, from) {
    const own = this.memory.numbers;
    const { place, stride, width } = this;
    if (this.transposed) {
      for (let d = 0, to = place + ((t / PANEL) | 0) * stride + (t % PANEL); d < width; d++, to += PANEL) own[to] = numbers[from + d];
    } else {
      for (let d = 0; d < width; d++) own[place + ((d / PANEL) | 0) * stride + t * PANEL + (d % PANEL)] = numbers[from + d];
    }
  }
}
