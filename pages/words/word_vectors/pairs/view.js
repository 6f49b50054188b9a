// @ts-check
// A window that slides over a text, and what it has counted so far.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { live, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { digits } from "#canvas/text.js";
import { contextOf, countUpTo, mostAlike } from "./counting.js";
import { LENS, cellUnder, countText, drawLens, drawMatrix, gridOf, roles } from "./drawing.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/axis.js").Axis} Axis */

const PACE = 450; // milliseconds of a step while playing
const TALLEST = 430; // pixels of the matrix
const ALIKE = 4; // rows that are named

/** @param {View} v @returns {Axis} */
const steps = (v) => ({
  end: () => v.text.places.length - 1,
  step: () => 1,
  read: () => (v.place.at === null ? v.header.place : v.place.at - 1),
  write: (at) => ({ at: at + 1 }),
  says: () => _("word {at} of {count}", { at: v.step + 1, count: v.text.places.length }),
  label: _("Place of the window"),
  lasts: () => PACE * v.text.places.length,
});

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, steps(v));
  const text = make("div", { className: "text", testid: "words", tabIndex: 0, role: "region",
    "aria-label": _("The text; a click or the arrow keys move the window") });
  text.addEventListener("click", ({ target }) => {
    const { step } = /** @type {HTMLElement} */ (target).dataset;
    if (step) walk(v, steps(v), Number(step));
  });
  const lens = make("canvas", { testid: "window", role: "img" });
  const matrix = make("canvas", { testid: "matrix", role: "img", tabIndex: 0 });
  for (const element of [text, matrix]) axis.listen(element);
  pointing(v, matrix, (x, y) => cellUnder(v, x, y));
  const [said, alike] = [make("p", { className: "said" }), make("div", { className: "alike", testid: "alike" })];
  Object.assign(v.els, { axis, text, lens, matrix, said, alike });
  const save = saving(v, "tlmviz-pairs", {
    height: (width) => LENS + gridOf(v, v.theme, width, TALLEST).top + v.header.drawn.length * gridOf(v, v.theme, width, TALLEST).side + 12,
    draw: (pen, theme, width) => {
      drawLens(pen, v, theme, width);
      pen.shifted(0, LENS + 12, () => drawMatrix(pen, { ...v, grid: gridOf(v, theme, width, TALLEST) }, theme));
    },
    width: 592,
  });
  return [make("div", { className: "bar" }, ...axis.parts, save),
    make("div", { className: "sides" }, make("div", {}, text, lens, said, alike), make("div", {}, matrix))];
}

/** @param {View} v */
function fill(v) {
  const { words, vocabulary, drawn, window, byDistance } = v.header;
  const { ids, kept, keep } = v.arrays;
  v.text = { ids, places: [...words.keys()].filter((i) => kept[i]), window, byDistance };
  v.rowOf = new Int32Array(vocabulary.length).fill(-1);
  drawn.forEach((id, row) => (v.rowOf[id] = row));
  const number = new Map(v.text.places.map((place, step) => [place, step]));
  v.els.text.replaceChildren(...words.flatMap((word, i) => {
    const values = { word: vocabulary[ids[i]], chance: digits(keep[ids[i]], 3) };
    const title = kept[i] ? _("{word}: stays with probability {chance}", values) : _("{word}: stays with probability {chance}; thrown out", values);
    const span = make("span", { className: kept[i] ? "word" : "word thrown", textContent: word, title });
    if (kept[i]) span.dataset.step = String(number.get(i));
    return [span, " "];
  }));
}

/** @param {View} v */
function paint(v) {
  const { axis, lens, matrix } = v.els;
  v.step = Math.floor(placeOn(v, steps(v)));
  const { center, context } = roles(v.theme);
  v.root.style.setProperty("--center", center);
  v.root.style.setProperty("--context", context);
  v.counted = countUpTo(v.text, v.step, v.rowOf, v.header.drawn.length);
  v.grid = gridOf(v, v.theme, widthOf(matrix), TALLEST);
  drawLens(penOf(v, lens, LENS), v, v.theme, widthOf(lens));
  drawMatrix(penOf(v, matrix, v.grid.top + v.header.drawn.length * v.grid.side + 4), v, v.theme);
  axis.repaint();
  mark(v);
  say(v);
}

/** @param {View} v */
function mark(v) {
  const around = new Set(contextOf(v.text, v.step).map(([step]) => step));
  for (const span of v.els.text.querySelectorAll("[data-step]")) {
    const step = Number(span.dataset.step);
    span.classList.toggle("center", step === v.step);
    span.classList.toggle("context", around.has(step));
    if (step === v.step) v.els.text.scrollTop = span.offsetTop - v.els.text.clientHeight / 2;
  }
}

/** @param {View} v */
function say(v) {
  const { els, header, counted } = v;
  const word = (/** @type {number} */ step) => header.words[v.text.places[step]];
  const around = contextOf(v.text, v.step).map(([step]) => word(step));
  const values = { word: word(v.step), pairs: counted.pairs, drawn: header.drawn.length, all: header.vocabulary.length };
  const [i, j] = v.hover ? v.hover.map((/** @type {number} */ at) => header.drawn[at]) : [0, 0];
  const cell = v.hover && _("Center “{center}”, context “{context}”: {count}.",
    { center: header.vocabulary[i], context: header.vocabulary[j], count: countText(counted.counts[v.hover[0] * counted.columns + j]) });
  const more = header.drawn.length < header.vocabulary.length ? _("Drawn are the {drawn} most frequent of {all} words.", values) : "";
  els.said.textContent = cell || `${ngettext("{n} pair from this window, {pairs} so far.", "{n} pairs from this window, {pairs} so far.", around.length,
    values)} ${more}`;
  const row = v.rowOf[v.text.ids[v.text.places[v.step]]];
  const alike = row >= 0 ? mostAlike(counted, row, ALIKE) : [];
  els.alike.replaceChildren(make("b", {}, _("Rows most like that of “{word}” so far", values)),
    ...alike.map(([other, cosine]) => likeness(v, row, other, cosine)));
  els.lens.setAttribute("aria-label", _("The window around “{word}”: {around}.", { ...values, around: around.join(", ") || _("nothing else") }));
  els.matrix.setAttribute("aria-label", _("{title}: counts after {step} windows, {pairs} pairs. Arrow keys slide the window, space plays.",
    { ...values, title: header.title, step: v.step + 1 }));
  const total = counted.counts.reduce((sum, value) => sum + value, 0);
  Object.assign(v.root.dataset, { step: v.step, steps: v.text.places.length, center: word(v.step), context: around.join(" "), pairs: counted.pairs,
    total: total.toFixed(4) });
}

/** @param {View} v @param {number} row @param {number} other @param {number} cosine */
function likeness({ header, counted }, row, other, cosine) {
  const met = counted.counts[row * counted.columns + header.drawn[other]];
  const bar = make("i");
  bar.style.width = `${Math.round(100 * cosine)}%`;
  const said = `${cosine.toFixed(2)} · ${met ? _("met {count}", { count: countText(met) }) : _("never met")}`;
  return make("div", { className: "row" }, make("span", { className: "name" }, header.vocabulary[header.drawn[other]]),
    make("span", { className: "rail" }, bar), make("span", { className: "value" }, said));
}

export default live({ id: "pairs", build, paint, fit: (v, before) => v.header !== before && fill(v) });
