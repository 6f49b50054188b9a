// @ts-check
// A trained translation model with its tokenizer, run where this script runs.
//
//     const mt = loadTranslator(configText, weightsBytes, tokenizerText);
//     const { text, score, attention, tree } = mt.translate("I am cold.", { beam: 5, alpha: 0.6, beta: 0.2 });

import { chosenFrom, readConfig } from "./config.js";
import { Search } from "./decoding/beam.js";
import { EncoderDecoder } from "./encoder_decoder.js";
import { BadText, UnknownName } from "./errors.js";
import { Safetensors } from "./safetensors.js";
import { Seq2Seq } from "./seq2seq.js";
import { withinMemory } from "./site.js";
import { tokenizerOf, WHITE } from "./tokenizer.js";

/** @typedef {import("./tokenizer.js").Tokenizer} Tokenizer */
/** @typedef {"encoder" | "decoder" | "cross"} Part of a network that attends */

const PYTHON_WHITE = `${WHITE}\\x1c-\\x1f`; // what Python's \s and strip take
const SPACES = new RegExp(`[${PYTHON_WHITE}\\u200b]+`, "g"); // the zero-width one is not among them
const AROUND = new RegExp(`^[${PYTHON_WHITE}]+|[${PYTHON_WHITE}]+$`, "g");
const PENALTIES = { alpha: 0.6, beta: 0.2, gamma: 0 };
const [PER_SOURCE, SPARE] = [3, 10]; // a translation may have 3 |X| + 10 tokens: longer ones only repeat themselves

/**
 * A sentence as the models read it: one space between words, none around, straight apostrophes.
 * @param {string} text
 */
function tidy(text) {
  return text.replace(SPACES, " ").replace(AROUND, "").replaceAll("’", "'");
}

/** A given translation read in one pass, as in training: q, k, v and lse of every attention, and what is said to come next. */
export class Reading {
  /**
   * @param {Translator} model
   * @param {number[]} source
   * @param {number[]} translation
   */
  constructor(model, source, translation) {
    const { network, tokenizer } = model;
    this.source = source;
    this.target = [tokenizer.begin, ...translation.slice(0, -1)]; // what was read, each to say the next of the translation
    const forced = network.force(source, this.target);
    this.logits = forced.logits; // [|Y| * V]
    /** q, k, v and lse of each layer of the encoder, the decoder and between them; null for a recurrent network */
    this.parts = "parts" in forced ? forced.parts : null;
    this.only = "map" in forced ? forced.map : null;
    this.heads = network instanceof EncoderDecoder ? network.config.attention.n_heads : 1;
  }

  /**
   * Attention weights of a head, a row for each query.
   * @param {Part} part
   * @param {number} layer
   * @param {number} head
   * @throws UnknownName
   */
  map(part, layer, head) {
    if (!this.parts) {
      if (part !== "cross" || layer || head) throw new UnknownName(`There is no map ${part} ${layer}.${head}; a recurrent network has one, cross 0.0.`);
      return this.only;
    }
    const found = chosenPart(this.parts, part)[layer];
    if (!found || !(head >= 0 && head < this.heads)) throw new UnknownName(
      `There is no map ${part} ${layer}.${head}; it has layers 0 to ${this.parts[part].length - 1} of heads 0 to ${this.heads - 1}.`);
    const { attended, kept } = found;
    return attended.weights(head, kept, 0, kept.lse.length / this.heads);
  }
}

/**
 * @template T
 * @param {Record<string, T>} parts
 * @param {string} part
 * @returns {T}
 */
function chosenPart(parts, part) {
  if (Object.hasOwn(parts, part)) return parts[part];
  throw new UnknownName(`There are no maps of ${JSON.stringify(part)}; choose one of ${Object.keys(parts).join(", ")}.`);
}

/** Translates, and shows the whole search behind a translation. */
export class Translator {
  /**
   * @param {EncoderDecoder | Seq2Seq} network
   * @param {Tokenizer} tokenizer
   */
  constructor(network, tokenizer) {
    this.network = network;
    this.tokenizer = tokenizer;
    this.config = network.config;
    this.name = network.config.name;
  }

  /**
   * Ids of a source sentence.
   * @param {string} text
   * @throws BadText where it is empty, or longer than the model reads
   */
  encode(text) {
    const { tokenizer, name, config: { context } } = this;
    const sentence = tidy(text);
    if (!sentence) throw new BadText("The sentence is empty; type at least one word.");
    const ids = tokenizer.encode(sentence);
    if (ids.length > context)
      throw new BadText(
      `This text has ${ids.length.toLocaleString("en")} tokens, and ${name} translates one sentence of at most ${context} tokens; shorten it.`);
    return ids;
  }

  /**
   * The best translation that a beam of this width finds, under length, coverage and end penalties.
   * @param {string} text
   * @param {{ beam?: number, alpha?: number, beta?: number, gamma?: number, maxLength?: number }} [options]
   * @throws BadText and BadSearch
   */
  translate(text, { beam = 5, alpha = 0.6, beta = 0.2, gamma = 0, maxLength = 60 } = {}) {
    const source = this.encode(text);
    const search = this.search(text, { width: beam, maxLength, penalties: { alpha, beta, gamma } });
    const [best, ...others] = search.hypotheses();
    return {
      ...best, // tokens and logps with an entry for each written token, the end token included, and attention [|Y| * |X|]
      text: this.text(best.tokens),
      score: best.parts.total,
      source,
      stopped: search.stopped,
      others: others.slice(0, beam - 1).map(({ tokens }) => this.text(tokens)),
      tree: search.tree(),
    };
  }

  /**
   * A beam search with its whole history, which other penalties and maps rank anew. `prefix` is written first; `pins` are steps
   * (from 0) that must look at one source token alone.
   * @param {string} text
   * @param {{ width?: number, maxLength?: number, prefix?: number[], penalties?: import("./decoding/penalties.js").Weights, pins?: Map<number,
   *   number> }} [options]
   * @throws BadText and BadSearch
   */
  search(text, { width = 5, maxLength = 60, prefix = [], penalties = PENALTIES, pins = new Map() } = {}) {
    const { network, tokenizer } = this;
    const source = this.encode(text);
    network.start(source, pins);
    return new Search(network, tokenizer.begin, { width, longest: Math.min(this.longest(source), maxLength), align: network.align, penalties, prefix });
  }

  /** Most tokens of a translation of a source. @param {number[]} source */
  longest({ length }) {
    return Math.min(this.config.context, PER_SOURCE * length + SPARE);
  }

  /** What the maps are called that a step has, in order: layer and head, of several. */
  get maps() {
    const { network } = this;
    if (!(network instanceof EncoderDecoder)) return ["attention"];
    const heads = network.config.attention.n_heads;
    return Array.from({ length: network.maps }, (_, map) => `${Math.floor(map / heads)}.${map % heads}`);
  }

  /**
   * The sentence that some ids spell; the end token leaves nothing.
   * @param {number[]} ids
   */
  text(ids) {
    return this.tokenizer.decode(ids).replace(AROUND, "");
  }

  /**
   * A given translation, as ids with the end token, read in one pass.
   * @param {string} text
   * @param {number[]} translation
   * @throws BadText
   */
  read(text, translation) {
    const { context } = this.config;
    if (!translation.length || translation.length > context) throw new BadText(`The translation has ${translation.length} tokens; give 1 to ${context}.`);
    return new Reading(this, this.encode(text), translation);
  }
}

/** Kind of model -> its network. */
const TRANSLATORS = { "encoder-decoder": EncoderDecoder, seq2seq: Seq2Seq };

/**
 * A translator from the three files of its folder.
 * @param {string} config text of config.json
 * @param {Uint8Array} weights bytes of model.safetensors
 * @param {string} tokenizer text of tokenizer.json
 * @throws BadConfig and BadCheckpoint, as language_model.js's
 */
export function loadTranslator(config, weights, tokenizer) {
  const read = readConfig(config);
  const Network = chosenFrom(TRANSLATORS, read.kind, "translators of kind", read.name);
  const words = tokenizerOf(read, tokenizer);
  return withinMemory(read, (read.encoder_layers ?? 0) + 2 * (read.decoder_layers ?? 0), () => {
    const tensors = new Safetensors(weights, read.name);
    const network = new Network(read, tensors);
    tensors.checkAllTaken();
    return new Translator(network, words);
  });
}
