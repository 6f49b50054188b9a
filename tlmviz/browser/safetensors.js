// @ts-check
// Reads model.safetensors as it lies: a header in JSON, then the numbers, which are widened to float32 when a tensor is taken.
// A tensor of 8-bit integers has a scale for each of its rows beside it, "name.scale", as a live file of `bits=8` writes it.
// Source: the format's description, github.com/huggingface/safetensors#format.

import { BadCheckpoint } from "./errors.js";

/** @typedef {{ dtype: string, shape: number[], data_offsets: [number, number] }} Entry of the header */

const LENGTH_BYTES = 8; // of the header's length, in front of it
const MOST_HEADER = 100e6; // bytes, as the format's own reader allows

/** @type {Float32Array | null} */
let halves = null; // the value of each of the 65,536 half-precision numbers

/** Each type's bytes per number, and float32 made of its bytes. */
export const DTYPES = {
  F32: { size: 4, widen: (/** @type {ArrayBuffer} */ bytes) => new Float32Array(bytes) },
  F16: {
    size: 2,
    widen: (/** @type {ArrayBuffer} */ bytes) => {
      halves ??= Float32Array.from({ length: 65536 }, (_, bits) => halfValue(bits));
      const [given, wide] = [new Uint16Array(bytes), new Float32Array(bytes.byteLength / 2)];
      for (let i = 0; i < given.length; i++) wide[i] = halves[given[i]];
      return wide;
    },
  },
  BF16: {
    size: 2,
    widen: (/** @type {ArrayBuffer} */ bytes) => {
      const [given, wide] = [new Uint16Array(bytes), new Uint32Array(bytes.byteLength / 2)];
      for (let i = 0; i < given.length; i++) wide[i] = given[i] << 16; // bfloat16 is float32's upper half
      return new Float32Array(wide.buffer);
    },
  },
  I8: { size: 1, widen: (/** @type {ArrayBuffer} */ bytes) => Float32Array.from(new Int8Array(bytes)) },
};

/**
 * The number that 16 bits of half precision stand for.
 * @param {number} bits
 */
function halfValue(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  if (exponent === 31) return mantissa ? NaN : sign * Infinity;
  return sign * (1 + mantissa / 1024) * 2 ** (exponent - 15);
}

/** The tensors of one file. Each is widened when it is taken, so that no more than one lies in memory twice. */
export class Safetensors {
  /**
   * @param {Uint8Array} bytes the whole file
   * @param {string} name of the model, for messages
   * @throws BadCheckpoint where the file is cut or is no safetensors file
   */
  constructor(bytes, name) {
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length); // Node's Buffer has a slice that copies nothing
    this.file = `${name}/model.safetensors`;
    const { entries, start } = this.header();
    this.entries = entries;
    this.start = start;
    /** @type {Set<string>} */
    this.left = new Set(entries.keys()); // that nobody has taken yet
  }

  /**
   * Names and places of all tensors, and where the numbers begin.
   * @returns {{ entries: Map<string, Entry>, start: number }}
   */
  header() {
    const { bytes } = this;
    if (bytes.length < LENGTH_BYTES) throw this.unreadable(`it has ${bytes.length} bytes`);
    const length = Number(new DataView(bytes.buffer, bytes.byteOffset, LENGTH_BYTES).getBigUint64(0, true));
    const start = LENGTH_BYTES + length;
    if (length > MOST_HEADER || start > bytes.length) throw this.unreadable("its header is longer than the file");
    let named;
    try {
      named = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(LENGTH_BYTES, start)));
    } catch {
      throw this.unreadable("its header is not JSON");
    }
    delete named.__metadata__;
    const entries = /** @type {Map<string, Entry>} */ (new Map(Object.entries(named)));
    for (const [key, entry] of entries) this.check(key, entry, bytes.length - start);
    return { entries, start };
  }

  /**
   * @param {string} key
   * @param {Entry} entry
   * @param {number} length of all numbers, in bytes
   */
  check(key, { dtype, shape, data_offsets: offsets }, length) {
    if (!(dtype in DTYPES)) {
      throw new BadCheckpoint(
        `${this.file}: ${key} is of type ${dtype}; the engine in the browser reads ${Object.keys(DTYPES).join(", ")}, convert the file to one of them.`);
    }
    const [from, to] = offsets;
    const bytes = shape.reduce((product, size) => product * size, 1) * DTYPES[/** @type {keyof typeof DTYPES} */ (dtype)].size;
    if (!(from >= 0 && to <= length && to - from === bytes)) throw this.unreadable(`${key} does not lie within it`);
  }

  /** @param {string} why */
  unreadable(why) {
    return new BadCheckpoint(`${this.file} cannot be read (${why}); it may be truncated, copy it again.`);
  }

  /** @param {string} key */
  has(key) {
    return this.entries.has(key);
  }

  /**
   * A tensor as float32, in row-major order.
   * @param {string} key
   * @param {number[]} shape that the configuration asks for
   * @returns {Float32Array}
   * @throws BadCheckpoint where it is missing, has another shape, or holds what is no number
   */
  take(key, shape) {
    const entry = this.entries.get(key);
    if (!entry) throw new BadCheckpoint(`${this.file} lacks ${key}; config.json describes another model.`);
    if (String(entry.shape) !== String(shape)) {
      throw new BadCheckpoint(`${this.file}: ${key} is [${entry.shape.join(", ")}], config.json asks for [${shape.join(", ")}].`);
    }
    this.left.delete(key);
    const [from, to] = entry.data_offsets.map((offset) => this.start + offset);
    const wide = DTYPES[/** @type {keyof typeof DTYPES} */ (entry.dtype)].widen(this.bytes.slice(from, to).buffer);
    if (entry.dtype === "I8") this.rescale(wide, key, shape);
    let sum = 0; // of zeros, and NaN as soon as one number is not finite: quicker than asking each
    for (let i = 0; i < wide.length; i++) sum += wide[i] * 0;
    if (sum !== 0) throw new BadCheckpoint(`${this.file}: ${key} holds NaN or infinity; copy the file again or retrain.`);
    return wide;
  }

  /**
   * Integers times the scales of their rows, in place.
   * @param {Float32Array} wide
   * @param {string} key
   * @param {number[]} shape
   */
  rescale(wide, key, shape) {
    const width = shape[shape.length - 1];
    const scales = this.take(`${key}.scale`, [wide.length / width]);
    for (let i = 0; i < wide.length; i++) wide[i] *= scales[Math.floor(i / width)];
  }

  /** @throws BadCheckpoint where a tensor was not taken */
  checkAllTaken() {
    const [extra] = this.left;
    if (extra) throw new BadCheckpoint(`${this.file} holds ${extra}, which this model has no place for; config.json describes another model.`);
  }
}
