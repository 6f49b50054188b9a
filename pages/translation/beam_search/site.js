// @ts-check
// The page Beam search on a static site: beams of several widths side by side, and the ranking of the chosen one's texts.

import { controls } from "#site/controls.js";
import { asked, attempt, given, link, modelMenu, namesOf, onlyPart, picture } from "#site/frame.js";
import { translator } from "#site/translation.js";
import race from "./race/view.js";
import { raceOf } from "./race/raced.js";
import { rankingOf } from "./ranked.js";
import ranking from "./view.js";

/** @typedef {import("#browser/translator.js").Translator} Translator */

const { warm, model } = given.own;
const KEYS = { alpha: "al", beta: "be", gamma: "ga" };
const USUAL = { alpha: 0.6, beta: 0.2, gamma: 0 };
const LARGEST = 5; // weight of a penalty
const END = -1; // the step when all searches are over

/** A number of the link, within bounds. @param {string} key @param {number} otherwise @param {number} least @param {number} most */
function said(key, otherwise, least, most) {
  const number = Number(asked.get(key) ?? NaN);
  return Number.isFinite(number) ? Math.min(Math.max(number, least), most) : otherwise;
}

const weights = { alpha: said("al", USUAL.alpha, 0, LARGEST), beta: said("be", USUAL.beta, 0, LARGEST), gamma: said("ga", USUAL.gamma, 0, LARGEST) };
const shown = { step: Math.trunc(said("bstep", END, END, 400)), own: /^[\d.]+$/.test(asked.get("bown") ?? "") ? asked.get("bown").split(".").map(Number) : [] };
let [text, width] = ["", 0];
let searches = new Map(); // of the sentence, by width
/** @type {Translator | null} */
let mt = null;

const showRace = picture("race", race, (place) => {
  const rewritten = String(place.own) !== String(shown.own);
  Object.assign(shown, place);
  if (rewritten) draw();
  else say();
});
const showRanking = picture("beam_search", ranking, (place) => {
  Object.assign(weights, place);
  draw(false);
}, "ranking");

/** Show what is chosen; the ranking knows its weights already where it was its own that changed. */
function draw(ranked = true) {
  if (!mt) return;
  attempt(() => {
    const { header, search } = raceOf(mt, text, { width, own: shown.own, penalties: weights }, warm, searches);
    shown.own = header.duel.tokens;
    showRace(header, {}, { ...shown });
    if (ranked) showRanking(rankingOf(mt, search), {}, { ...weights });
    say();
  });
}

function say() {
  const changed = Object.entries(KEYS).map(([name, key]) =>
    [key, /** @type {any} */ (weights)[name] === /** @type {any} */ (USUAL)[name] ? null : String(/** @type {any} */ (weights)[name])]);
  link({ ...Object.fromEntries(changed), bstep: shown.step === END ? null : String(shown.step), bown: shown.own.length ? shown.own.join(".") : null });
}

controls(["sentence", "width"], (values) => {
  if (text !== values.sentence) searches = new Map();
  if (text && text !== values.sentence) shown.own = []; // tokens of another sentence say nothing
  [text, width] = [values.sentence, values.width];
  draw();
});
onlyPart("bview", "Race");
modelMenu("mt", namesOf("translation", model), async (name) => {
  if (mt) shown.own = [];
  mt = await translator(name);
  searches = new Map();
  draw();
});
