// @ts-check
// A trained language model with its tokenizer, run where this script runs: trace a text, or write on.
//
//     const lm = load(configText, weightsBytes, tokenizerText);
//     const trace = lm.trace("Once upon a time");
//     trace.map(2, 3); // [T * T], of layer 2, head 3

import { chosenFrom, readConfig } from "./config.js";
import { BadText, UnknownName } from "./errors.js";
import { MTPNetwork, ParallelMTPNetwork } from "./mtp.js";
import { TransformerLM } from "./network.js";
import { Safetensors } from "./safetensors.js";
import { withinMemory } from "./site.js";
import { tokenizerOf } from "./tokenizer.js";

/** @typedef {import("./tokenizer.js").Tokenizer} Tokenizer */
/** @typedef {[layer: number, head: number]} HeadIndex */

/** One pass over a text, watched: q, k, v and lse of every layer. Maps and logits are views, computed when somebody looks. */
export class Trace {
  /**
   * @param {LanguageModel} model
   * @param {number[]} ids
   */
  constructor(model, ids) {
    const { network } = model;
    this.network = network;
    this.ids = ids;
    this.tokens = ids.map((id) => model.tokenizer.nameOf(id));
    this.layers = network.blocks.length;
    this.heads = network.config.attention.n_heads;
    /** q [H, T, D], k [G, T, D], v [G, T, E] and lse [H, T] of each layer */
    this.kept = network.blocks.map((block) => block.attn.attended.kept(ids.length));
    this.states = network.states.slice(0, ids.length * network.config.d_model);
    /** @type {Float32Array | null} */
    this.seen = null; // the logits, once asked for
  }

  /**
   * Attention weights of a head, [T * T]: row i is what query i gives to each key, 0 for keys that it does not see.
   * @param {number} layer from 0
   * @param {number} head from 0
   * @throws UnknownName
   */
  map(layer, head) {
    checkHead(layer, head, this.layers, this.heads);
    return this.attended(layer).weights(head, this.kept[layer], 0, this.ids.length);
  }

  /**
   * What every head gives to each key from one query, [layers * heads * T].
   * @param {number} query
   */
  row(query) {
    const { layers, heads, ids: { length } } = this;
    const all = new Float32Array(layers * heads * length);
    for (let index = 0; index < layers * heads; index++) {
      const layer = Math.floor(index / heads);
      all.set(this.attended(layer).weights(index % heads, this.kept[layer], query, query + 1), index * length);
    }
    return all;
  }

  /**
   * The layer's attention, which knows scale, mask and bias.
   * @param {number} layer
   */
  attended(layer) {
    return this.network.blocks[layer].attn.attended;
  }

  /** Logits of what follows the text, [V]. */
  get following() {
    const { network, ids: { length } } = this;
    return network.unembed(this.states.slice((length - 1) * network.config.d_model));
  }

  /** Next-token logits at every position, [T * V]. */
  get logits() {
    return (this.seen ??= this.network.unembed(this.states));
  }
}

/** A decoder language model: trace texts, continue them. What a text shares with the one before is not computed again. */
export class LanguageModel {
  /**
   * @param {TransformerLM} network
   * @param {Tokenizer} tokenizer
   */
  constructor(network, tokenizer) {
    this.network = network;
    this.tokenizer = tokenizer;
    this.config = network.config;
    this.name = network.config.name;
    /** @type {number[]} */
    this.read = []; // the tokens that keys and values are held of
    this.muted = "";
  }

  /**
   * Ids of a text, behind the token that texts begin with where there is one.
   * @param {string} text
   * @throws BadText where it is empty, or longer than the model's context
   */
  encode(text) {
    if (!text) throw new BadText("The text is empty; type at least one character.");
    const { begin } = this.tokenizer;
    const ids = [...(begin === null ? [] : [begin]), ...this.tokenizer.encode(text)];
    const { context } = this.config;
    if (ids.length > context) {
      const [given, most] = [ids.length, context].map((count) => count.toLocaleString("en"));
      throw new BadText(`This text has ${given} tokens, and ${this.name} reads at most ${most}; shorten it.`);
    }
    return ids;
  }

  /**
   * One pass over a text, or what is left of it behind the longest part that it shares with the text before.
   * @param {string} text
   * @param {{ muted?: HeadIndex[] }} [options] heads whose output is replaced by 0
   * @throws BadText (empty, too long), UnknownName (a head that does not exist)
   */
  trace(text, { muted = [] } = {}) {
    const ids = this.encode(text);
    this.forget(ids.length);
    this.readOn(ids, muted);
    return new Trace(this, ids);
  }

  /**
   * `trace`, and copies of numbers that pass on the way, by the names that a trace of Python's has them by: of all tokens [T, width].
   * @param {string} text
   * @param {(name: string) => boolean} keep
   * @returns {{ trace: Trace, taps: Record<string, Float32Array> }}
   * @throws BadText
   */
  watched(text, keep) {
    const ids = this.encode(text);
    const { memory } = this.network;
    this.read = []; // all tokens pass
    /** @type {Record<string, Float32Array[]>} */
    const parts = {};
    memory.watch = (name, numbers) => {
      if (keep(name)) (parts[name] ??= []).push(numbers.slice());
    };
    try {
      this.readOn(ids, []);
    } finally {
      memory.watch = null;
    }
    return { trace: new Trace(this, ids), taps: Object.fromEntries(Object.entries(parts).map(([name, all]) => [name, concatenated(all)])) };
  }

  /**
   * Continue a text with the likeliest token each time, until one ends it. Where the context is full, each further token
   * follows the last tokens that fit into it.
   * @param {string} text empty: what begins any text, where there is such a token
   * @param {number} count most new tokens
   * @param {{ muted?: HeadIndex[] }} [options]
   * @returns {string} the new text only
   * @throws BadText where the text is longer than the context, UnknownName
   */
  generate(text, count, { muted = [] } = {}) {
    const { tokenizer, network, config: { context, d_model: width } } = this;
    const ids = text || tokenizer.begin === null ? this.encode(text) : [tokenizer.begin];
    this.forget(ids.length);
    const first = ids.length;
    while (ids.length < first + count) {
      const part = ids.slice(-context);
      if (ids.length > context) this.forget(context);
      this.readOn(part, muted);
      const logits = network.unembed(network.states.slice((part.length - 1) * width, part.length * width));
      let next = 0;
      for (let id = 1; id < logits.length; id++) if (logits[id] > logits[next]) next = id;
      if (tokenizer.ends.has(next)) break;
      ids.push(next);
    }
    return tokenizer.decode(ids.slice(first));
  }

  /**
   * Hold nothing of the text before, where its keys were turned by its length or this one's will be.
   * @param {number} length of the text to read
   */
  forget(length) {
    if (Math.max(length, this.read.length) > this.network.positions.steady) this.read = [];
  }

  /**
   * Have the network hold exactly these tokens.
   * @param {number[]} ids
   * @param {HeadIndex[]} muted
   */
  readOn(ids, muted) {
    const { network, config } = this;
    const byLayer = config.layers.map(() => /** @type {Set<number>} */ (new Set()));
    for (const [layer, head] of muted) {
      checkHead(layer, head, config.n_layers, config.attention.n_heads);
      byLayer[layer].add(head);
    }
    const silent = String(muted);
    let shared = 0;
    if (silent === this.muted) while (shared < ids.length && ids[shared] === this.read[shared]) shared++;
    this.read = []; // nothing is held while the pass runs, should it fail
    network.read(ids.slice(shared), shared, byLayer);
    this.read = ids.slice();
    this.muted = silent;
  }
}

/** Arrays, one behind the other. @param {Float32Array[]} parts */
export function concatenated(parts) {
  const all = new Float32Array(parts.reduce((count, { length }) => count + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** What a model and its modules, or further heads, predict all over a text. */
export class Ahead {
  /**
   * @param {NextTokenModel} model
   * @param {Trace} trace
   */
  constructor(model, trace) {
    this.network = model.network;
    this.trace = trace;
    this.found = model.network.logitsAhead(trace.states, trace.ids);
    this.depth = this.found.length;
  }

  /**
   * Logits [T - k, V] of the k-th module, or of the model for 0: row i is for token i + k + 1 of the text.
   * @param {number} k
   */
  logits(k) {
    return k ? this.found[k - 1].logits : this.trace.logits;
  }

  /**
   * Attention weights of a head of the k-th module, [(T - k) * (T - k)].
   * @param {number} k from 1
   * @param {number} head
   * @throws UnknownName, also for a model whose heads stand side by side: those have no attention
   */
  map(k, head) {
    const { network, found, trace } = this;
    if (network instanceof ParallelMTPNetwork) throw new UnknownName(
      `${network.config.name} has no modules with attention; its further heads read the model's final state.`);
    if (!found[k - 1]) throw new UnknownName(`There is no module ${k} on this text; it has modules 1 to ${found.length}.`);
    checkHead(0, head, 1, trace.heads);
    return network.ahead[k - 1].attn.attended.weights(head, /** @type {any} */ (found[k - 1]).kept, 0, trace.ids.length - k);
  }
}

/** A language model and modules after it, or further heads, each of which predicts one token further. */
export class NextTokenModel extends LanguageModel {
  /**
   * @param {MTPNetwork | ParallelMTPNetwork} network
   * @param {Tokenizer} tokenizer
   */
  constructor(network, tokenizer) {
    super(network, tokenizer);
    this.network = network;
  }

  /**
   * The predictions for the next 1 + depth tokens at every position of a text.
   * @param {string} text
   * @throws BadText
   */
  ahead(text) {
    return new Ahead(this, this.trace(text));
  }
}

/** Kind of model -> its network. */
const NETWORKS = { language: TransformerLM, mtp: MTPNetwork, "mtp-parallel": ParallelMTPNetwork };

/**
 * A language model from the three files of its folder.
 * @param {string} config text of config.json
 * @param {Uint8Array} weights bytes of model.safetensors
 * @param {string} tokenizer text of tokenizer.json
 * @returns {LanguageModel}
 * @throws BadConfig and BadCheckpoint where a file is damaged, or needs a part that the engine does not have; EngineError
 *   where there is no WebAssembly with SIMD, or too little memory
 */
export function load(config, weights, tokenizer) {
  /** @type {import("./types").ModelConfig} */
  const read = readConfig(config);
  const Network = chosenFrom(NETWORKS, read.kind, "language models of kind", read.name);
  const words = tokenizerOf(read, tokenizer);
  return withinMemory(read, read.n_layers + (read.depth ?? 0), () => {
    const tensors = new Safetensors(weights, read.name);
    const network = new Network(read, tensors);
    tensors.checkAllTaken();
    return network instanceof MTPNetwork || network instanceof ParallelMTPNetwork ? new NextTokenModel(network, words) : new LanguageModel(network, words);
  });
}

/**
 * @param {number} layer
 * @param {number} head
 * @param {number} layers
 * @param {number} heads
 * @throws UnknownName
 */
function checkHead(layer, head, layers, heads) {
  for (const [what, given, count] of /** @type {[string, number, number][]} */ ([["layer", layer, layers], ["head", head, heads]])) {
    if (!Number.isInteger(given) || given < 0 || given >= count)
      throw new UnknownName(`There is no ${what} ${given}; this model has ${what}s 0 to ${count - 1}.`);
  }
}
