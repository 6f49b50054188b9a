// @ts-check
// Byte-level BPE as tokenizer.json describes it: text to ids and back, and names that a person can read.
// Source: Sennrich et al. 2016; bytes and the pattern of words are GPT-2's.
// @huggingface/tokenizers 0.2.0 gives the same ids on the strings of the tests; it is 30 kB more, which every live file would have, too.

import { BadCheckpoint } from "./errors.js";

// GPT-2's words. White space is listed as Unicode has it: JavaScript's \s holds U+FEFF and lacks U+0085.
export const WHITE = "\\t-\\r \\x85\\xA0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000";
const WORD = new RegExp(`'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^${WHITE}\\p{L}\\p{N}]+|[${WHITE}]+(?![^${WHITE}])|[${WHITE}]+`, "gu");
const DIGIT = /(\p{N})/u;
export const END_OF_TEXT = "<|endoftext|>"; // begins and ends the texts of our own models
const MOST_WORDS = 20_000; // kept with their ids
const LONGEST_CHARACTER = 4; // bytes, in UTF-8
const BROKEN = "\ufffd"; // stands for bytes that are no whole character

/** A text cut into words, which no piece crosses. @param {string} text */
export const wordsOf = (text) => text.match(WORD) ?? [];

/** The printable character that stands for each byte, by GPT-2's table. */
export const BYTE_LETTERS = byteLetters();

function byteLetters() {
  const plain = (/** @type {number} */ byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(plain(byte) ? byte : next++));
}

/**
 * The merges with a space between their pieces. Of a live file they are lengths of first pieces, of what the last pieces are made of.
 * @param {{ vocab: string[], merges: (string | string[] | number)[] }} model
 */
const mergesOf = ({ vocab, merges }) => merges.map((pair, rank) => {
  if (typeof pair !== "number") return Array.isArray(pair) ? pair.join(" ") : pair;
  const whole = vocab[vocab.length - merges.length + rank];
  return `${whole.slice(0, pair)} ${whole.slice(pair)}`;
});

/** A tokenizer of our own models: <|endoftext|> begins a text, and one typed by a user is plain characters. */
export class Tokenizer {
  /**
   * @param {string} text of tokenizer.json; in a live file its pieces are a list
   * @param {string} name of the model, for messages
   * @param {{ begin: number | null, ends: number[] } | null} own tokens that begin and end texts; null: <|endoftext|> does both
   * @throws BadCheckpoint where it is damaged, or no byte-level BPE
   */
  constructor(text, name, own = null) {
    let json;
    try {
      json = JSON.parse(text);
    } catch {
      throw new BadCheckpoint(`tokenizer.json in ${name} cannot be read as a tokenizer; it may be truncated, copy it again.`);
    }
    checkKind(json, name);
    /** @type {Map<string, number>} */
    this.ids = new Map(Array.isArray(json.model.vocab) ? json.model.vocab.map(
      (/** @type {string} */ piece, /** @type {number} */ id) => [piece, id]) : Object.entries(json.model.vocab));
    /** @type {Map<string, number>} */
    this.ranks = new Map(mergesOf(json.model).map((pair, rank) => [pair, rank]));
    /** @type {Map<number, string>} read by no text that a user types */
    this.special = new Map((json.added_tokens ?? []).map((/** @type {any} */ token) => [token.id, token.content]));
    const end = [...this.special.keys()].find((id) => this.special.get(id) === END_OF_TEXT);
    if (end === undefined && !own) throw new BadCheckpoint(`tokenizer.json in ${name} has no ${END_OF_TEXT} token; retrain it with tlmviz.training.`);
    /** @type {number | null} */
    this.begin = own ? own.begin : end; // null: texts begin with their own first token
    this.ends = new Set(own ? own.ends : [end]);
    this.digits = json.pre_tokenizer.type === "Sequence"; // whether each is a word of its own
    this.size = new Set([...this.ids.values(), ...this.special.keys()]).size; // entries, special ones included
    const values = new Map(BYTE_LETTERS.map((letter, byte) => [letter, byte]));
    /** @type {Uint8Array[]} that each id stands for */
    this.bytes = [];
    for (const [piece, id] of this.ids) this.bytes[id] = Uint8Array.from(piece, (letter) => values.get(letter));
    for (const id of this.special.keys()) this.bytes[id] = new Uint8Array(0);
    /** @type {Map<string, number[]>} */
    this.words = new Map();
  }

  /**
   * Ids of a text, without what begins one.
   * @param {string} text half a surrogate pair in it reads as U+FFFD
   */
  encode(text) {
    const parts = this.digits ? text.split(DIGIT) : [text];
    return parts.flatMap(wordsOf).flatMap((word) => this.word(word));
  }

  /**
   * Ids of one word: of all neighbours the pair that was merged first in training is merged, until none is left to merge.
   * @param {string} word
   */
  word(word) {
    const known = this.words.get(word);
    if (known) return known;
    // A byte that has no piece leaves nothing, as in Python.
    const parts = Array.from(new TextEncoder().encode(word), (byte) => BYTE_LETTERS[byte]).filter((letter) => this.ids.has(letter));
    for (;;) {
      let [best, place] = [Infinity, -1];
      for (let i = 0; i + 1 < parts.length; i++) {
        const rank = this.ranks.get(`${parts[i]} ${parts[i + 1]}`);
        if (rank < best) [best, place] = [rank, i];
      }
      if (place < 0) break;
      parts.splice(place, 2, parts[place] + parts[place + 1]);
    }
    const ids = parts.map((part) => this.ids.get(part));
    if (this.words.size < MOST_WORDS) this.words.set(word, ids);
    return ids;
  }

  /**
   * The text of ids; the special token leaves nothing, broken UTF-8 becomes U+FFFD.
   * @param {number[]} ids
   */
  decode(ids) {
    const parts = ids.map((id) => this.bytes[id] ?? new Uint8Array(0));
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(joined);
  }

  /**
   * The places of ids that are read together, [first, behind]: those of one character, every other one by itself.
   * @param {number[]} ids
   * @returns {[number, number][]}
   */
  characters(ids) {
    /** @type {[number, number][]} */
    const found = [];
    for (let at = 0; at < ids.length; at = found[found.length - 1][1]) {
      let end = at + 1;
      while (end < Math.min(at + LONGEST_CHARACTER, ids.length) && this.decode(ids.slice(at, end)).includes(BROKEN)) end++;
      found.push([at, this.decode(ids.slice(at, end)).includes(BROKEN) ? at + 1 : end]);
    }
    return found;
  }

  /**
   * One id as a short readable string: its text, or its bytes as <0xF0> where they are no whole character.
   * @param {number} id
   */
  nameOf(id) {
    if (this.special.has(id)) return this.special.get(id);
    if (!this.bytes[id]) return `<unused ${id}>`;
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.bytes[id]);
    } catch {
      return Array.from(this.bytes[id], (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`).join("");
    }
  }

  /** The name of a token that a model predicts or has written: one that ends a text is called so. @param {number} id */
  writtenNameOf(id) {
    return this.ends.has(id) ? "⟨end⟩" : this.nameOf(id);
  }
}

/**
 * The tokenizer of a model.
 * @param {{ name: string, vocab_size: number, bos?: boolean }} config
 * @param {string} text of tokenizer.json
 * @throws BadCheckpoint where it is damaged, or another model's
 */
export function tokenizerOf({ name, vocab_size: size, bos = true }, text) {
  const tokenizer = new Tokenizer(text, name);
  if (!bos) tokenizer.begin = null;
  if (tokenizer.size !== size) {
    throw new BadCheckpoint(`${name}: tokenizer.json has ${tokenizer.size} entries, config.json says ${size}; they belong to different models.`);
  }
  return tokenizer;
}

/**
 * @param {any} json of tokenizer.json
 * @param {string} name
 */
function checkKind(json, name) {
  const given = json.pre_tokenizer ?? {};
  const [digits, last] = given.type === "Sequence" ? given.pretokenizers : [];
  const pre = digits?.type === "Digits" && digits.individual_digits && given.pretokenizers.length === 2 ? last : given;
  const plain = !json.normalizer && (json.added_tokens ?? []).every((/** @type {any} */ token) => token.special);
  const byteLevel = pre.type === "ByteLevel" && !pre.add_prefix_space && pre.use_regex !== false && plain;
  if (json.model?.type !== "BPE" || !byteLevel) {
    throw new BadCheckpoint(
      `tokenizer.json in ${name} describes a tokenizer of type ${json.model?.type}; the engine in the browser reads byte-level BPE, run this model in the ` +
      `app.`);
  }
}
