// @ts-check
// The bill filled in by hand: the questions, what is typed, and hints. Free of the DOM.

import { billOf, oneHead, totalsOf, widthOf } from "./counting.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Sizes} Sizes */
/** @typedef {import("./types").Question} Question */

export const LONGEST_ANSWER = 40; // characters

/**
 * The number that a text means: a whole number, or whole numbers joined by + and ×; a `problem` in one sentence where there is none.
 * @param {string} text
 * @returns {{ value?: number, problem?: string }}
 */
export function readAnswer(text) {
  const plain = text.replaceAll("·", "*").replaceAll("×", "*").replace(/(\d)[ ,](?=\d{3}(\D|$))/g, "$1").replace(/\s/g, "");
  if (!plain) return {};
  if (!/^\d+(\^\d)?([*+]\d+(\^\d)?)*$/.test(plain)) return { problem: TEXTS.noWholeNumber(text) };
  const power = (/** @type {string} */ factor) => {
    const [base, exponent] = factor.split("^");
    return Number(base) ** Number(exponent ?? 1);
  };
  const value = plain.split("+").reduce((sum, term) => sum + term.split("*").reduce((product, factor) => product * power(factor), 1), 0);
  if (!Number.isSafeInteger(value)) return { problem: TEXTS.beyondWhatAny(text) };
  return { value };
}

/**
 * The questions on one layer, in rows; each is answered for one head and for all of them.
 * @param {Sizes} s
 * @returns {Question[]}
 */
export function questionsOf(s) {
  const { n, d, bytes } = s;
  const heads = [oneHead(s), s];
  const ask = (/** @type {string} */ name, /** @type {string} */ hint, /** @type {(s: Sizes, spelled: string) => [number, string]} */ answer) => ({ name, hint, answers: heads.map((size) => answer(size, `${size.h} · ${widthOf(size)}`)) });
  return [
    ask(TEXTS.numbersQueryD, TEXTS.widthSharedHeads, (s) => [widthOf(s), `${d} / ${s.h}`]),
    ask(TEXTS.productsQK, TEXTS.threeTimesN, (s) => [billOf(s).projections.multiplications, `3 · ${n} · ${d} · ${d}`]),
    ask(TEXTS.cellsAllMaps, TEXTS.everyHeadHas, (s) => [s.h * n * n, `${s.h} · ${n} · ${n}`]),
    ask(TEXTS.productsScores, TEXTS.cellQK, (s) => [billOf(s).scores.multiplications, `${s.h} · ${n} · ${n} · ${widthOf(s)}`]),
    ask(TEXTS.exponentialsSoftmax, TEXTS.everyCellEvery, (s) => [s.h * n * n, `${s.h} · ${n} · ${n}`]),
    ask(TEXTS.productsWeightedSums, TEXTS.cellWeighsValue, (s) => [billOf(s).sum.multiplications, `${s.h} · ${n} · ${n} · ${widthOf(s)}`]),
    ask(TEXTS.productsOutput, TEXTS.headsOutputsLie, (s) => [billOf(s).output.multiplications, `${n} · ${d} · ${d}`]),
    ask("All products", TEXTS.addFourRows, (s) => [attentionOf(s), ["projections", "scores", "sum", "output"].map((part) => billOf(s)[/** @type {"sum"} */ (part)].multiplications).join(" + ")]),
    ask(TEXTS.bytesAllMaps(bytes), TEXTS.cellsAllMaps2, (s) => [totalsOf(s).maps, `${s.h} · ${n} · ${n} · ${bytes}`]),
  ];
}

/** @param {Sizes} s */
function attentionOf(s) {
  const { projections, scores, sum, output } = billOf(s);
  return projections.multiplications + scores.multiplications + sum.multiplications + output.multiplications;
}

/**
 * What to say of an answer: right, or a hint; the more often it was wrong, the more.
 * @param {Question} question
 * @param {number} column 0: one head, 1: all heads
 * @param {number} value
 * @param {Sizes} s
 * @param {number} wrong how often this cell was wrong, this time included
 * @returns {{ right: boolean, said: string }}
 */
export function judged(question, column, value, s, wrong) {
  const [answer, spelled] = question.answers[column];
  if (value === answer) return { right: true, said: `${question.name}: ${spelled} = ${answer}.` };
  const ratio = value / answer;
  const near = (/** @type {number} */ factor) => Math.abs(ratio / factor - 1) < 1e-9;
  let hint = question.hint;
  const products = question.name.startsWith("Products");
  if (near(1 / s.bytes) && question.name.startsWith("Bytes")) hint = TEXTS.numberCellsTakes(s.bytes);
  else if (near(1 / 3) && question.name.includes("Q, K")) hint = TEXTS.qAloneK;
  else if (products && column === 1 && s.h > 1 && near(s.h)) hint = TEXTS.timesTooMany(s.h, s.d);
  else if (column === 1 && s.h > 1 && near(1 / s.h)) hint = TEXTS.headThere(s.h);
  else if (products && near(2)) hint = TEXTS.twiceTooMany;
  else if (products && near(1 / s.n)) hint = TEXTS.timesTooFew(s.n);
  const more = wrong > 1 ? ` It is ${spelled}.` : "";
  return { right: false, said: `${question.name}: ${value} is not it. ${hint}${more}` };
}
