// @ts-check
// The tokens of a network that learns, as byte-level BPE: learnt from a text, or one sign each. As tokenizer.json holds them, any text can be read.

import { BYTE_LETTERS, END_OF_TEXT, wordsOf } from "../tokenizer.js";

/** @typedef {{ pieces: string[], merges: string[] }} Vocabulary pieces in the order of their ids, spelled by BYTE_LETTERS; of each merge the two pieces,
 * a space between them */

const OFTEN_ENOUGH = 2; // times that a pair occurs which is worth a piece

const byteLettersOf = (/** @type {string} */ text) => Array.from(new TextEncoder().encode(text), (byte) => BYTE_LETTERS[byte]);

/**
 * Pieces learnt from a text: its bytes, then again and again the pair of pieces that most often stand side by side in a word as
 * one, until there are `most` or no pair occurs twice. Of equally frequent pairs the one of smaller ids, as in the package
 * tokenizers. Source: Sennrich et al. 2016, algorithm 1.
 * @param {string} text
 * @param {number} most
 * @returns {Vocabulary}
 */
export function learnPieces(text, most) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const pieces = [...new Set([...counts.keys()].flatMap(byteLettersOf))].sort();
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const words = Array.from(counts, ([word, count]) => ({ parts: byteLettersOf(word).map((letter) => ids.get(letter)), count }));
  const merges = [];
  while (pieces.length < most) {
    const pair = commonestPair(words, most);
    if (!pair) break;
    const [left, right] = pair;
    const joined = pieces[left] + pieces[right];
    if (!ids.has(joined)) ids.set(joined, pieces.push(joined) - 1); // it may come of two pairs: a + bc, ab + c
    merges.push(`${pieces[left]} ${pieces[right]}`);
    for (const word of words) joinPair(word.parts, left, right, ids.get(joined));
  }
  return { pieces, merges };
}

/**
 * The pair that stands side by side most often; null where none does so OFTEN_ENOUGH times.
 * @param {{ parts: number[], count: number }[]} words
 * @param {number} most ids
 * @returns {[number, number] | null}
 */
function commonestPair(words, most) {
  /** @type {Map<number, number>} */
  const seen = new Map();
  for (const { parts, count } of words) {
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = parts[i] * most + parts[i + 1];
      seen.set(pair, (seen.get(pair) ?? 0) + count);
    }
  }
  let [best, often] = [-1, OFTEN_ENOUGH - 1];
  for (const [pair, count] of seen) if (count > often || (count === often && best >= 0 && pair < best)) [best, often] = [pair, count];
  return best < 0 ? null : [Math.floor(best / most), best % most];
}

/**
 * Every `left` before a `right` becomes one piece, from the left on.
 * @param {number[]} parts of a word, changed in place
 * @param {number} left
 * @param {number} right
 * @param {number} joined
 */
function joinPair(parts, left, right, joined) {
  for (let i = 0; i + 1 < parts.length; i++) if (parts[i] === left && parts[i + 1] === right) parts.splice(i, 2, joined);
}

/**
 * Tokens that are one sign each; a sign of several bytes is merged from them.
 * @param {string[]} signs
 * @returns {Vocabulary}
 */
export function signPieces(signs) {
  const letters = signs.map(byteLettersOf);
  const starts = letters.flatMap((each) => each.slice(1).map((letter, i) => [each.slice(0, i + 1).join(""), letter]));
  starts.sort(([a], [b]) => a.length - b.length); // longer beginnings after shorter ones, so that these are there to be joined
  return { pieces: letters.map((each) => each.join("")), merges: [...new Set(starts.map((pair) => pair.join(" ")))] };
}

/**
 * The same with what makes any text readable behind a network's own tokens: single bytes, and what merges make on the way.
 * @param {Vocabulary} own
 * @returns {Vocabulary}
 */
export function readsAll({ pieces, merges }) {
  return { pieces: [...new Set([...pieces, END_OF_TEXT, ...BYTE_LETTERS, ...merges.map((merge) => merge.replace(" ", ""))])], merges };
}

/** What tokenizer.json holds of a vocabulary that `readsAll`. @param {Vocabulary} vocabulary @returns {string} */
export function tokenizerFile({ pieces, merges }) {
  const bytes = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const end = { id: pieces.indexOf(END_OF_TEXT), content: END_OF_TEXT, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return JSON.stringify({
    version: "1.0", truncation: null, padding: null, added_tokens: [end], normalizer: null, pre_tokenizer: bytes, post_processor: null, decoder: bytes,
    model: {
      type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: null, end_of_word_suffix: null, fuse_unk: false, byte_fallback: false,
        ignore_merges: false,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: merges.map((merge) => merge.split(" ")),
    },
  });
}
