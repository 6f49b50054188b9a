// @ts-check
// What the picture says in a line. Free of the DOM.

import { _ } from "#canvas/language.js";
import { minus, visible } from "#canvas/text.js";

/** @typedef {import("./types").View} View */

const MOST = 4; // weights in a sentence

/** @param {string} token */
const quoted = (token) => `“\u2068${visible(token)}\u2069”`;

/** @param {number} value */
const share = (value) => value.toFixed(3);

/**
 * The heaviest of some weights with their tokens.
 * @param {number[]} weights
 * @param {string[]} tokens
 */
function heaviestOf(weights, tokens) {
  const order = weights.map((_weight, at) => at).sort((a, b) => weights[b] - weights[a]);
  return order.slice(0, MOST).filter((at) => weights[at] >= 0.005).map((at) => `${quoted(tokens[at])} ${share(weights[at])}`).join(", ");
}

/**
 * The line below the picture.
 * @param {View} v
 * @param {import("./types").Hover} seen
 */
export function sentence({ header: { source, target, pins }, arrays: { weights }, pending, held, hover, cursor }, { step, token }) {
  const S = source.length;
  if (pending) return _("Decoding on with step {step} reading {token} …", { step: pending[0] + 1, token: quoted(source[pending[1]]) });
  if (held !== null) {
    const to = hover?.token ?? (cursor?.side === "source" ? cursor.index : null);
    if (to === null) return _("{written} shall read …: choose a word of the source. Esc leaves it as it is.", { written: quoted(target[held]) });
    return _("{written} shall read {token}. Esc leaves it as it is.", { written: quoted(target[held]), token: quoted(source[to]) });
  }
  if (step !== null && token !== null) return _("{written} reads {token}: {share}",
    { written: quoted(target[step]), token: quoted(source[token]), share: share(weights[step * S + token]) });
  if (step !== null) {
    const values = { step: step + 1, written: quoted(target[step]), read: heaviestOf(Array.from(weights.subarray(step * S, (step + 1) * S)), source) };
    return pins.some(([at]) => at === step) ? _("Step {step}, {written}, is made to read {read}", values) : _("Step {step}, {written}, reads {read}", values);
  }
  if (token === null) return _("Colour: place in the English sentence.");
  const column = target.map((_token, at) => weights[at * S + token]);
  return _("{token} is read by {written}; in all {sum}", {
    token: quoted(source[token]), written: heaviestOf(column, target), sum: share(column.reduce((a, b) => a + b, 0)) });
}

/**
 * A text with its log probability.
 * @param {{ text: string, logp: number }} written
 */
export function writtenLine({ text, logp }) {
  return `${text || _("(nothing)")}  log P ${minus(logp.toFixed(3))}`;
}
