// @ts-check
// A trained word-vector model with its vocabulary, looked at where this script runs: tlmviz/facades/word_vectors.py.
//
//     const words = loadWords(configText, weightsBytes, vocabularyText);
//     words.neighbours("dog", 5); // [["puppy", 0.81], ...]

import { chosenFrom, readConfig } from "./config.js";
import { BadCheckpoint, UnknownName } from "./errors.js";
import { Safetensors } from "./safetensors.js";

/** @typedef {[word: string, cosine: number]} Near */

const WORD_SHOWN = 60; // characters of a word in a message
const KEPT = /[\p{L}\p{M}\p{N}]/u; // letters, marks that belong to them, numbers
const APOSTROPHES = "'’ʼ";
const [OFFSET, PRIME] = [2166136261, 16777619]; // FNV-1a of 32 bits
const LEAST_LENGTH = 1e-12; // length below which a vector counts as so long

/**
 * The words of a text: lower case, apostrophes inside kept, punctuation dropped.
 * @param {string} text
 */
export function splitWords(text) {
  const spaced = Array.from(text.toLowerCase(), (letter) => (APOSTROPHES.includes(letter) ? "'" : KEPT.test(letter) ? letter : " "));
  return spaced.join("").split(" ").map((piece) => piece.replace(/^'+|'+$/g, "")).filter(Boolean);
}

/**
 * The n-grams of a word with its boundary marks, in the order of the word; the whole marked word only if it is the only one.
 * @param {string} word
 * @param {number} shortest
 * @param {number} longest
 */
export function ngrams(word, shortest, longest) {
  const marked = Array.from(`<${word}>`);
  const found = marked.flatMap((_, start) =>
    Array.from({ length: longest - shortest + 1 }, (_, i) => shortest + i)
      .filter((n) => start + n <= marked.length)
      .map((n) => marked.slice(start, start + n).join("")));
  const whole = found.filter((part) => part !== marked.join(""));
  return whole.length ? whole : found;
}

/**
 * The row that an n-gram shares with others: FNV-1a of its UTF-8 bytes.
 * @param {string} part
 * @param {number} buckets
 */
export function bucket(part, buckets) {
  let value = OFFSET;
  for (const byte of new TextEncoder().encode(part)) value = Math.imul(value ^ byte, PRIME) >>> 0;
  return value % buckets;
}

/** Vectors of words: look them up, compare them. Rows are in the order of `vocabulary`, the most frequent word first. */
export class WordVectors {
  /**
   * @param {any} config
   * @param {Safetensors} weights
   * @param {string[]} vocabulary
   */
  constructor(config, weights, vocabulary) {
    const { vocab_size: size, d_model: width, method, buckets } = config;
    chosenFrom(OWN, method, "method of word vectors", config.name);
    this.config = config;
    this.name = config.name;
    this.width = width;
    this.vocabulary = vocabulary;
    this.rows = new Map(vocabulary.map((word, row) => [word, row]));
    this.own = weights.take("vectors", [size, width]);
    this.context = weights.take("context", [size - (method === "hierarchical" ? 1 : 0), width]);
    this.parts = method === "fasttext" ? weights.take("parts", [buckets, width]) : null;
    if (method === "glove") for (const bias of ["bias", "context_bias"]) weights.take(bias, [size]);
    /** where neighbours are looked for, [V, C], and each row's length */
    this.space = new Float32Array(size * width);
    vocabulary.forEach((word, row) => this.space.set(OWN[/** @type {keyof typeof OWN} */ (method)](this, word, row), row * width));
    this.lengths = vocabulary.map((_, row) => lengthOf(this.at(row)));
  }

  /**
   * A row of `space`.
   * @param {number} row
   */
  at(row) {
    return this.space.subarray(row * this.width, (row + 1) * this.width);
  }

  /**
   * The n words with the largest cosine to a word, and the cosines, nearest first.
   * @param {string} word
   * @param {number} [n]
   * @returns {Near[]}
   * @throws UnknownName
   */
  neighbours(word, n = 10) {
    return this.nearest(this.place(word), n, [word]);
  }

  /**
   * a is to b as c is to ?: the n words nearest to b - a + c of unit vectors, the three given left out (004 Eq. 1).
   * @param {string} a
   * @param {string} b
   * @param {string} c
   * @param {number} [n]
   * @returns {Near[]}
   * @throws UnknownName
   */
  analogy(a, b, c, n = 10) {
    const [one, two, three] = [a, b, c].map((word) => unit(this.place(word)));
    return this.nearest(two.map((value, i) => value - one[i] + three[i]), n, [a, b, c]);
  }

  /**
   * The n words with the largest cosine to any vector of `space`.
   * @param {Float32Array} vector
   * @param {number} n
   * @param {string[]} leftOut words
   * @returns {Near[]}
   */
  nearest(vector, n, leftOut = []) {
    const given = unit(vector);
    const without = new Set(leftOut.map((word) => this.oneWord(word)));
    const cosines = this.lengths.map((length, row) => this.at(row).reduce((sum, value, i) => sum + value * given[i], 0) / length);
    const near = this.vocabulary.map((_, row) => row).filter((row) => !without.has(this.vocabulary[row]));
    near.sort((a, b) => cosines[b] - cosines[a]);
    return near.slice(0, Math.max(0, n)).map((row) => [this.vocabulary[row], cosines[row]]);
  }

  /**
   * A word's vector in `space`; FastText makes one of any word's letters.
   * @param {string} word
   * @returns {Float32Array}
   * @throws UnknownName
   */
  place(word) {
    const spelled = this.oneWord(word);
    const row = this.rows.get(spelled);
    if (row !== undefined) return this.at(row);
    if (this.parts) return OWN.fasttext(this, spelled, null);
    throw new UnknownName(`${JSON.stringify(spelled.slice(0,
      WORD_SHOWN))} is not among the ${this.vocabulary.length.toLocaleString("en")} words that ${this.name} learned; words-fasttext makes a vector for any ` +
        `word from its letters.`);
  }

  /** @param {string} word */
  oneWord(word) {
    const found = splitWords(word);
    if (found.length === 1) return found[0];
    const said = found.length ? `${found.length} words` : "no word";
    throw new UnknownName(`${JSON.stringify(word.slice(0,
      WORD_SHOWN))} is ${said}; give exactly one word, such as ${JSON.stringify(this.vocabulary[this.vocabulary.length - 1])}.`);
  }
}

/**
 * A word's own vector.
 * @param {WordVectors} model
 * @param {string} word
 * @param {number} row
 */
const plain = ({ own, width }, word, row) => own.subarray(row * width, (row + 1) * width);

/** Method -> a word's vector in the space where neighbours are looked for; its row is null for one that was not learned. */
const OWN = {
  skipgram: plain,
  negative: plain,
  cbow: plain,
  hierarchical: plain,
  /** The vector and the context vector, added (Pennington et al. 2014, section 4.2). */
  glove: (/** @type {WordVectors} */ model, /** @type {string} */ word, /** @type {number} */ row) =>
    plain(model, word, row).map((value, i) => value + model.context[row * model.width + i]),
  /** The mean of the word's row and its n-grams' rows (Bojanowski et al. 2017). */
  fasttext: (/** @type {WordVectors} */ model, /** @type {string} */ word, /** @type {number | null} */ row) => {
    const { config: { shortest, longest, buckets }, parts, width } = model;
    const rows = ngrams(word, shortest, longest).map((part) => bucket(part, buckets));
    const members = rows.map((at) => parts.subarray(at * width, (at + 1) * width));
    if (row !== null) members.unshift(plain(model, word, row));
    return Float32Array.from({ length: width }, (_, i) => members.reduce((sum, member) => sum + member[i], 0) / members.length);
  },
};

const lengthOf = (/** @type {Float32Array} */ vector) => Math.max(LEAST_LENGTH, Math.hypot(...vector));

/** @param {Float32Array} vector */
function unit(vector) {
  const length = lengthOf(vector);
  return vector.map((value) => value / length);
}

/**
 * A word-vector model from the three files of its folder.
 * @param {string} config text of config.json
 * @param {Uint8Array} weights bytes of model.safetensors
 * @param {string} vocabulary text of vocabulary.tsv: a word and its count a line
 * @throws BadConfig and BadCheckpoint
 */
export function loadWords(config, weights, vocabulary) {
  const read = readConfig(config);
  const { name, vocab_size: size } = read;
  chosenFrom({ words: true }, read.kind, "word vectors of kind", name);
  const words = vocabulary.trimEnd().split("\n").map((line) => line.split("\t")[0]);
  if (words.length !== size || new Set(words).size !== size) {
    throw new BadCheckpoint(
      `${name}/vocabulary.tsv has ${new Set(words).size} different words in ${words.length} lines, config.json says ${size}; they belong to different models.`);
  }
  const tensors = new Safetensors(weights, name);
  const model = new WordVectors(read, tensors, words);
  tensors.checkAllTaken();
  return model;
}
