// @ts-check
// What a network can learn here: where its sequences come from, what of them it predicts, and what tokens are called.

import { Tokenizer } from "../tokenizer.js";
import { BadSetting } from "./settings.js";
import { learnPieces, readsAll, signPieces, tokenizerFile } from "./vocabulary.js";

/** @typedef {() => number} Roll a number from 0 to below 1 */
/** @typedef {import("./network.js").Batch & { periods?: Int32Array }} Batch `periods`: after how many positions each sequence repeats */
/**
 * @typedef {object} Task
 * @property {string[]} names of its tokens
 * @property {import("./vocabulary.js").Vocabulary} vocabulary the same as pieces of bytes
 * @property {(ids: ArrayLike<number>) => string} text of tokens
 * @property {number} sample tokens of a text that is written to be looked at
 * @property {number} length of a sequence, T
 * @property {boolean} answers whether a sequence asks for an answer, right or wrong as a whole
 * @property {(roll: Roll, rows: number, fresh: boolean) => Batch} draw sequences; `fresh`: to be tested on
 */
/** @typedef {{ vocab?: number, length?: number, fixed?: boolean, turned?: boolean, text?: string,
 * pieces?: number }} Options `fixed`: one distance in all training data; `turned`: the last digit of a sum first; `pieces`: at most, of a text */

const DIGITS = [..."0123456789"];
const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
const GIVEN = 8; // digits to copy, reverse or sort
const SHORTEST = 4; // distance at which a sequence repeats
const TEXT_LENGTH = 64; // letters
const PIECES_LENGTH = 32;
const MOST_PIECES = 512;
const HELD_OUT = 0.1; // of a text, to be tested on
const MOST_SIGNS = 128; // different ones in a text

const below = (/** @type {Roll} */ roll, /** @type {number} */ count) => Math.floor(roll() * count);

/**
 * A batch of sequences, each T + 1 tokens of which the last is only predicted.
 * @param {number} length T
 * @param {{ tokens: ArrayLike<number>, from: number }[]} sequences targets begin at position `from`
 * @returns {Batch}
 */
function batchOf(length, sequences) {
  const tokens = new Int32Array(sequences.length * length);
  const targets = new Int32Array(sequences.length * length).fill(-1);
  sequences.forEach((sequence, b) => {
    for (let t = 0; t < length; t++) {
      tokens[b * length + t] = sequence.tokens[t];
      if (t >= sequence.from) targets[b * length + t] = sequence.tokens[t + 1];
    }
  });
  return { tokens, targets };
}

/** @param {Roll} roll @param {number} count the first numbers in random order */
function shuffled(roll, count) {
  const all = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = below(roll, i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}

/**
 * A run of distinct tokens, repeated: only what came after a token the last time says what comes next.
 * @param {Options} options
 * @returns {Task}
 */
function induction({ vocab = 24, length = 48, fixed = false }) {
  const longest = length / 2;
  if (vocab < longest || vocab > LETTERS.length) throw new BadSetting(
    `A run of up to ${longest} different tokens cannot be drawn from ${vocab}; take ${longest} to ${LETTERS.length} tokens.`);
  return {
    ...signs(LETTERS.slice(0, vocab)),
    length,
    answers: false,
    draw(roll, rows, fresh) {
      const periods = Int32Array.from({ length: rows }, () => (fixed && !fresh ? longest : SHORTEST + below(roll, longest - SHORTEST + 1)));
      const sequences = Array.from(periods, (period) => {
        const run = shuffled(roll, vocab);
        return { tokens: Array.from({ length: length + 1 }, (_, t) => run[t % period]), from: fresh ? period : 0 };
      });
      return { ...batchOf(length, sequences), periods };
    },
  };
}

/**
 * Digits, a separator, and the digits as `answer` puts them.
 * @param {(digits: number[]) => number[]} answer
 * @returns {Task}
 */
function rearranged(answer) {
  return {
    ...signs([...DIGITS, "→"]),
    length: 2 * GIVEN,
    answers: true,
    draw(roll, rows) {
      const sequences = Array.from({ length: rows }, () => {
        const digits = Array.from({ length: GIVEN }, () => below(roll, DIGITS.length));
        return { tokens: [...digits, DIGITS.length, ...answer(digits)], from: GIVEN };
      });
      return batchOf(2 * GIVEN, sequences);
    },
  };
}

/**
 * Two numbers of two digits and their sum, as written or with its last digit first.
 * @param {Options} options
 * @returns {Task}
 */
function addition({ turned = false }) {
  const [plus, equals] = [DIGITS.length, DIGITS.length + 1];
  const digitsOf = (/** @type {number} */ value, /** @type {number} */ count) => Array.from(String(value).padStart(count, "0"), Number);
  return {
    ...signs([...DIGITS, "+", "="]),
    length: 8,
    answers: true,
    draw(roll, rows) {
      const sequences = Array.from({ length: rows }, () => {
        const [a, b] = [below(roll, 100), below(roll, 100)];
        const sum = digitsOf(a + b, 3);
        return { tokens: [...digitsOf(a, 2), plus, ...digitsOf(b, 2), equals, ...(turned ? sum.reverse() : sum)], from: 5 };
      });
      return batchOf(8, sequences);
    },
  };
}

/** A task's tokens, where they are one sign each. @param {string[]} names */
function signs(names) {
  return { names, vocabulary: signPieces(names), text: (/** @type {ArrayLike<number>} */ ids) => Array.from(ids, (id) => names[id]).join(""), sample: 100 };
}

/**
 * A text of one's own by letters.
 * @param {Options} options
 * @returns {Task}
 */
function letters({ text = "" }) {
  const all = [...text];
  const least = leastOf(TEXT_LENGTH);
  if (all.length < least)
    throw new BadSetting(`This text has ${all.length} ${all.length === 1 ? "letter" : "letters"}, and training takes at least ${least}; type or paste more.`);
  const names = [...new Set(all)].sort();
  if (names.length > MOST_SIGNS)
    throw new BadSetting(`This text has ${names.length} different signs, and at most ${MOST_SIGNS} are learnt; take a text in an alphabet of letters.`);
  if (names.length < 2) throw new BadSetting(`This text repeats one sign, “${names[0]}”; take one with different letters.`);
  const places = new Map(names.map((name, i) => [name, i]));
  return { ...signs(names), ...passages(all.map((sign) => places.get(sign)), TEXT_LENGTH) };
}

/**
 * A text of one's own by pieces of its words, which are learnt from it first.
 * @param {Options} options
 * @returns {Task}
 */
function pieces({ text = "", pieces: most = 256 }) {
  if (!Number.isInteger(most) || most < 2 || most > MOST_PIECES)
    throw new BadSetting(`A vocabulary of ${most} pieces cannot be learnt; give a whole number from 2 to ${MOST_PIECES}.`);
  const own = learnPieces(text, most);
  const tokenizer = new Tokenizer(tokenizerFile(readsAll(own)), "the text");
  const ids = tokenizer.encode(text);
  const least = leastOf(PIECES_LENGTH);
  if (ids.length < least)
    throw new BadSetting(
    `This text has ${ids.length} ${ids.length === 1 ? "piece" : "pieces"}, and training takes at least ${least}; type or paste more, or take fewer pieces.`);
  return {
    names: own.pieces.map((_, id) => tokenizer.nameOf(id)),
    vocabulary: own,
    text: (given) => tokenizer.decode(Array.from(given)),
    sample: 40,
    ...passages(ids, PIECES_LENGTH),
  };
}

/** Tokens that a text needs. @param {number} length of a sequence */
const leastOf = (length) => 4 * (length + 1);

/**
 * Sequences out of a text, whose end is held out, to be tested on.
 * @param {number[]} tokens
 * @param {number} length of a sequence
 */
function passages(tokens, length) {
  const ids = Int32Array.from(tokens);
  const cut = ids.length - Math.max(length + 1, Math.floor(HELD_OUT * ids.length));
  const [taught, held] = [ids.subarray(0, cut), ids.subarray(cut)];
  return {
    length,
    answers: false,
    draw(/** @type {Roll} */ roll, /** @type {number} */ rows, /** @type {boolean} */ fresh) {
      const from = fresh ? held : taught;
      const sequences = Array.from({ length: rows }, () => {
        const start = below(roll, from.length - length);
        return { tokens: from.subarray(start, start + length + 1), from: 0 };
      });
      return batchOf(length, sequences);
    },
  };
}

const TASKS = /** @type {Record<string, (options: Options) => Task>} */ ({
  induction,
  copy: () => rearranged((digits) => digits),
  reverse: () => rearranged((digits) => digits.toReversed()),
  sort: () => rearranged((digits) => digits.toSorted((a, b) => a - b)),
  addition,
  text: letters,
  pieces,
});

/**
 * @param {string} name
 * @param {Options} options
 * @throws BadSetting
 */
export function taskOf(name, options) {
  if (!Object.hasOwn(TASKS, name)) throw new BadSetting(`There is no task called “${name}”; choose one of ${Object.keys(TASKS).join(", ")}.`);
  return TASKS[name](options);
}
