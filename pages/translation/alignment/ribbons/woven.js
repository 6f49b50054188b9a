// @ts-check
// A translation between its two rows of tokens, and what becomes of it under pins, as data.py and view.py make it. Free of the DOM.

import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";

/** @typedef {import("#browser/translator.js").Translator} Translator */
/** @typedef {[step: number, token: number]} Pin */
/** @typedef {{ rank: number, map: string, pins: Pin[] }} Choice the hypothesis from 1, the map by its name in a link, and pins by step */

/**
 * Which of a model's maps a menu's name is; null is the mean. Names of other models' maps are the best one.
 * @param {Translator} mt
 * @param {string} name
 * @param {number} [best] the map that aligns best, where one was measured
 */
function alignOf(mt, name, best) {
  if (name === "mean") return null;
  const own = mt.network.align;
  if (name === "default") return own;
  const at = mt.maps.indexOf(name);
  return at >= 0 ? at : best ?? own;
}

/** What a map is called in a sentence. @param {Translator} mt @param {number | null} align */
export function mapName({ maps }, align) {
  if (align === null) return _("mean of all {count} maps", { count: maps.length });
  if (maps.length === 1) return _("the model's attention");
  const [layer, head] = maps[align].split(".");
  return _("L{layer}H{head}", { layer, head });
}

/**
 * The menu of a model's maps: as a link calls each, and how it reads.
 * @param {Translator} mt
 * @param {number} [best]
 * @returns {[string, string][]}
 */
export function mapMenu(mt, best) {
  const said = (/** @type {string} */ name) => {
    const text = name === "mean" ? _("Mean of all maps") : mapName(mt, alignOf(mt, name, best));
    const first = text[0].toUpperCase() + text.slice(1);
    if (mt.maps.length === 1) return first;
    return name === "best" ? _("{map} (aligns best)", { map: first }) : name === "default" ? _("{map} (the model's own)", { map: first }) : first;
  };
  const names = mt.maps.length > 1 ? ["best", "default", "mean", ...mt.maps] : ["best"];
  return names.map((name) => [name, said(name)]);
}

/**
 * The picture's header and arrays, and the hypotheses, best first.
 * @param {Translator} mt
 * @param {string} text
 * @param {Choice} chosen
 * @param {number} [best]
 */
export function ribbonsOf(mt, text, { rank, map, pins }, best) {
  const align = alignOf(mt, map, best);
  const names = (/** @type {number[]} */ ids) => ids.map((id) => mt.tokenizer.writtenNameOf(id));
  const [ids, search] = [mt.encode(text), mt.search(text)];
  const hypotheses = search.hypotheses(); // in the model's own order, whatever map is shown
  const base = hypotheses[Math.min(rank, hypotheses.length) - 1];
  const kept = pins.filter(([, token]) => token < ids.length);
  const set = kept.length && kept[0][0] < base.tokens.length ? kept : [];
  const { after, weights } = rewritten(mt, text, { search, base }, set, align);
  const written = (/** @type {typeof base} */ { tokens, logps }) => ({ text: mt.text(tokens), logp: logps.reduce((sum, logp) => sum + logp, 0) });
  const header = {
    title: _("{model}, {map}: width is attention, colour the place of the English token", { model: mt.name, map: mapName(mt, align) }),
    model: mt.name, source: names(ids), target: names(after.tokens), changed: changedOf(base.tokens, after.tokens), was: written(base), now: written(after),
    pins: set.filter(([step]) => step < after.tokens.length), origin: `${mt.name}\n${text}\n${base.tokens}`,
  };
  return { header, arrays: { weights }, hypotheses, pins: set };
}

/**
 * The text under pins, and its map: from each on, what was written before it stays and the beam decodes on.
 * @param {Translator} mt
 * @param {string} text
 * @param {{ search: ReturnType<Translator["search"]>, base: any }} from the text without pins, and the search that ended with it
 * @param {Pin[]} pins
 * @param {number | null} align
 */
function rewritten(mt, text, { search, base }, pins, align) {
  let [last, after] = [search, base];
  for (const [count, [step]] of pins.entries()) {
    if (step >= after.tokens.length) break;
    last = mt.search(text, { prefix: after.tokens.slice(0, step), pins: new Map(pins.slice(0, count + 1)) });
    [after] = last.hypotheses();
  }
  return { after, weights: last.mapOf(after.node, align) };
}

/**
 * What is said of a map's coverage: how much each source token was looked at over all steps, and by it the penalty of the score.
 * @param {{ source: string[] }} header
 * @param {Float32Array} weights [T, S]
 */
export function coverageSaid({ source }, weights) {
  const sums = source.map((_token, j) => weights.reduce((sum, weight, at) => (at % source.length === j ? sum + weight : sum), 0));
  const named = (/** @type {number} */ j) => `“${visible(source[j])}” ${sums[j].toFixed(2)}`;
  const order = [...sums.keys()].sort((a, b) => sums[b] - sums[a]);
  const [most, least] = [order[0], order.at(-1)];
  if (sums[most].toFixed(2) === sums[least].toFixed(2)) return "";
  return _("Coverage, the attention that a word got in sum over all steps: most {most}, least {least}. All: {all}.",
    { most: named(most), least: named(least), all: source.map((_token, j) => named(j)).join(", ") });
}

/**
 * Whether each token of `after` is none of those that it has in common with `before`, in order: Python's SequenceMatcher.
 * @param {number[]} before
 * @param {number[]} after
 */
function changedOf(before, after) {
  const fresh = after.map(() => true);
  const match = (/** @type {number} */ a, /** @type {number} */ aEnd, /** @type {number} */ b, /** @type {number} */ bEnd) => {
    let [at, to, size] = [a, b, 0]; // the longest block, of equal ones the first in `before`, then in `after`
    for (let i = a; i < aEnd; i++) {
      for (let j = b; j < bEnd; j++) {
        let count = 0;
        while (i + count < aEnd && j + count < bEnd && before[i + count] === after[j + count]) count++;
        if (count > size) [at, to, size] = [i, j, count];
      }
    }
    if (!size) return;
    fresh.fill(false, to, to + size);
    match(a, at, b, to);
    match(at + size, aEnd, to + size, bEnd);
  };
  match(0, before.length, 0, after.length);
  return fresh;
}

/** Pins as a link has them, "3-5 4-1", from 1; none where it makes no sense. @param {string} text @returns {Pin[]} */
export function readPins(text) {
  const parts = text.trim() ? text.trim().split(/[\s,;]+/) : [];
  const pins = parts.map((part) => /^(\d{1,3})-(\d{1,3})$/.exec(part)?.slice(1).map((number) => Number(number) - 1));
  if (!pins.every((pin) => pin && Math.min(...pin) >= 0)) return [];
  return [...new Map(/** @type {Pin[]} */ (pins))].sort(([a], [b]) => a - b);
}

/** @param {Pin[]} pins */
export const writePins = (pins) => pins.map(([step, token]) => `${step + 1}-${token + 1}`).join(" ");
