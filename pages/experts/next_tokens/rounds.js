// @ts-check
// A text that is written pass by pass: what was proposed, what stayed, what the model added.

import { make } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { percent, spoken } from "./chains.js";

/** @typedef {import("./view.js").Header} Header */
/** @typedef {import("./view.js").Round} Round */

/**
 * @param {Header} header
 * @param {number} step from 0
 */
export function drawRounds(header, step) {
  return [columns(header, step), told(header, step), writtenSoFar(header, step)];
}

/**
 * How many tokens a pass writes.
 * @param {Round} round
 */
function writes(round) {
  return round.accepted + (round.added === null ? 0 : 1);
}

/**
 * A column for each pass, to be chosen.
 * @param {Header} header
 * @param {number} step
 */
function columns({ rounds }, step) {
  return make("div", { className: "passes", testid: "ahead-passes" }, ...rounds.map((round, at) => {
    const boxes = round.proposed.map((_word, place) => make("i", { className: place < round.accepted ? "stay" : "" }));
    const own = round.added === null ? [] : [make("i", { className: "own" })];
    const name = _("Pass {at}", { at: at + 1 });
    return make("button", { type: "button", className: at === step ? "now" : "", title: name, "aria-label": name, "data-step": at + 1 }, ...own, ...boxes);
  }));
}

/**
 * @param {Header} header
 * @param {number} step
 */
function told({ rounds }, step) {
  const round = rounds[step];
  const so = rounds.slice(0, step + 1).reduce((sum, each) => sum + writes(each), 0);
  const parts = [_("Pass {at} of {count}.", { at: step + 1, count: rounds.length })];
  if (round.proposed.length) {
    const proposed = round.proposed.map(([word, chance]) => `“${spoken(word)}” (${percent(chance)})`).join(", ");
    parts.push(_("Proposed: {proposed}. One pass reads them all, and {accepted} of {whole} stay.",
      { proposed, accepted: round.accepted, whole: round.proposed.length }));
  } else parts.push(step ? _("Nothing was proposed.") : _("It reads the text."));
  parts.push(round.added === null ? _("The text ends there.") : _("The model adds “{added}”.", { added: spoken(round.added) }));
  parts.push(ngettext("So far {n} token, {each} a pass.", "So far {n} tokens, {each} a pass.", so, { each: (so / (step + 1)).toFixed(2) }));
  return make("p", { className: "said", "aria-live": "polite", testid: "ahead-said" }, parts.join(" "));
}

/**
 * @param {Header} header
 * @param {number} step
 */
function writtenSoFar({ tokens, rounds }, step) {
  const piece = (/** @type {string} */ kind, /** @type {string} */ textContent) => make("span", { className: `piece ${kind}`, textContent });
  const spans = rounds.slice(0, step + 1).flatMap((round, at) => {
    const now = at === step ? " now" : "";
    const words = round.proposed.map(([word]) => word);
    const gone = at === step ? words.slice(round.accepted).map((word) => piece("gone", word)) : [];
    const added = round.added === null ? [] : [piece(`added${now}`, round.added)];
    return [...words.slice(0, round.accepted).map((word) => piece(`kept${now}`, word)), ...added, ...gone];
  });
  return make("p", { className: "text", testid: "ahead-written" }, piece("given", tokens.join("")), ...spans);
}
