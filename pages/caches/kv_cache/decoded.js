// @ts-check
// A generation with a cache, as data.py and view.py make it, of a model that keeps keys and values. Free of the DOM.

import { BadText } from "#browser/errors.js";
import { Trace } from "#browser/language_model.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#browser/language_model.js").LanguageModel} LanguageModel */
/** @typedef {import("./told.js").Header} Header */
/**
 * Of each model: its kind of attention, and the operations of a step. With the cache `once`, and `key` for each key that a layer
 * reads; without it the coefficients of a polynomial in the length.
 * @typedef {Record<string, { kind: string, once: number, key: number, whole: number[] }>} Costs
 */

export const LONGEST = 96; // positions drawn, the last ones
const RESERVE = 64; // positions of a first buffer: tlmviz/caches/contiguous.py
const NUMBER = 4; // bytes

/**
 * The text and what follows it, the likeliest token each time, all read, and each new one's probability.
 * @param {LanguageModel} lm
 * @param {string} text
 * @param {number} count most tokens that follow
 * @throws BadText where none fits
 */
function written(lm, text, count) {
  const { network, tokenizer, config: { context, d_model: width } } = lm;
  if (count < 1) throw new BadText(_("{count} tokens were asked for; generate at least 1.", { count }));
  const ids = lm.encode(text);
  const prompt = ids.length;
  const most = Math.min(count, context - prompt);
  if (most < 1) throw new BadText(_("This text has {count} tokens and leaves no room for another one: {model} reads {context}; shorten it.",
    { count: prompt, model: lm.name, context }));
  /** @type {number[]} */
  const chances = [];
  for (;;) {
    lm.forget(ids.length);
    lm.readOn(ids, []);
    if (ids.length === prompt + most || (ids.length > prompt && tokenizer.ends.has(ids.at(-1)))) return { ids, prompt, chances };
    const logits = network.unembed(network.states.slice((ids.length - 1) * width, ids.length * width));
    const best = logits.reduce((most, logit, id) => (logit > logits[most] ? id : most), 0);
    chances.push(1 / logits.reduce((sum, logit) => sum + Math.exp(logit - logits[best]), 0));
    ids.push(best);
  }
}

/**
 * Bytes of all layers after the prompt and after each token: used, and allocated where full buffers double.
 * @param {(number | null)[]} windows
 * @param {number} each
 * @param {number} prompt
 * @param {number} length
 */
function bytesOf(windows, each, prompt, length) {
  const [used, allocated] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  let room = 0;
  for (let now = prompt; now <= length; now++) {
    if (now > room) room = Math.max(now, RESERVE, 2 * room);
    used.push(each * windows.reduce((sum, window) => sum + Math.min(now, window ?? now), 0));
    allocated.push(each * windows.reduce((sum, window) => sum + (window ?? room), 0));
  }
  return { used, allocated };
}

/**
 * The picture's header and arrays.
 * @param {LanguageModel} lm
 * @param {string} text
 * @param {{ tokens: number, head: [number, number] }} chosen
 * @param {Costs} costs
 * @throws BadText
 */
export function decodingOf(lm, text, { tokens: count, head: [layer, head] }, costs) {
  const { ids, prompt, chances } = written(lm, text, count);
  const { length } = ids;
  const { attention: { n_heads: heads, n_kv_heads: groups, head_dim: dim, value_dim: value }, layers } = lm.config;
  const { kind, once, key, whole } = costs[lm.name];
  const trace = new Trace(lm, ids);
  const windows = layers.map(({ window }) => window);
  const [first, group] = [Math.max(0, length - LONGEST), Math.floor((head * groups) / heads)];
  const shown = length - first;
  const map = trace.map(layer, head);
  const weights = Float32Array.from({ length: shown * shown }, (_weight, at) => {
    const [i, j] = [first + Math.floor(at / shown), first + (at % shown)];
    return j > i || i - j >= (windows[layer] ?? length) ? NaN : map[i * length + j];
  });
  const rows = (/** @type {Float32Array} */ all, /** @type {number} */ index, /** @type {number} */ size) =>
    all.subarray((index * length + first) * size, (index + 1) * length * size);
  const { q, k, v } = trace.kept[layer];
  const each = groups * (dim + value) * NUMBER;
  const flops = Array.from({ length: length - prompt + 1 }, (_step, step) => {
    const now = prompt + step;
    const keys = windows.reduce((sum, window) => sum + Math.min(now, window ?? now), 0);
    return /** @type {[number, number]} */ ([once + key * keys, whole.reduce((sum, factor, power) => sum + factor * now ** power, 0)]);
  });
  const said = _("{model} ({kind}), L{layer}H{head}", { model: lm.name, kind, layer, head });
  /** @type {Header} */
  const header = {
    title: first ? _("{said}; the last {shown} of {all} positions", { said, shown, all: length.toLocaleString("en") }) : said,
    prompt, tokens: [...trace.tokens.slice(0, prompt), ...ids.slice(prompt).map((id) => lm.tokenizer.writtenNameOf(id))], first, windows, layer, latent: null,
    each, ...bytesOf(windows, each, prompt, length), measured: false, flops, chances,
  };
  return { header, arrays: { weights, q: rows(q, head, dim), k: rows(k, group, dim), v: rows(v, group, value) } };
}
