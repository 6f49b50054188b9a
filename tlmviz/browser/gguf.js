// @ts-check
// Reads a GGUF file of the llama family: its configuration, tokenizer and tensors, as tlmviz/checkpoints/gguf.py and
// tlmviz/tokens/gguf.py do. Its W_Q and W_K lie in the interleaved layout of RoPE, so that no row is moved.
//
//     const file = new Gguf(bytes, "smollm2-135m");
//
// Source: the GGUF specification (ggml, docs/gguf.md) and ggml's block structures (ggml-common.h).

import { BlockMatrix, SHARED, fits } from "./block_matrix.js";
import { BadCheckpoint } from "./errors.js";
import { DTYPES } from "./safetensors.js";

/** @typedef {import("./block_matrix.js").Blocks} Blocks */
/** @typedef {{ shape: number[], kind: number, start: number, bytes: number }} Stored a tensor: rows first, its quantisation, where it lies */

const VERSIONS = [2, 3];
const [TEXT, LIST] = [8, 9];
/** The number that stands for a type of values in the header -> its bytes, and how one is read.
 * @type {Record<number, [number, (view: DataView, at: number) => any]>} */
const VALUES = {
  0: [1, (view, at) => view.getUint8(at)],
  1: [1, (view, at) => view.getInt8(at)],
  2: [2, (view, at) => view.getUint16(at, true)],
  3: [2, (view, at) => view.getInt16(at, true)],
  4: [4, (view, at) => view.getUint32(at, true)],
  5: [4, (view, at) => view.getInt32(at, true)],
  6: [4, (view, at) => view.getFloat32(at, true)],
  7: [1, (view, at) => view.getUint8(at) !== 0],
  10: [8, (view, at) => Number(view.getBigUint64(at, true))],
  11: [8, (view, at) => Number(view.getBigInt64(at, true))],
  12: [8, (view, at) => view.getFloat64(at, true)],
};
/**
 * The number of a quantisation -> its name, the numbers of a block and their bytes; of one in blocks of 32 how many bits an
 * integer has, what is taken from it, and whether an offset follows the scale.
 * @type {Record<number, { name: "F32" | "F16" | "BF16" | "Q4_0" | "Q4_1" | "Q8_0", block: number, size: number, bits?: number, minus?: number,
 *   offset?: boolean }>}
 */
export const QUANTISATIONS = {
  0: { name: "F32", block: 1, size: 4 },
  1: { name: "F16", block: 1, size: 2 },
  30: { name: "BF16", block: 1, size: 2 },
  2: { name: "Q4_0", block: SHARED, size: 18, bits: 4, minus: 8 },
  3: { name: "Q4_1", block: SHARED, size: 20, bits: 4, minus: 0, offset: true },
  8: { name: "Q8_0", block: SHARED, size: 34, bits: 8, minus: 0 },
};
/** Our name of a part -> theirs, of which several lie one below the other. @type {Record<string, string[]>} */
const GGUF_NAMES = {
  token_emb: ["token_embd"], norm: ["output_norm"], head: ["output"], norm1: ["attn_norm"], norm2: ["ffn_norm"],
  "attn.qkv": ["attn_q", "attn_k", "attn_v"], "attn.proj": ["attn_output"], "mlp.gate_up": ["ffn_gate", "ffn_up"], "mlp.down": ["ffn_down"],
};

/** A file's metadata by name, and its tensors, each made of the file's bytes when it is taken. */
export class Gguf {
  /**
   * @param {Uint8Array} bytes the whole file
   * @param {string} name of the model, for messages
   * @throws BadCheckpoint where it is cut, no GGUF file, or of an architecture or a quantisation that the engine does not read
   */
  constructor(bytes, name) {
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length); // Node's Buffer has a slice that copies nothing
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.name = name;
    this.file = `${name}.gguf`;
    this.at = 0;
    /** @type {Map<string, any>} */
    this.fields = new Map();
    /** @type {Map<string, Stored>} */
    this.tensors = new Map();
    if (String.fromCharCode(...this.bytes.subarray(0, 4)) !== "GGUF")
      throw new BadCheckpoint(`${this.file} is no GGUF file: it does not begin with the letters GGUF.`);
    try {
      this.readHeader();
    } catch (error) {
      if (!(error instanceof RangeError)) throw error; // a view throws it beyond its end
      throw new BadCheckpoint(`The header of ${this.file} breaks off or is damaged; copy or download it again.`);
    }
    /** @type {Set<string>} */
    this.left = new Set(this.tensors.keys()); // that nobody has taken yet
  }

  readHeader() {
    this.at = 4;
    const version = this.value(4);
    if (!VERSIONS.includes(version)) throw new BadCheckpoint(`${this.file} has GGUF version ${version}; versions ${VERSIONS.join(" and ")} can be read.`);
    const [tensors, fields] = [this.value(10), this.value(10)];
    for (let i = 0; i < fields; i++) this.fields.set(this.text(), this.value(this.value(4)));
    const architecture = this.fields.get("general.architecture") ?? "";
    if (architecture !== "llama") throw new BadCheckpoint(
      `${this.file} has the architecture ${JSON.stringify(architecture)}; the engine in the browser reads GGUF files of llama, run this model in the app.`);
    for (let i = 0; i < tensors; i++) {
      const key = this.text();
      const shape = Array.from({ length: this.value(4) }, () => this.value(10)).reverse();
      this.tensors.set(key, { shape, kind: this.value(4), start: this.value(10), bytes: 0 });
    }
    const step = this.whole("general.alignment", 32);
    const start = Math.ceil(this.at / step) * step;
    for (const [key, stored] of this.tensors) {
      const { shape, kind } = stored;
      const known = QUANTISATIONS[kind];
      if (!known) {
        const names = Object.values(QUANTISATIONS).map((each) => each.name).join(", ");
        throw new BadCheckpoint(
          `${this.file}: ${key} has the quantisation number ${kind}; the engine in the browser reads ${names}, convert the model to one of them.`);
      }
      if (!shape.length || shape[shape.length - 1] % known.block)
        throw new BadCheckpoint(`${this.file}: ${key} has rows of ${shape[shape.length - 1]}, no multiple of its blocks of ${known.block}.`);
      stored.start += start;
      stored.bytes = (countOf(shape) / known.block) * known.size;
      if (!(stored.start + stored.bytes <= this.bytes.length))
        throw new BadCheckpoint(`${this.file} ends before ${key} does; it is truncated, copy or download it again.`);
    }
  }

  /**
   * The value at the reader's place.
   * @param {number} type
   * @returns {any}
   * @throws RangeError beyond the end
   */
  value(type) {
    if (type === TEXT) return this.text();
    if (type === LIST) {
      const [inner, count] = [this.value(4), this.value(10)];
      if (count > this.bytes.length) throw new RangeError("a list beyond the end"); // each entry takes a byte at least
      const all = [];
      for (let i = 0; i < count; i++) all.push(this.value(inner));
      return all;
    }
    if (!VALUES[type]) throw new RangeError("no type of values");
    const [size, read] = VALUES[type];
    this.at += size;
    return read(this.view, this.at - size);
  }

  text() {
    const size = this.value(10);
    this.at += size;
    if (this.at > this.bytes.length) throw new RangeError("a text beyond the end");
    return new TextDecoder().decode(this.bytes.subarray(this.at - size, this.at));
  }

  /**
   * A field of the metadata, of a type that is asked for.
   * @param {string} key
   * @param {string} what it must be
   * @param {(value: any) => boolean} isSo
   * @param {any} [otherwise] where it is missing; else it must be there
   * @returns {any}
   * @throws BadCheckpoint
   */
  field(key, what, isSo, otherwise) {
    const value = this.fields.get(key) ?? otherwise;
    if (value === undefined) throw new BadCheckpoint(`${this.file} does not say ${key}; convert the model again.`);
    if (value !== otherwise && !isSo(value)) throw new BadCheckpoint(
      `${this.file} says that ${key} is ${JSON.stringify(value).slice(0, 40)}, which must be ${what}; convert the model again.`);
    return value;
  }

  /** @param {string} key @param {number} [otherwise] @returns {number} */
  whole(key, otherwise) {
    return this.field(key, "a whole number above 0", (value) => Number.isInteger(value) && value > 0, otherwise);
  }

  /** @param {string} key @param {number} [otherwise] @returns {number} */
  number(key, otherwise) {
    return this.field(key, "a positive number", (value) => value > 0 && Number.isFinite(value), otherwise);
  }

  /**
   * A list of texts or of numbers.
   * @param {string} key
   * @param {"string" | "number"} type
   * @returns {any[]}
   */
  list(key, type) {
    return this.field(key, `a list of ${type}s`, (value) => Array.isArray(value) && value.every((each) => typeof each === type));
  }

  /**
   * What lies where the engine asks for a tensor of ours.
   * @param {string} key
   * @returns {[string, Stored][]}
   * @throws BadCheckpoint where one is missing
   */
  parts(key) {
    const [, layer, part, last] = /** @type {string[]} */ (key.match(/^(?:blocks\.(\d+)\.)?(.+)\.(\w+)$/));
    const names = GGUF_NAMES[part].map((name) => `${layer === undefined ? "" : `blk.${layer}.`}${name}.${last === "weight" ? "weight" : "bias"}`);
    const there = last === "weight" ? names : names.filter((name) => this.tensors.has(name)); // each may have a bias or not
    return there.map((name) => {
      const stored = this.tensors.get(name);
      if (!stored) throw new BadCheckpoint(`${this.file} lacks ${name}; convert or download the model again.`);
      this.left.delete(name);
      return [name, stored];
    });
  }

  /**
   * A tensor as float32, in row-major order.
   * @param {string} key our name
   * @param {number[]} shape that the metadata ask for
   * @throws BadCheckpoint where it is missing, has another shape, or holds what is no number
   */
  take(key, shape) {
    const parts = this.parts(key);
    this.checkShape(parts, shape);
    const all = new Float32Array(countOf(shape));
    let at = 0;
    for (const [name, stored] of parts) {
      const values = this.floats(stored);
      this.checkNumbers(name, values);
      all.set(values, at);
      at += values.length;
    }
    return all;
  }

  /**
   * A linear map: kept in 8 bits where the file has no more, which then are exact.
   * @param {import("./memory.js").Memory} memory
   * @param {string} key
   * @param {number} outputs
   * @param {number} inputs
   * @param {Float32Array | null} bias
   * @returns {BlockMatrix | null} null: of float32, by `take`
   */
  matrix(memory, key, outputs, inputs, bias) {
    const parts = this.parts(key);
    this.checkShape(parts, [outputs, inputs]);
    if (!fits(outputs, inputs) || !parts.every(([, { kind }]) => QUANTISATIONS[kind].bits)) return null;
    const count = outputs * inputs;
    const all = { integers: new Int8Array(count), scale: new Float32Array(count / SHARED), offset: new Float32Array(count / SHARED) };
    let at = 0;
    for (const [name, stored] of parts) {
      const blocks = this.blocks(stored);
      for (const numbers of [blocks.scale, blocks.offset]) this.checkNumbers(name, numbers);
      all.integers.set(blocks.integers, at);
      all.scale.set(blocks.scale, at / SHARED);
      all.offset.set(blocks.offset, at / SHARED);
      at += blocks.integers.length;
    }
    return new BlockMatrix(memory, all, outputs, inputs, bias);
  }

  /**
   * A tensor's numbers.
   * @param {Stored} stored
   * @returns {Float32Array}
   */
  floats(stored) {
    const { name, bits } = QUANTISATIONS[stored.kind];
    if (!bits) return DTYPES[/** @type {"F32" | "F16" | "BF16"} */ (name)].widen(this.bytes.slice(stored.start, stored.start + stored.bytes).buffer);
    const { integers, scale, offset } = this.blocks(stored);
    const values = new Float32Array(integers.length);
    for (let i = 0; i < values.length; i++) values[i] = scale[(i / SHARED) | 0] * integers[i] + offset[(i / SHARED) | 0];
    return values;
  }

  /**
   * A tensor in blocks of 32 numbers; of four bits the first half of a block lies in the low ones of its bytes.
   * @param {Stored} stored
   * @returns {Blocks}
   */
  blocks({ kind, start, bytes }) {
    const { size, bits, minus = 0, offset: shifted } = QUANTISATIONS[kind];
    const count = bytes / size;
    const [integers, numbers, own] = [new Int8Array(count * SHARED), new Uint16Array(2 * count), this.bytes];
    for (let b = 0, at = start, to = 0; b < count; b++, at += size, to += SHARED) {
      numbers[b] = own[at] | (own[at + 1] << 8);
      if (shifted) numbers[count + b] = own[at + 2] | (own[at + 3] << 8);
      const first = at + (shifted ? 4 : 2);
      for (let i = 0; i < size - (first - at); i++) {
        const byte = own[first + i];
        integers[to + i] = bits === 4 ? (byte & 15) - minus : byte;
        if (bits === 4) integers[to + SHARED / 2 + i] = (byte >> 4) - minus;
      }
    }
    const wide = DTYPES.F16.widen(numbers.buffer);
    return { integers, scale: wide.subarray(0, count), offset: wide.subarray(count) };
  }

  /**
   * @param {[string, Stored][]} parts
   * @param {number[]} shape
   */
  checkShape(parts, [rows, ...rest]) {
    const found = parts.reduce((sum, [, stored]) => sum + stored.shape[0], 0);
    const other = parts.find(([, stored]) => String(stored.shape.slice(1)) !== String(rest));
    if (found === rows && !other) return;
    const [name, { shape }] = other ?? parts[0];
    throw new BadCheckpoint(`${this.file}: ${name} is [${shape.join(", ")}], which does not fit the metadata; convert the model again.`);
  }

  /**
   * @param {string} name
   * @param {Float32Array} numbers
   */
  checkNumbers(name, numbers) {
    let sum = 0; // of zeros, and NaN as soon as one number is not finite
    for (let i = 0; i < numbers.length; i++) sum += numbers[i] * 0;
    if (sum !== 0) throw new BadCheckpoint(`${this.file}: ${name} holds NaN or infinity; copy or download the file again.`);
  }

  /** @throws BadCheckpoint where a tensor was not taken */
  checkAllTaken() {
    const [extra] = this.left;
    if (extra) throw new BadCheckpoint(`${this.file} holds ${extra}, which this architecture has no place for; convert or download the model again.`);
  }
}

const countOf = (/** @type {number[]} */ shape) => shape.reduce((product, size) => product * size, 1);
