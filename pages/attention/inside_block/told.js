// @ts-check
// What claims.py says first of a language model's picture. Free of the DOM.

import { placeOfLargest } from "#browser/tags.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { Token } from "./token.js";

/** @typedef {import("./token.js").Read} Read */
/** @typedef {import("./token.js").Placement} Placement */

/** As `three_digits` of guess.py. @param {number} value */
const threeDigits = (value) => (Math.abs(value) >= 99.95 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))));

const FELT = 0.05; // of probability: with a smaller change hardly anything hangs on a head

/** @param {number} ratio */
const timesOf = (ratio) => (ratio < 10 ? ratio.toFixed(1) : Math.round(ratio).toLocaleString("en"));

/** @param {number} share */
const percent = (share) => `${Math.round(100 * share)}%`;

/**
 * How much attention and the feed-forward part each add to the one stream; null where they add alike.
 * @param {Token} token
 * @param {string} named
 */
function writes(token, named) {
  const { placement, read: { layer, lm: { config } } } = token;
  if (config.connection.kind !== "residual") return null;
  const lengths = ["resid_pre", ...placement.added].map((part) => Math.hypot(...token.own(part)));
  const [come, attention, mlp] = lengths.map(threeDigits);
  const [, one, other] = lengths;
  if (attention === mlp || !(one && other)) return null;
  const said = { layer, token: named, come, attention, mlp, times: timesOf(Math.max(one, other) / Math.min(one, other)) };
  return other > one
    ? _("Layer {layer} writes twice into the stream at {token}, which comes in with length {come}: attention adds a vector of length {attention}, and the " +
      "feed-forward part, which sees no other token, one of {mlp}, {times} times as long.", said)
    : _("Layer {layer} writes twice into the stream at {token}, which comes in with length {come}: the feed-forward part, which sees no other token, adds a " +
      "vector of length {mlp}, and attention one of {attention}, {times} times as long.", said);
}

/**
 * How much of the likeliest next token's probability hangs on a head, as tlmviz/ui/looking.py measures it.
 * @param {Read} read
 * @param {number} head
 * @param {number} position
 * @param {number} expected
 * @param {number} before its probability
 */
function hangs({ lm, text, layer, trace }, head, position, expected, before) {
  const without = lm.trace(text, { muted: [[layer, head]] }).logits;
  const size = without.length / trace.ids.length;
  const logits = without.subarray(position * size, (position + 1) * size);
  const next = placeOfLargest(logits);
  const left = Math.exp(logits[expected] - logits[next]) / logits.reduce((sum, logit) => sum + Math.exp(logit - logits[next]), 0);
  const name = (/** @type {number} */ id) => `“${visible(lm.tokenizer.writtenNameOf(id))}”`;
  const said = { p: percent(left), token: name(expected), next: name(next) };
  if (next !== expected) return _("Without this head it expects {next} instead, and {token} with {p}.", said);
  if (Math.abs(left - before) < FELT) return _("This head merely looks: without it {p} are left.", said);
  return _("Without this head the model gives {p}.", said);
}

/**
 * The sentence above the picture.
 * @param {Read} read
 * @param {{ head: number, position: number }} chosen
 * @param {Placement} placement
 */
export function claimOf(read, { head, position }, placement) {
  const { trace, trace: { ids, tokens }, lm, layer } = read;
  const token = new Token(read, placement, head, position);
  const at = (/** @type {number} */ place) => `“${visible(tokens[place])}” (${place})`;
  const first = writes(token, at(position));
  if (first) return first;
  const { weights } = token;
  const best = placeOfLargest(weights);
  const size = trace.logits.length / ids.length;
  const logits = trace.logits.subarray(position * size, (position + 1) * size);
  const next = placeOfLargest(logits);
  const p = 1 / logits.reduce((sum, logit) => sum + Math.exp(logit - logits[next]), 0);
  const said = { token: at(position), head: `L${layer}H${head}`, share: percent(weights[best]), key: at(best),
    next: `“${visible(lm.tokenizer.writtenNameOf(next))}”`, p: percent(p) };
  if (best > 0 && best - 1 < position && ids[best - 1] === ids[position]) {
    if (next === ids[best])
      return `${_("{token} has been here before. Head {head} gives {share} of its attention to what followed it then, {key}, which the model expects again, " +
      "with {p}.", said)} ${hangs(read, head, position, next, p)}`;
    return _(
      "{token} has been here before. Head {head} gives {share} of its attention to what followed it then, {key}; the model expects {next} now, with {p}.",
      said);
  }
  return _("At {token} head {head} looks most at {key}, with {share} of its attention. What the model expects next is {next}, with {p}.",
    { ...said, key: best === position ? _("itself") : said.key });
}
