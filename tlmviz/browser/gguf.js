// @ts-check
// Reads a GGUF file of the llama family: its configuration, tokenizer and tensors, as tlmviz/checkpoints/gguf.py and
// tlmviz/tokens/gguf.py do. Its W_Q and W_K lie in the interleaved layout of RoPE, so that no row is moved.
//
//     const lm = loadGguf(bytes, "smollm2-135m");
//
// Source: the GGUF specification (ggml, docs/gguf.md) and ggml's block structures (ggml-common.h).

import { SHARED, BlockMatrix, fits } from "./block_matrix.js";
import { readConfig } from "./config.js";
import { BadCheckpoint } from "./errors.js";
import { LanguageModel } from "./language_model.js";
import { TransformerLM } from "./network.js";
import { DTYPES } from "./safetensors.js";
import { withinMemory } from "./site.js";
import { END_OF_TEXT, Tokenizer } from "./tokenizer.js";

/** @typedef {import("./block_matrix.js").Blocks} Blocks */
/** @typedef {{ shape: number[], kind: number, start: number, bytes: number }} Stored a tensor: rows first, its quantisation, where it lies */

const VERSIONS = [2, 3];
export const MOST_TOKENS = 1024; // of a text: keys and values of so many are laid out, whatever more the model can read
const [TEXT, LIST] = [8, 9];
/** The number that stands for a type of values in the header -> its bytes, and how one is read. @type {Record<number, [number, (view: DataView, at: number) => any]>} */
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
 * @type {Record<number, { name: "F32" | "F16" | "BF16" | "Q4_0" | "Q4_1" | "Q8_0", block: number, size: number, bits?: number, minus?: number, offset?: boolean }>}
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
/** tokenizer.ggml.pre -> whether each digit is a word of its own. @type {Record<string, boolean>} */
export const SPLITS = { "gpt-2": false, smollm: true, starcoder: true, refact: true, "command-r": true };
const [NORMAL, UNKNOWN, CONTROL, USER_DEFINED] = [1, 2, 3, 4]; // tokenizer.ggml.token_type
const ENDS = [END_OF_TEXT, "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>", "</s>"];

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
    if (String.fromCharCode(...this.bytes.subarray(0, 4)) !== "GGUF") throw new BadCheckpoint(`${this.file} is no GGUF file: it does not begin with the letters GGUF.`);
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
    if (architecture !== "llama") throw new BadCheckpoint(`${this.file} has the architecture ${JSON.stringify(architecture)}; the engine in the browser reads GGUF files of llama, run this model in the app.`);
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
        throw new BadCheckpoint(`${this.file}: ${key} has the quantisation number ${kind}; the engine in the browser reads ${names}, convert the model to one of them.`);
      }
      if (!shape.length || shape[shape.length - 1] % known.block) throw new BadCheckpoint(`${this.file}: ${key} has rows of ${shape[shape.length - 1]}, no multiple of its blocks of ${known.block}.`);
      stored.start += start;
      stored.bytes = (countOf(shape) / known.block) * known.size;
      if (!(stored.start + stored.bytes <= this.bytes.length)) throw new BadCheckpoint(`${this.file} ends before ${key} does; it is truncated, copy or download it again.`);
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
    if (value !== otherwise && !isSo(value)) throw new BadCheckpoint(`${this.file} says that ${key} is ${JSON.stringify(value).slice(0, 40)}, which must be ${what}; convert the model again.`);
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

/**
 * config.json of the metadata.
 * @param {Gguf} gguf
 * @throws BadCheckpoint where they describe a part that the engine lacks
 */
export function configText(gguf) {
  const { fields, tensors, file, name } = gguf;
  const whole = (/** @type {string} */ key, /** @type {number | undefined} */ otherwise = undefined) => gguf.whole(`llama.${key}`, otherwise);
  const [heads, width] = [whole("attention.head_count"), whole("embedding_length")];
  const dim = whole("attention.key_length", Math.floor(width / heads));
  const scaling = fields.get("llama.rope.scaling.type") ?? "none";
  const lacks = Object.entries({
    experts: (fields.get("llama.expert_count") ?? 0) > 0,
    [`RoPE scaling ${JSON.stringify(scaling)}`]: !["none", "linear"].includes(scaling),
    "RoPE frequencies of its own": tensors.has("rope_freqs.weight"),
    "RoPE on a part of each head": whole("rope.dimension_count", dim) !== dim,
    "values of another width than keys": whole("attention.value_length", dim) !== dim,
  }).find(([, holds]) => holds);
  if (lacks) throw new BadCheckpoint(`${file} has ${lacks[0]}, which the engine in the browser does not read; run this model in the app.`);
  const embedding = tensors.get("token_embd.weight");
  if (!embedding) throw new BadCheckpoint(`${file} lacks token_embd.weight; convert the model again.`);
  const biased = (/** @type {string} */ part) => tensors.has(`blk.0.attn_${part}.bias`);
  return JSON.stringify({
    name,
    description: `${fields.get("general.name") ?? name}, ${whole("block_count")} layers × ${heads} heads (GGUF)`,
    vocab_size: embedding.shape[0],
    n_layers: whole("block_count"),
    d_model: width,
    context: Math.min(whole("context_length"), MOST_TOKENS),
    tied: !tensors.has("output.weight"),
    attention: {
      n_heads: heads, n_kv_heads: whole("attention.head_count_kv", heads), head_dim: dim,
      q_bias: biased("q"), k_bias: biased("k"), v_bias: biased("v"), o_bias: biased("output"),
    },
    positions: {
      rope_base: gguf.number("llama.rope.freq_base", 10000), scaling,
      factor: scaling === "none" ? 1 : gguf.number("llama.rope.scaling.factor", 1),
    },
    norm: { eps: gguf.number("llama.attention.layer_norm_rms_epsilon") },
    feedforward: { hidden: whole("feed_forward_length") },
  });
}

/**
 * The tokenizer of the metadata.
 * @param {Gguf} gguf
 * @throws BadCheckpoint where it is no byte-level BPE, or cuts texts in a way that the engine does not know
 */
export function tokenizerIn(gguf) {
  const { fields, file, name } = gguf;
  const get = (/** @type {string} */ key) => fields.get(`tokenizer.ggml.${key}`);
  const [model, split] = [get("model"), get("pre")];
  if (model !== "gpt2") throw new BadCheckpoint(`${file} has the tokenizer ${JSON.stringify(model ?? "")}; the engine in the browser reads gpt2 (byte-level BPE), run this model in the app.`);
  if (!Object.hasOwn(SPLITS, split)) throw new BadCheckpoint(`${file} cuts texts in the way ${JSON.stringify(split ?? "")}; the engine in the browser knows ${Object.keys(SPLITS).join(", ")}, run this model in the app.`);
  const [pieces, merges] = ["tokens", "merges"].map((key) => gguf.list(`tokenizer.ggml.${key}`, "string"));
  const types = get("token_type") === undefined ? pieces.map(() => NORMAL) : gguf.list("tokenizer.ggml.token_type", "number");
  if (types.length !== pieces.length) throw new BadCheckpoint(`${file} says of ${types.length} tokens of which type they are, and has ${pieces.length}; convert the model again.`);
  if (types.includes(USER_DEFINED) || get("add_eos_token")) throw new BadCheckpoint(`${file} has tokens for parts or ends of a text, which the engine in the browser does not read; run this model in the app.`);
  const known = new Set(pieces);
  const fit = (/** @type {string[]} */ pair) => pair.length === 2 && [...pair, pair.join("")].every((piece) => known.has(piece));
  if (!merges.every((merge) => fit(merge.split(" ")))) throw new BadCheckpoint(`The merges of ${file} do not fit its tokens; convert the model again with its tokenizer.`);
  const special = pieces.flatMap((content, id) => (types[id] === CONTROL || types[id] === UNKNOWN ? [{ id, content, special: true }] : []));
  const named = (/** @type {string} */ which) => (Number.isInteger(get(which)) && get(which) in pieces ? [get(which)] : []);
  const ends = ["eos", "eot", "eom"].flatMap((which) => named(`${which}_token_id`));
  ends.push(...ENDS.map((end) => pieces.indexOf(end)).filter((id) => types[id] === CONTROL));
  if (!ends.length) throw new BadCheckpoint(`${file} names no token that ends a text; its metadata lack eos_token_id.`);
  const [begin = null] = get("add_bos_token") ? named("bos_token_id") : [];
  if (get("add_bos_token") && begin === null) throw new BadCheckpoint(`${file} begins a text with a token that it does not have; convert the model again.`);
  const words = { type: "ByteLevel", add_prefix_space: false };
  const json = {
    model: { type: "BPE", vocab: pieces, merges },
    added_tokens: special,
    pre_tokenizer: SPLITS[split] ? { type: "Sequence", pretokenizers: [{ type: "Digits", individual_digits: true }, words] } : words,
  };
  return new Tokenizer(JSON.stringify(json), name, { begin, ends });
}

/**
 * A language model from a GGUF file.
 * @param {Uint8Array} bytes of the whole file
 * @param {string} name
 * @returns {LanguageModel}
 * @throws BadCheckpoint and BadConfig where the file is damaged, or needs a part that the engine does not have; EngineError
 *   where there is no WebAssembly with SIMD, or too little memory
 */
export function loadGguf(bytes, name) {
  const gguf = new Gguf(bytes, name);
  const config = readConfig(configText(gguf));
  const words = tokenizerIn(gguf);
  if (words.size > config.vocab_size) throw new BadCheckpoint(`${gguf.file} has ${words.size} tokens and an embedding of ${config.vocab_size}; convert the model again.`);
  return withinMemory(config, config.n_layers, () => {
    const network = new TransformerLM(config, gguf);
    gguf.checkAllTaken();
    gguf.bytes = new Uint8Array(0); // the network knows its weights, which need no second place
    gguf.view = new DataView(gguf.bytes.buffer);
    return new LanguageModel(network, words);
  });
}
