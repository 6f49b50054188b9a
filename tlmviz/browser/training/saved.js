// @ts-check
// A network that has learnt here as the three files of a tlmviz folder, which `tlmviz run`, `tlmviz.load` and this engine open.

import { BadSetting } from "./settings.js";
import { readsAll, tokenizerFile } from "./vocabulary.js";

/** @typedef {{ shape: number[], values: Float32Array }} Tensor */

const NEVER = -30; // the output's bias of tokens that no text here has: a probability below 1e-12
const EPS = 1e-5; // of RMSNorm's kernel
const NO_MLP = 4; // hidden numbers of an MLP that adds nothing, in place of none

/**
 * A language model's folder: file name -> its bytes.
 * @param {import("./run.js").Run} run
 * @param {string} name of the model
 * @returns {Record<string, Uint8Array>}
 * @throws BadSetting for a network that is no language model of tlmviz: without a causal mask, or without norms
 */
export function folderOf({ network, task, step }, name) {
  const { settings } = network;
  if (!settings.causal) throw new BadSetting("Without a causal mask this is no language model, and no page could open it; train one with the mask to save it.");
  if (!settings.norm) throw new BadSetting("The app's models have norms, and this one has none; train one with RMSNorm to save it.");
  const vocabulary = readsAll(task.vocabulary);
  const config = configFile(settings, name, vocabulary.pieces.length, step);
  const bytes = new TextEncoder();
  return {
    "config.json": bytes.encode(`${JSON.stringify(config, null, 2)}\n`),
    "tokenizer.json": bytes.encode(tokenizerFile(vocabulary)),
    "model.safetensors": safetensorsOf(tensorsOf(network, vocabulary.pieces.length)),
  };
}

/** @param {import("./settings.js").Settings} settings @param {string} name @param {number} vocab @param {number} step */
function configFile({ layers, heads, width, hidden, positions, length }, name, vocab, step) {
  const without = hidden ? "" : " Its blocks have no MLP: those stored add nothing.";
  return {
    name,
    description: `Trained in the browser for ${step.toLocaleString("en")} steps.${without}`,
    vocab_size: vocab,
    n_layers: layers,
    d_model: width,
    context: length,
    tied: false,
    head_bias: true,
    bos: false,
    attention: { n_heads: heads },
    positions: { kind: positions, rope_base: 10000, layout: "interleaved" },
    norm: { kind: "rmsnorm", eps: EPS },
    feedforward: { kind: "gelu-tanh", hidden: hidden || NO_MLP },
  };
}

/**
 * The parameters under the names of tlmviz/networks/transformer.py, matrices as [outputs, inputs].
 * @param {import("./network.js").LearningNetwork} network
 * @param {number} rows of the vocabulary: those behind the task's own are 0
 * @returns {Record<string, Tensor>}
 */
function tensorsOf({ site, settings: { vocab, layers, width, hidden } }, rows) {
  const all = new Map(site.tensors.map((tensor) => [tensor.name, tensor]));
  /** @type {Record<string, Tensor>} */
  const found = {};
  const keep = (/** @type {string} */ name, /** @type {number[]} */ shape, /** @type {Float32Array} */ values) => (found[name] = { shape, values });
  const numbers = (/** @type {string} */ name) => {
    const { place, rows: count, columns } = all.get(name);
    return site.memory.numbers.subarray(place, place + count * columns);
  };
  const turned = (/** @type {string} */ name, /** @type {string} */ as) => {
    const { rows: inputs, columns: outputs } = all.get(name);
    const given = numbers(name);
    keep(as, [outputs, inputs], Float32Array.from({ length: inputs * outputs }, (_, at) => given[(at % inputs) * outputs + Math.floor(at / inputs)]));
  };
  const embedding = new Float32Array(rows * width);
  embedding.set(numbers("token_emb"));
  keep("token_emb.weight", [rows, width], embedding);
  if (all.has("pos_emb")) keep("positions.embedding.weight", [all.get("pos_emb").rows, width], numbers("pos_emb").slice());
  for (let layer = 0; layer < layers; layer++) {
    const block = `blocks.${layer}`;
    keep(`${block}.norm1.weight`, [width], numbers(`${block}.attn.norm`).slice());
    turned(`${block}.attn.qkv`, `${block}.attn.qkv.weight`);
    turned(`${block}.attn.out`, `${block}.attn.proj.weight`);
    keep(`${block}.norm2.weight`, [width], hidden ? numbers(`${block}.mlp.norm`).slice() : new Float32Array(width).fill(1));
    if (hidden) {
      turned(`${block}.mlp.up`, `${block}.mlp.up.weight`);
      turned(`${block}.mlp.down`, `${block}.mlp.down.weight`);
    } else {
      keep(`${block}.mlp.up.weight`, [NO_MLP, width], new Float32Array(NO_MLP * width));
      keep(`${block}.mlp.down.weight`, [width, NO_MLP], new Float32Array(NO_MLP * width));
    }
  }
  keep("norm.weight", [width], numbers("norm").slice());
  const [given, { columns }] = [numbers("head"), all.get("head")];
  keep("head.weight", [rows, width], Float32Array.from({ length: rows * width },
    (_, at) => (at < vocab * width ? given[(at % width) * columns + Math.floor(at / width)] : 0)));
  keep("head.bias", [rows], Float32Array.from({ length: rows }, (_, id) => (id < vocab ? 0 : NEVER)));
  return found;
}

/**
 * The bytes of a safetensors file of float32: its header's length, the header, and all numbers.
 * @param {Record<string, Tensor>} tensors
 */
function safetensorsOf(tensors) {
  let end = 0;
  const places = Object.entries(tensors).map(([name, { shape, values }]) => [name, { dtype: "F32", shape, data_offsets: [end, (end += values.byteLength)] }]);
  const plain = JSON.stringify(Object.fromEntries(places));
  const header = new TextEncoder().encode(plain.padEnd(Math.ceil(plain.length / 8) * 8)); // numbers begin at a multiple of 8
  const file = new Uint8Array(8 + header.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  let at = 8 + header.length;
  for (const { values } of Object.values(tensors)) {
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return file;
}
