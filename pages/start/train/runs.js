// @ts-check
// The runs that a state asks for, and what is said above them, as data.py and view.py make them. Free of the DOM.

import { parametersOf } from "#browser/training/settings.js";
import { learnPieces } from "#browser/training/vocabulary.js";
import { _, ngettext } from "#canvas/language.js";

/** @typedef {{ task: string, layers: number, positions: "learned" | "none" | "rope", beside: string, heads: number, width: number, rate: number,
 * seed: number, mlp: boolean, mask: boolean, norm: boolean, guess: boolean, text: string, pieces: number }} Choice */
/** @typedef {{ vocab: number, length: number, lengths: Record<string, number>, digits: Record<string, [number, number]>, steps: Record<string, number>,
 * changes: Record<string, any>, beside: Record<string, string>, asked: Record<string, string>, high: number, live: string }} Tables as site.py gives them */

/**
 * What a second run can change: what is not so already, and makes sense for the task.
 * @param {Choice} chosen
 * @param {Tables} tables
 */
export function offered({ task, layers, mask, positions, rate }, { high }) {
  const there = { layer: layers > 1, mask, fixed: task === "induction", positions: positions !== "none", rate: rate !== high };
  return ["alone", ...Object.entries(there).filter(([, possible]) => possible).map(([name]) => name)];
}

/** A run, by the names of tlmviz/browser/training. @param {Choice} chosen @param {Tables} tables */
function askedOf({ task, layers, heads, width, mlp, positions, mask, norm, rate, seed, text, pieces }, { vocab, length }) {
  return {
    task: task === "turned" ? "addition" : task, turned: task === "turned", layers, heads, width, hidden: mlp ? 4 * width : 0, positions,
    causal: mask, norm, rate, seed, batch: task === "text" ? 16 : 32,
    ...(task === "induction" ? { vocab, length } : {}),
    ...(task === "text" ? { text } : {}), ...(task === "pieces" ? { text, pieces } : {}),
  };
}

/** How many tokens there are, and positions of a sequence. @param {Choice} chosen @param {Tables} tables @returns {[number, number]} */
function sizesOf({ task, text, pieces }, { vocab, length, lengths, digits }) {
  if (task === "text") return [new Set(text).size, lengths.text];
  if (task === "pieces") return [learnPieces(text, pieces).pieces.length, lengths.pieces];
  return digits[task] ?? [vocab, length];
}

/**
 * The picture's header.
 * @param {Choice} chosen
 * @param {Tables} tables
 */
export function headerOf(chosen, tables) {
  const { task, layers, heads, width, rate, beside, guess } = chosen;
  const first = askedOf(chosen, tables);
  const second = beside !== "alone";
  const [vocab, length] = sizesOf(chosen, tables);
  const count = parametersOf({ ...first, vocab, length });
  const title = _("{layers}, {heads} each, d {width}, rate {rate}: {count} parameters", {
    layers: ngettext("{n} layer", "{n} layers", layers), heads: ngettext("{n} head", "{n} heads", heads), width, rate, count: count.toLocaleString("en"),
  });
  const runs = second ? [{ name: _("As chosen above"), asked: first }, { name: _(tables.beside[beside]), asked: { ...first, ...tables.changes[beside] } }] : [
    { name: "", asked: first }];
  return {
    title, runs, steps: tables.steps[task], repeats: task === "induction", answers: task in tables.digits, live: tables.live,
    question: second && guess ? _(tables.asked[beside], { layers }) : "",
  };
}
