// @ts-check
// A language model of a GGUF file: its configuration, its tokenizer and its network.

import { readConfig } from "./config.js";
import { BadCheckpoint } from "./errors.js";
import { Gguf } from "./gguf.js";
import { LanguageModel } from "./language_model.js";
import { TransformerLM } from "./network.js";
import { withinMemory } from "./site.js";
import { END_OF_TEXT, Tokenizer } from "./tokenizer.js";

/** tokenizer.ggml.pre -> whether each digit is a word of its own. @type {Record<string, boolean>} */
export const SPLITS = { "gpt-2": false, smollm: true, starcoder: true, refact: true, "command-r": true };
const [NORMAL, UNKNOWN, CONTROL, USER_DEFINED] = [1, 2, 3, 4]; // tokenizer.ggml.token_type
const ENDS = [END_OF_TEXT, "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>", "<end_of_turn>", "</s>"];
export const MOST_TOKENS = 1024; // of a text: keys and values of so many are laid out, whatever more the model can read

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
  if (model !== "gpt2")
    throw new BadCheckpoint(
    `${file} has the tokenizer ${JSON.stringify(model ?? "")}; the engine in the browser reads gpt2 (byte-level BPE), run this model in the app.`);
  if (!Object.hasOwn(SPLITS, split)) throw new BadCheckpoint(
    `${file} cuts texts in the way ${JSON.stringify(split ?? "")}; the engine in the browser knows ${Object.keys(SPLITS).join(", ")}, run this model in the ` +
    `app.`);
  const [pieces, merges] = ["tokens", "merges"].map((key) => gguf.list(`tokenizer.ggml.${key}`, "string"));
  const types = get("token_type") === undefined ? pieces.map(() => NORMAL) : gguf.list("tokenizer.ggml.token_type", "number");
  if (types.length !== pieces.length) throw new BadCheckpoint(
    `${file} says of ${types.length} tokens of which type they are, and has ${pieces.length}; convert the model again.`);
  if (types.includes(USER_DEFINED) || get("add_eos_token"))
    throw new BadCheckpoint(`${file} has tokens for parts or ends of a text, which the engine in the browser does not read; run this model in the app.`);
  const known = new Set(pieces);
  const fit = (/** @type {string[]} */ pair) => pair.length === 2 && [...pair, pair.join("")].every((piece) => known.has(piece));
  if (!merges.every((merge) => fit(merge.split(" ")))) throw new BadCheckpoint(
    `The merges of ${file} do not fit its tokens; convert the model again with its tokenizer.`);
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
  if (words.size > config.vocab_size) throw new BadCheckpoint(
    `${gguf.file} has ${words.size} tokens and an embedding of ${config.vocab_size}; convert the model again.`);
  return withinMemory(config, config.n_layers, () => {
    const network = new TransformerLM(config, gguf);
    gguf.checkAllTaken();
    gguf.bytes = new Uint8Array(0); // the network knows its weights, which need no second place
    gguf.view = new DataView(gguf.bytes.buffer);
    return new LanguageModel(network, words);
  });
}
