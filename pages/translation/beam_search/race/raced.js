// @ts-check
// The race of several widths and the text that is written by hand, as data.py and view.py make them. Free of the DOM.

import { logProbabilities } from "#browser/decoding/beam.js";
import { scoreOf } from "#browser/decoding/penalties.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#browser/translator.js").Translator} Translator */
/** @typedef {import("#browser/decoding/beam.js").Search} Search */
/** @typedef {ReturnType<Search["hypotheses"]>[number]} Candidate */
/** @typedef {import("#browser/decoding/penalties.js").Weights} Weights */
/** @typedef {{ node: number, parent: number, step: number, rank: number, token: number, total: number,
 * finished: boolean }} Beginning its parent by its place, -1 where nothing was written before */

const WIDTHS = [1, 2, 5, 20];
const OFFERED = 10; // tokens to choose from, and the one that ends the text

/** Everything that a search kept or finished, step by step and by log P. @param {Search} search @returns {Beginning[]} */
function kept({ nodes }) {
  const order = nodes.map((_node, i) => i).filter((i) => i && nodes[i].state !== "pruned");
  order.sort((a, b) => nodes[a].depth - nodes[b].depth || nodes[b].total - nodes[a].total);
  const places = new Map([[0, -1]]);
  /** @type {Beginning[]} */
  const found = [];
  for (const node of order) {
    const { parent, depth: step, token, total, state } = nodes[node];
    const last = found.at(-1);
    places.set(node, found.length);
    found.push({ node, parent: places.get(parent), step, rank: last?.step === step ? last.rank + 1 : 0, token, total, finished: state === "finished" });
  }
  return found;
}

/** The places of a text's beginnings, as far as they were kept. @param {Beginning[]} beginnings @param {number[]} tokens */
function wayOf(beginnings, tokens) {
  const known = new Map(beginnings.map(({ parent, token }, place) => [`${parent} ${token}`, place]));
  /** @type {number[]} */
  const places = [];
  for (const token of tokens) {
    const place = known.get(`${places.at(-1) ?? -1} ${token}`);
    if (place === undefined) break;
    places.push(place);
  }
  return places;
}

/**
 * One width: all that it kept, its best beginning at each step, and the way of the best text of all.
 * @param {Translator} mt
 * @param {Search} search
 * @param {Candidate} winner
 * @param {Candidate} best
 */
function laneOf(mt, search, winner, best) {
  const beginnings = kept(search);
  const steps = Math.max(0, ...beginnings.map(({ step }) => step));
  const leaders = Array.from({ length: steps }, (_step, i) => beginnings.find(({ step }) => step === i + 1));
  const way = wayOf(beginnings, best.tokens);
  const next = way.length + 1;
  const lost = way.length === best.tokens.length ? null : search.nodes.some(({ depth }) => depth === next)
    ? { step: next, how: "dropped" } : { step: way.length, how: "ended" };
  const tokensOf = (/** @type {number} */ node) => search.wayTo(node).map((each) => search.nodes[each].token);
  return {
    width: search.options.width, steps, parents: beginnings.map(({ parent }) => parent), depths: beginnings.map(({ step }) => step),
    ranks: beginnings.map(({ rank }) => rank), totals: beginnings.map(({ total }) => total), ended: beginnings.map(({ finished }) => finished),
    names: beginnings.map(({ token }) => mt.tokenizer.writtenNameOf(token)), leaders: leaders.map(({ node }) => mt.text(tokensOf(node))),
    way, lost, text: mt.text(winner.tokens), score: winner.parts.total, logp: winner.parts.logp,
  };
}

/**
 * The reader's text so far, what can follow, and the rivals beside it.
 * @param {Translator} mt
 * @param {string} text
 * @param {number[]} own
 * @param {Weights} penalties
 * @param {[string, Candidate][]} rivals
 */
function duelOf(mt, text, own, penalties, rivals) {
  const { network, tokenizer } = mt;
  const source = mt.encode(text);
  network.start(source);
  const covered = new Float32Array(source.length);
  /** @type {number[]} */
  const logps = [];
  /** @type {Float32Array} */
  let following = new Float32Array();
  for (const [step, id] of [tokenizer.begin, ...own].entries()) {
    const { logits, attention } = network.step([0], [id]);
    following = logProbabilities(logits, 1);
    if (step === own.length) break;
    logps.push(following[own[step]]);
    const maps = network.align === null ? mt.maps.map((_name, map) => map) : [network.align];
    for (const map of maps) for (let j = 0; j < covered.length; j++) covered[j] += attention[map * covered.length + j] / maps.length;
  }
  const ended = own.length > 0 && tokenizer.ends.has(own.at(-1));
  const best = ended || own.length >= mt.longest(source) ? [] : [...following.keys()].sort((a, b) => following[b] - following[a]).slice(0, OFFERED);
  const end = best.length && ![...tokenizer.ends].some((id) => best.includes(id)) ? [Math.min(...tokenizer.ends)] : [];
  return {
    tokens: own, fixed: 0, text: mt.text(own), logps, ended,
    score: ended ? scoreOf(penalties, logps.reduce((sum, logp) => sum + logp, 0), own.length, covered).total : null,
    offers: [...best, ...end].map((token) => ({ token, name: tokenizer.writtenNameOf(token), p: Math.exp(following[token]) })),
    rivals: rivals.map(([name, { tokens, logps: their, parts }]) => ({ name, text: mt.text(tokens), logps: their, score: parts.total })),
  };
}

/**
 * The race's header, and the search of the chosen width.
 * @param {Translator} mt
 * @param {string} text
 * @param {{ width: number, own: number[], penalties: Weights }} chosen
 * @param {{ light: string, dark: string }} warm
 * @param {Map<number, Search>} [searches] of this sentence, by width, that are there already; others are added
 */
export function raceOf(mt, text, { width, own, penalties }, warm, searches = new Map()) {
  const widths = [...new Set([...WIDTHS, width])].sort((a, b) => a - b);
  for (const each of widths) if (!searches.has(each)) searches.set(each, mt.search(text, { width: each }));
  const winners = new Map(widths.map((each) => [each, searches.get(each).hypotheses(penalties)[0]]));
  const best = [...winners.values()].reduce((first, each) => (each.parts.total > first.parts.total ? each : first));
  /** @type {[string, Candidate][]} */
  const rivals = [[_("greedy"), winners.get(1)]];
  if (width > 1) rivals.push([_("beam of {width}", { width }), winners.get(width)]);
  const header = {
    title: _("{model}: beams of {widths}", { model: mt.name, widths: widths.join(", ") }),
    lanes: widths.map((each) => laneOf(mt, searches.get(each), winners.get(each), best)), best: mt.text(best.tokens) || _("(nothing)"),
    duel: duelOf(mt, text, fitted(mt, text, own), penalties, rivals), origin: `${mt.name}\n${text}`, warm,
  };
  return { header, search: searches.get(width) };
}

/** A text by hand as far as the model has its tokens and room for them. @param {Translator} mt @param {string} text @param {number[]} own */
function fitted(mt, text, own) {
  if (own.some((id) => id >= mt.config.vocab_size)) return [];
  const end = own.findIndex((id) => mt.tokenizer.ends.has(id));
  return own.slice(0, Math.min(mt.longest(mt.encode(text)), end < 0 ? Infinity : end + 1));
}
