// @ts-check
// What one row of a head reads, as a sentence that names the words. Free of the DOM.

import { clip, digits, visible } from "#canvas/text.js";
import { _ } from "#canvas/language.js";

const FOCUSED = 0.25; // of its weight that a row puts on one key, below which it is said to spread

/** @typedef {{ name: string, holds: (tokens: string[], query: number, key: number) => boolean, says: (tokens: string[], query: number,
 * key: number) => string }} Kind */

const word = (/** @type {string} */ token) => (/\p{L}/u.test(token) ? token.trim().toLowerCase() : "");
const quoted = (/** @type {string} */ token) => `“\u2068${clip(visible(token), 18)}\u2069”`;

/**
 * Whether no later copy of the token before `key` comes before the query.
 * @param {string[]} tokens
 * @param {number} query
 * @param {number} key
 */
function isLatest(tokens, query, key) {
  return !tokens.slice(key, query).includes(tokens[query]);
}

/**
 * @param {string[]} t
 * @param {number} i
 * @param {number} j
 */
const followed = (t, i, j) => (isLatest(t, i, j) ? _("what followed {token} the last time", { token: quoted(t[i]) }) : _(
  "what followed {token} an earlier time", { token: quoted(t[i]) }));

/** What a key can be to its query; a name is that of the tag that counts such keys. The first that holds is said. */
/** @type {Kind[]} */
const KINDS = [
  { name: "induction", holds: (t, i, j) => j > 0 && t[j - 1] === t[i], says: followed },
  { name: "duplicate", holds: (t, i, j) => t[j] === t[i] && j < i, says: () => _("an earlier copy of the token") },
  { name: "word", holds: (t, i, j) => word(t[j]) !== "" && word(t[j]) === word(t[i]) && j < i,
    says: (t, i, j) => (t[j].trim() === t[i].trim() ? _("the same word") : _("the same word, written otherwise")) },
  { name: "previous", holds: (t, i, j) => j === i - 1, says: () => _("the token before") },
  { name: "own", holds: (t, i, j) => j === i, says: () => _("the token itself") },
  { name: "sink", holds: (t, i, j) => j === 0 && i > 0, says: () => _("the first token") },
  { name: "punctuation", holds: (t, i, j) => /^\s*\p{P}+\s*$/u.test(t[j]) && j < i, says: () => _("earlier punctuation") },
];

/**
 * What a key is to its query, in the words of a head's own tags where they fit; null where it is nothing that has a name.
 * @param {string[]} tokens
 * @param {number} query
 * @param {number} key
 * @param {string[]} [own] names of the head's tags
 */
export function kindOf(tokens, query, key, own = []) {
  if (key > query) return null;
  const fitting = KINDS.filter((kind) => kind.holds(tokens, query, key));
  const kind = fitting.find(({ name }) => own.includes(name)) ?? fitting[0];
  return kind ? { name: kind.name, says: kind.says(tokens, query, key) } : null;
}

/**
 * The weight of a pinned cell; nothing where the sentence before says it.
 * @param {string[]} tokens
 * @param {number} query
 * @param {number} key
 * @param {Float32Array} weights of the query's row
 */
export function pinnedWeight(tokens, query, key, weights) {
  if (key > query || weights.every((weight) => weight <= weights[key])) return "";
  return _("{to}, which is pinned, gets {share}.", { to: `${quoted(tokens[key])} (${key})`, share: digits(weights[key], 2) });
}

/**
 * What a row reads.
 * @param {string} head "L5H4"
 * @param {string[]} tokens
 * @param {number} query
 * @param {Float32Array} weights of the row
 * @param {string[]} [own] names of the head's tags
 */
export function sentenceOf(head, tokens, query, weights, own = []) {
  let key = 0;
  weights.forEach((weight, j) => (key = weight > weights[key] ? j : key));
  const share = weights[key].toFixed(2);
  const from = `${quoted(tokens[query])} (${query})`;
  const to = `${quoted(tokens[key])} (${key})`;
  if (weights[key] < FOCUSED) return _("From {from}, {head} spreads its attention: the most, {share}, goes to {to}.", { from, head, share, to });
  const kind = kindOf(tokens, query, key, own);
  return _("From {from}, {head} looks at {to}{kind}: {share} of its weight.", { from, head, to, kind: kind ? `, ${kind.says}` : "", share });
}
