// @ts-check
// The bill of a toy layer as a table to fill in: every cell is judged by itself, with hints.

import { make, makeButton } from "#canvas/dom.js";
import { LONGEST_ANSWER, judged, questionsOf, readAnswer } from "./answers.js";
import { divisorsOf } from "./counting.js";
import { _ } from "#canvas/language.js";
import { go } from "#canvas/live.js";
import { grouped } from "./written.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Sizes} Sizes */

const JOINED = "~";
const toysOf = () => ({ [_("4 tokens × 8, 2 heads")]: [4, 8, 2], [_("1,000 tokens × 768, 12 heads")]: [1000, 768, 12] });
const SMALL = { n: [3, 4, 5, 6, 8], d: [6, 8, 12, 16] };

/** The layer of the table: FP32, all heads with keys and values of their own. @param {number[]} toy @returns {Sizes} */
export function toySizes([n, d, h]) {
  return { n, d, h, g: h, f: 4 * d, gated: false, batch: 1, bytes: 4, head: 0 };
}

/** @param {View} v */
function answersOf(v) {
  return v.place.answers.split(JOINED);
}

/**
 * Fill the table's place anew, for other sizes or at the beginning.
 * @param {View} v
 */
export function buildHand(v) {
  const { toy } = v.place;
  const questions = questionsOf(toySizes(toy));
  const given = answersOf(v);
  v.wrong = new Map();
  const head = make("tr", {}, make("th", { textContent: _("n = {n}, d = {d}, FP32", { n: grouped(toy[0]), d: grouped(toy[1]) }) }),
    make("th", { textContent: _("one head") }), make("th", { textContent: _("{h} heads", { h: toy[2] }) }));
  const rows = questions.map((question, row) => make("tr", {}, make("td", { textContent: question.name }),
    ...[0, 1].map((column) => make("td", {}, cellOf(v, 2 * row + column, given[2 * row + column] ?? "")))));
  const pick = (/** @type {number[]} */ sizes) => {
    go(v, { toy: sizes, answers: "" });
  };
  const toys = Object.entries(toysOf()).map(([name, sizes]) => makeButton(name, _("The note's sizes; empties the table"), () => pick(sizes)));
  const draw = (/** @type {number[]} */ from) => from[Math.floor(Math.random() * from.length)];
  const other = makeButton(_("Other small sizes"), _("Sizes by chance; empties the table"), () => {
    const d = draw(SMALL.d);
    pick([draw(SMALL.n), d, draw(divisorsOf(d).filter((h) => h > 1 && h < d))]);
  });
  const all = makeButton(_("Show the answers"), _("Fills every empty cell"), () => reveal(v, questions));
  v.els.table.replaceChildren(make("div", { className: "toys" }, ...toys, other, all), make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
  questions.forEach((_none, row) => [0, 1].forEach((column) => judge(v, 2 * row + column, false)));
  v.els.told.textContent = _("A cell takes a number, or what it is worked out from: 4*8*8.");
  score(v);
}

/**
 * @param {View} v
 * @param {number} index
 * @param {string} text
 */
function cellOf(v, index, text) {
  const input = make("input", { type: "text", className: "answer", value: text, maxLength: LONGEST_ANSWER, autocomplete: "off", spellcheck: false,
    "aria-label": index % 2 ? _("Row {row}, all heads", { row: (index >> 1) + 1 }) : _("Row {row}, one head", { row: (index >> 1) + 1 }),
    testid: `cell-${index}` });
  input.addEventListener("change", () => {
    keep(v);
    judge(v, index, true);
    score(v);
  });
  input.addEventListener("input", () => input.classList.remove("right", "wrong"));
  return input;
}

/** @param {View} v @returns {HTMLInputElement[]} */
function inputsOf(v) {
  return Array.from(v.els.table.querySelectorAll("input.answer"));
}

/** What all cells hold, as it is kept. @param {View} v */
export function filledIn(v) {
  return inputsOf(v).map(({ value }) => value.replaceAll(JOINED, "")).join(JOINED).replace(/~+$/, "");
}

/** @param {View} v */
function keep(v) {
  go(v, { answers: filledIn(v) });
}

/**
 * Mark a cell right or wrong; aloud when it has just been filled.
 * @param {View} v
 * @param {number} index
 * @param {boolean} aloud
 */
function judge(v, index, aloud) {
  const input = inputsOf(v)[index];
  const sizes = toySizes(v.place.toy);
  const { value, problem } = readAnswer(input.value);
  input.classList.remove("right", "wrong");
  if (value === undefined) {
    input.classList.toggle("wrong", Boolean(problem));
    if (aloud && problem) v.els.told.textContent = problem;
    return;
  }
  const key = String(index);
  const first = judged(questionsOf(sizes)[index >> 1], index % 2, value, sizes, 1).right;
  if (!first && aloud) v.wrong.set(key, (v.wrong.get(key) ?? 0) + 1);
  const { right, said } = judged(questionsOf(sizes)[index >> 1], index % 2, value, sizes, v.wrong.get(key) ?? 1);
  input.classList.add(right ? "right" : "wrong");
  if (aloud) v.els.told.textContent = said;
}

/**
 * @param {View} v
 * @param {ReturnType<typeof questionsOf>} questions
 */
function reveal(v, questions) {
  inputsOf(v).forEach((input, index) => {
    if (!input.value.trim()) input.value = String(questions[index >> 1].answers[index % 2][0]);
    judge(v, index, false);
  });
  keep(v);
  score(v);
}

/** @param {View} v */
function score(v) {
  const inputs = inputsOf(v);
  const right = inputs.filter((input) => input.classList.contains("right")).length;
  v.root.dataset.right = String(right);
  const done = right === inputs.length ? _(" All products of one head are those of many; only maps and exponentials are not.") : "";
  v.els.said.textContent = _("{right} of {all} right.", { right, all: inputs.length }) + done;
}
