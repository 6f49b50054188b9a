// @ts-check
// What the picture says in a line. Free of the DOM.

import { minus, visible } from "#canvas/text.js";

/** @typedef {import("./types").View} View */

const MOST = 4; // weights in a sentence

/** @param {string} token */
const quoted = (token) => `“\u2068${visible(token)}\u2069”`;

/** @param {number} value */
const share = (value) => value.toFixed(3);

/**
 * What one step reads, heaviest first.
 * @param {View} v
 * @param {number} step
 */
function ofStep({ header, weights }, step) {
  const S = header.source.length;
  const order = header.source.map((_, j) => j).sort((a, b) => weights[step * S + b] - weights[step * S + a]);
  const parts = order.slice(0, MOST).filter((j) => weights[step * S + j] >= 0.005).map((j) => `${quoted(header.source[j])} ${share(weights[step * S + j])}`);
  const pinned = header.pins.some(([at]) => at === step) ? "is made to read" : "reads";
  return `Step ${step + 1}, ${quoted(header.target[step])}, ${pinned} ${parts.join(", ")}`;
}

/**
 * Who reads one source token, and how much it is read in all.
 * @param {View} v
 * @param {number} token
 */
function ofToken({ header, weights }, token) {
  const S = header.source.length;
  const column = header.target.map((_, t) => weights[t * S + token]);
  const order = header.target.map((_, t) => t).sort((a, b) => column[b] - column[a]);
  const parts = order.slice(0, MOST).filter((t) => column[t] >= 0.005).map((t) => `${quoted(header.target[t])} ${share(column[t])}`);
  return `${quoted(header.source[token])} is read by ${parts.join(", ")}; in all ${share(column.reduce((a, b) => a + b, 0))}`;
}

/**
 * The line below the picture.
 * @param {View} v
 * @param {import("./types").Hover} seen
 */
export function sentence(v, seen) {
  const { header, weights } = v;
  if (v.pending) return `Decoding on with step ${v.pending[0] + 1} reading ${quoted(header.source[v.pending[1]])} …`;
  if (v.held !== null) {
    const to = v.hover.token ?? (v.cursor?.side === "source" ? v.cursor.index : null);
    return `${quoted(header.target[v.held])} shall read ${to === null ? "…: choose a word of the source" : quoted(header.source[to])}. Esc leaves it as it is.`;
  }
  if (seen.step !== null && seen.token !== null) return `${quoted(header.target[seen.step])} reads ${quoted(header.source[seen.token])}: ${share(weights[seen.step * header.source.length + seen.token])}`;
  if (seen.step !== null) return ofStep(v, seen.step);
  if (seen.token !== null) return ofToken(v, seen.token);
  return "Colour: place in the English sentence. Drag a ribbon to another English word, or choose a French word, then an English one: the rest is written anew.";
}

/**
 * A text with its log probability.
 * @param {{ text: string, logp: number }} written
 */
export function line({ text, logp }) {
  return `${text || "(nothing)"}  log P ${minus(logp.toFixed(3))}`;
}

export const TEXTS = {
  outlinedWhereHad: "; outlined: where it had to look",
  widthAttentionColour: (/** @type {string} */ model, /** @type {string} */ map, /** @type {string} */ pins) => `${model}, ${map}: width is attention, colour the place of the English token${pins}`,
  ribbonsWrittenTokens: (/** @type {string} */ text, /** @type {number} */ targetCount, /** @type {number} */ sourceCount) => `${text}. Ribbons from ${targetCount} written tokens to ${sourceCount} tokens of the source, as wide as attention. ` +
    "Arrow keys walk, Enter chooses a word of the translation and then the word it shall read, Delete frees it.",
  takeLastPin: "Take the last pin back",
};
