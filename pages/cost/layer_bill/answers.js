// @ts-check
// The bill filled in by hand: the questions, what is typed, and hints. Free of the DOM.

import { billOf, oneHead, totalsOf, headWidth } from "./counting.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./view.js").Sizes} Sizes */
/** @typedef {import("./view.js").Question} Question */

export const LONGEST_ANSWER = 40; // characters

/**
 * The number that a text means: a whole number, or whole numbers joined by + and ×; a `problem` in one sentence where there is none.
 * @param {string} text
 * @returns {{ value?: number, problem?: string }}
 */
export function readAnswer(text) {
  const plain = text.replaceAll("·", "*").replaceAll("×", "*").replace(/(\d)[ ,](?=\d{3}(\D|$))/g, "$1").replace(/\s/g, "");
  if (!plain) return {};
  if (!/^\d+(\^\d)?([*+]\d+(\^\d)?)*$/.test(plain)) return {
    problem: _("“{text}” is no whole number: write 96, or a product such as 4*8*3 or 4^2*8.", { text }) };
  const power = (/** @type {string} */ factor) => {
    const [base, exponent] = factor.split("^");
    return Number(base) ** Number(exponent ?? 1);
  };
  const value = plain.split("+").reduce((sum, term) => sum + term.split("*").reduce((product, factor) => product * power(factor), 1), 0);
  if (!Number.isSafeInteger(value)) return { problem: _("“{text}” is beyond what any cell here holds.", { text }) };
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
  const ask = (/** @type {string} */ name, /** @type {string} */ hint, /** @type {(s: Sizes, spelled: string) => [number, string]} */ answer) =>
    ({ name, hint, answers: heads.map((size) => answer(size, `${size.h} · ${headWidth(size)}`)) });
  return [
    ask(_("Numbers of one query, d / h"), _("The width is shared by the heads: d divided by h."), (s) => [headWidth(s), `${d} / ${s.h}`]),
    ask(_("Products for Q, K and V"), _("Three times, each of n tokens meets a matrix of d × d; the heads' matrices side by side are one of d × d."),
      (s) => [billOf(s).projections.multiplications, `3 · ${n} · ${d} · ${d}`]),
    ask(_("Cells of all maps, h n²"), _("Every head has a map of n rows and n columns."), (s) => [s.h * n * n, `${s.h} · ${n} · ${n}`]),
    ask(_("Products for the scores"), _("A cell is q·k: as many products as a query has numbers. Count the cells of all maps."),
      (s) => [billOf(s).scores.multiplications, `${s.h} · ${n} · ${n} · ${headWidth(s)}`]),
    ask(_("Exponentials of the softmax"), _("One for every cell of every map."), (s) => [s.h * n * n, `${s.h} · ${n} · ${n}`]),
    ask(_("Products for the weighted sums"), _("Each cell weighs one value, which has d / h numbers."),
      (s) => [billOf(s).sum.multiplications, `${s.h} · ${n} · ${n} · ${headWidth(s)}`]),
    ask(_("Products for the output"), _("The heads' outputs lie side by side, d numbers a token, and meet W_O of d × d."),
      (s) => [billOf(s).output.multiplications, `${n} · ${d} · ${d}`]),
    ask(_("All products"), _("Add the four rows of products."),
      (s) => [attentionOf(s), ["projections", "scores", "sum", "output"].map((part) => billOf(s)[/** @type {"sum"} */ (part)].multiplications).join(" + ")]),
    ask(_("Bytes of all maps, {bytes} a number", { bytes }), _("Cells of all maps times the bytes of a number."),
      (s) => [totalsOf(s).maps, `${s.h} · ${n} · ${n} · ${bytes}`]),
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
  if (near(1 / s.bytes) && question.name.startsWith("Bytes")) hint = _("That is the number of cells: each takes {bytes} bytes.", { bytes: s.bytes });
  else if (near(1 / 3) && question.name.includes("Q, K")) hint = _("That is Q alone: K and V take as much again, each.");
  else if (products && column === 1 && s.h > 1 && near(s.h)) hint = _("{h} times too many: the heads share the {d} numbers of a token.", { h: s.h, d: s.d });
  else if (column === 1 && s.h > 1 && near(1 / s.h)) hint = _("That is one head: there are {h}.", { h: s.h });
  else if (products && near(2)) hint = _("Twice too many: products are counted here, not additions.");
  else if (products && near(1 / s.n)) hint = _("{n} times too few: every one of the {n} tokens counts.", { n: s.n });
  const more = wrong > 1 ? _(" It is {spelled}.", { spelled }) : "";
  return { right: false, said: `${_("{name}: {value} is not it. {hint}", { name: question.name, value, hint })}${more}` };
}
