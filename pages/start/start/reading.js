// @ts-check
// What a model makes of a sentence, as data.py says it: two heads, and what is expected behind each token. Free of the DOM.

import { surveyOf } from "#browser/survey.js";
import { measured, placeOfLargest, strikingRow } from "#browser/tags.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";

/** A token as a reader meets it here: a space before it goes, unless it is nothing else; a part of a character is a byte. @param {string} token */
const word = (token) => (/^(<0x[0-9A-F]{2}>)+$/.test(token) ? "⟨byte⟩" : visible(token).replace(/^␣+/, "") || "␣");

/**
 * @param {import("#browser/language_model.js").LanguageModel} lm
 * @param {string} text
 * @param {number} most tokens that are shown
 * @param {any[]} table the tags
 */
export function readingOf(lm, text, most, table) {
  const trace = lm.trace(text);
  const { length } = trace.ids;
  const last = Math.min(length, most);
  const { stats } = surveyOf(trace, 1);
  const back = placeOfLargest(stats.previous);
  const found = strikingRow(trace, measured(trace).values, table, stats, back);
  // what spells one character together is one: looked at as all of it, looking from its last token
  const places = lm.tokenizer.characters(trace.ids.slice(0, last));
  const head = (/** @type {number} */ layer, /** @type {number} */ number, /** @type {number} */ row, /** @type {string | null} */ tag) => {
    const map = trace.map(layer, number);
    const weights = places.map(([, end]) => places.map(([from, to]) =>
      map.subarray((end - 1) * length + from, (end - 1) * length + to).reduce((sum, p) => sum + p, 0)));
    return { layer, head: number, weights, row: places.findIndex(([, end]) => end > Math.min(row, last - 1)), tag };
  };
  const size = trace.logits.length / length;
  const expected = places.map(([, end]) => likeliest(lm, trace.logits.subarray((end - 1) * size, end * size)));
  return {
    tokens: places.map(([from, to]) => word(to - from > 1 ? lm.tokenizer.decode(trace.ids.slice(from, to)) : trace.tokens[from])), expected,
    heads: [head(found.layer, found.head, found.query, found.tag), head(Math.floor(back / trace.heads), back % trace.heads, last - 1, null)],
  };
}

/** @param {number} share */
const rounded = (share) => Math.round(1000 * share) / 1000;

/**
 * What the picture shows of a sentence, as view.py sends it.
 * @param {import("#browser/language_model.js").LanguageModel} lm
 * @param {string} text
 * @param {{ most: number, tags: any[], named: { back: string, finding: string, others: Record<string, string> } }} given what heads are called, by their tags
 */
export function lookOf(lm, text, { most, tags, named }) {
  const { tokens, expected, heads } = readingOf(lm, text, most, tags);
  return {
    tokens,
    expected: expected.map(([token, p]) => /** @type {[string, number]} */ ([token, rounded(p)])),
    heads: heads.map(({ layer, head, weights, row, tag }) => ({
      name: _(tag === null ? named.back : named.others[tag] ?? named.finding), label: _("L{layer}H{head}", { layer, head }),
      weights: weights.map((own) => own.map(rounded)), row,
    })),
  };
}

/**
 * The likeliest token behind a position, and its probability.
 * @param {import("#browser/language_model.js").LanguageModel} lm
 * @param {Float32Array} logits
 * @returns {[string, number]}
 */
function likeliest({ tokenizer }, logits) {
  const id = placeOfLargest(logits, -Infinity);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - logits[id]), 0);
  return [word(tokenizer.writtenNameOf(id)), 1 / sum];
}
