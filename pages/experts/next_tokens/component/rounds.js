// @ts-check
// A text that is written pass by pass: what was proposed, what stayed, what the model added.

import { make, makeButton } from "#canvas/dom.js";
import { percent, spoken } from "./chains.js";
import { choose } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Round} Round */

/**
 * @param {View} v
 * @param {number} step from 0
 */
export function drawRounds(v, step) {
  return [walk(v, step), passes(v, step), told(v, step), written(v, step), legend()];
}

/**
 * How many tokens a pass writes.
 * @param {Round} round
 */
function writes(round) {
  return round.accepted + (round.added === null ? 0 : 1);
}

/**
 * @param {View} v
 * @param {number} step
 */
function walk(v, step) {
  const { rounds } = v.header;
  const slider = make("input", { type: "range", min: "1", max: String(rounds.length), "aria-label": TEXTS.passModel, testid: "ahead-slider" });
  slider.value = String(step + 1);
  slider.addEventListener("input", () => choose(v, Number(slider.value)));
  const go = (/** @type {string} */ label, /** @type {string} */ title, /** @type {number} */ by) => makeButton(label, title, () => choose(v, v.at + by));
  return make("div", { className: "walk" }, go("‹", "The pass before", -1), slider, go("›", "The next pass", 1));
}

/**
 * @param {View} v
 * @param {number} step
 */
function passes(v, step) {
  return make("div", { className: "passes", testid: "ahead-passes" }, ...v.header.rounds.map((round, at) => {
    const boxes = round.proposed.map((_, place) => make("i", { className: place < round.accepted ? "stay" : "" }));
    const own = round.added === null ? [] : [make("i", { className: "own" })];
    const button = make("button", { type: "button", className: at === step ? "now" : "", title: `Pass ${at + 1}`, "aria-label": `Pass ${at + 1}` }, ...own, ...boxes);
    button.addEventListener("click", () => choose(v, at + 1));
    return button;
  }));
}

/**
 * @param {View} v
 * @param {number} step
 */
function told(v, step) {
  const { rounds } = v.header;
  const round = rounds[step];
  const proposed = round.proposed.map(([word, chance]) => `“${spoken(word)}” (${percent(chance)})`).join(", ");
  const so = rounds.slice(0, step + 1).reduce((sum, each) => sum + writes(each), 0);
  const first = step ? "Nothing was proposed" : TEXTS.passReadsText;
  const what = round.proposed.length
    ? TEXTS.proposedPassVerifies(proposed, round.proposed.length, round.accepted)
    : first;
  const added = round.added === null ? TEXTS.textEndsThere : TEXTS.modelAdds(spoken(round.added));
  return make("p", { className: "said", "aria-live": "polite", testid: "ahead-said" }, TEXTS.passSoFar(step + 1, rounds.length, what, added, so, step, (so / (step + 1)).toFixed(2)));
}

/**
 * @param {View} v
 * @param {number} step
 */
function written(v, step) {
  const { tokens, rounds } = v.header;
  const spans = rounds.slice(0, step + 1).flatMap((round, at) => {
    const now = at === step ? " now" : "";
    const kept = round.proposed.slice(0, round.accepted).map(([word]) => make("span", { className: `token kept${now}`, textContent: word }));
    const gone = at === step ? round.proposed.slice(round.accepted).map(([word]) => make("span", { className: "token gone", textContent: word })) : [];
    const added = round.added === null ? [] : [make("span", { className: `token added${now}`, textContent: round.added })];
    return [...kept, ...added, ...gone];
  });
  return make("p", { className: "text", testid: "ahead-written" }, make("span", { className: "token given", textContent: tokens.join("") }), ...spans);
}

function legend() {
  return make("p", { className: "legend" }, make("i", { className: "stay" }), " proposed and kept ", make("i"), " proposed and dropped ", make("i", { className: "own" }), TEXTS.addedModelColumn);
}
