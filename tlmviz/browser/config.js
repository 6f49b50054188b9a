// @ts-check
// Reads config.json: defaults as in tlmviz/config, and a sentence for what the engine does not have.

import { BadConfig } from "./errors.js";

const MOST_LAYERS = 1000;
/** What may differ from layer to layer. @type {Record<string, any>} */
export const LAYER = { window: null, rope_base: null, rotary: true, scaled: true };
/** @type {Record<string, Record<string, any>>} */
export const PARTS = {
  attention: {
    n_heads: 6, n_kv_heads: null, head_dim: null, window: null, latent_dim: null, rope_dim: 0, query_latent_dim: null,
    value_dim: null, q_bias: false, k_bias: false, v_bias: false, o_bias: false, scale: null, qk_norm: "none", softcap: null,
    dropout: 0,
  },
  positions: {
    kind: "rope", rope_base: 10000, layout: "interleaved", scaling: "none", factor: 1, trained_context: null, beta_fast: 32,
    beta_slow: 1, attention_factor: null, rotary_dim: null, distances: 32,
  },
  norm: { kind: "rmsnorm", eps: 1e-5, placement: "pre" },
  feedforward: { kind: "swiglu", hidden: 512, bias: false },
  experts: {
    count: 0, chosen: 2, hidden: 128, shared: 0, shared_hidden: null, shared_gate: false, score: "softmax", bias: false,
    normalised: true, scaling: 1, groups: 1, chosen_groups: 1, group_best: 2, dense_layers: [],
  },
  connection: { kind: "residual", streams: 1, iterations: 20, bound: null },
  score: { kind: "general", coverage: false },
};

/** @type {Record<string, any>} */
const LANGUAGE = {
  description: "", vocab_size: 2048, n_layers: 4, d_model: 192, context: 512, tied: true, bos: true, dropout: 0, embedding_scale: 1,
  head_bias: false, logit_softcap: null, layers: [],
};
const LANGUAGE_PARTS = ["attention", "positions", "norm", "feedforward", "experts", "connection"];
/**
 * Kind of model -> its fields, null where the file must give one, and its parts.
 * @type {Record<string, { fields: Record<string, any>, parts: string[] }>}
 */
export const MODEL_KINDS = {
  language: { fields: LANGUAGE, parts: LANGUAGE_PARTS },
  mtp: { fields: { ...LANGUAGE, depth: 3 }, parts: LANGUAGE_PARTS },
  "mtp-parallel": { fields: { ...LANGUAGE, depth: 3 }, parts: LANGUAGE_PARTS },
  "encoder-decoder": {
    fields: {
      description: "", vocab_size: 7000, encoder_layers: 3, decoder_layers: 3, d_model: 192, context: 128, dropout: 0,
      alignment: null,
    },
    parts: ["attention", "positions", "norm", "feedforward"],
  },
  seq2seq: {
    fields: { description: "", vocab_size: 7000, d_model: 256, hidden: 384, context: 128, dropout: 0, pointer: false },
    parts: ["score"],
  },
  words: {
    fields: {
      description: "", method: null, vocab_size: null, d_model: 64, window: 5, negatives: 5, power: 0.75, subsample: 2e-3,
      least: 10, buckets: 0, shortest: 3, longest: 6, x_max: 100, alpha: 0.75,
    },
    parts: [],
  },
  pointer: {
    fields: { description: "", d_model: 96, n_layers: 3, n_heads: 4, d_ff: 192, least: 5, most: 50 },
    parts: [],
  },
};
const COUNTS = [
  "vocab_size", "n_layers", "encoder_layers", "decoder_layers", "d_model", "context", "depth", "hidden", "n_heads", "d_ff", "attention.n_heads",
  "attention.n_kv_heads", "feedforward.hidden", "shortest", "longest",
];

/**
 * The configuration of a model.
 * @param {string} text of config.json
 * @returns {any} of its kind, with every default filled in
 * @throws BadConfig where it is not JSON, of a kind that the engine lacks, or holds a field that the engine does not know
 */
export function readConfig(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    throw new BadConfig("config.json is not valid JSON; copy it again.");
  }
  if (typeof given?.name !== "string") throw new BadConfig("config.json must be an object with at least a name.");
  const { name, kind = "language" } = given;
  const { fields, parts } = chosenFrom(MODEL_KINDS, kind, "models of kind", name);
  const known = Object.fromEntries(parts.map((part) => [part, PARTS[part]]));
  checkFields({ ...fields, ...known, name, kind }, given, "", name);
  const config = { ...fields, ...given, kind };
  for (const [part, defaults] of Object.entries(known)) {
    checkFields(defaults, given[part] ?? {}, `${part}.`, name);
    config[part] = { ...defaults, ...given[part] };
  }
  for (const own of config.layers ?? []) checkFields(LAYER, own, "layers.", name);
  checkCounts(config);
  if (config.attention) completeTransformer(config);
  return config;
}

/**
 * The entry of a table of parts that a configuration names.
 * @template T
 * @param {Record<string, T>} table
 * @param {string} key
 * @param {string} what the entries are, as in "positions"
 * @param {string} name of the model
 * @returns {T}
 * @throws BadConfig where the engine has no such part
 */
export function chosenFrom(table, key, what, name) {
  if (Object.hasOwn(table, key)) return table[key];
  throw new BadConfig(
    `The engine in the browser has no ${what} ${JSON.stringify(key)}, which ${name} needs; it has ${Object.keys(table).join(", ")}. Run this model in the ` +
    `app.`);
}

/**
 * @param {Record<string, any>} known
 * @param {any} given
 * @param {string} part with a dot
 * @param {string} name
 */
function checkFields(known, given, part, name) {
  const field = Object.keys(given).find((key) => !Object.hasOwn(known, key));
  if (field) throw new BadConfig(`The engine in the browser does not know the field ${part}${field} in config.json of ${name}; run this model in the app.`);
}

/** @param {any} config */
function checkCounts(config) {
  for (const path of COUNTS) {
    const value = path.split(".").reduce((holder, field) => holder?.[field], config);
    if (value === undefined || (value === null && path === "attention.n_kv_heads")) continue; // as many as heads
    if (!Number.isInteger(value) || value < 1) throw new BadConfig(
      `${path} is ${JSON.stringify(value)} in config.json of ${config.name}; it must be a whole number of at least 1.`);
    if (path.endsWith("_layers") && value > MOST_LAYERS) throw new BadConfig(
      `${path} is ${value} in config.json of ${config.name}; models have ${MOST_LAYERS} layers at most.`);
  }
}

/**
 * Check a Transformer's parts, and fill in what follows from other fields: sizes of heads, window and base of every layer.
 * @param {any} config
 */
function completeTransformer(config) {
  const { attention, positions, norm, name } = config;
  const given = config.layers ?? [];
  const count = config.n_layers ?? Math.max(config.encoder_layers, config.decoder_layers);
  attention.n_kv_heads ??= attention.n_heads;
  if (attention.n_heads % attention.n_kv_heads) throw new BadConfig(`n_heads ${attention.n_heads} is not a multiple of n_kv_heads ${attention.n_kv_heads}.`);
  if (given.length && given.length !== count) throw new BadConfig(
    `layers has ${given.length} entries in config.json of ${name}, and the model has ${count} layers; give one each, or none.`);
  for (const [field, value] of Object.entries({ "positions.rope_base": positions.rope_base, "norm.eps": norm.eps })) {
    if (!(value > 0 && Number.isFinite(value))) throw new BadConfig(
      `${field} is ${JSON.stringify(value)} in config.json of ${name}; it must be a positive number.`);
  }
  attention.head_dim ??= Math.floor(config.d_model / attention.n_heads);
  attention.value_dim ??= attention.head_dim;
  for (const part of ["experts", "connection"]) config[part] ??= PARTS[part]; // of a kind that has neither
  config.layers = Array.from({ length: count }, (_, layer) => {
    const own = { ...LAYER, ...(given.length ? given[layer] : { window: attention.window }) };
    return { ...own, rope_base: own.rope_base ?? positions.rope_base };
  });
}
