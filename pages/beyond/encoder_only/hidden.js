// @ts-check
// A text in which a click hides a token: bars say what may stand there, read from both sides and from the left alone.

import { make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { _ } from "#canvas/language.js";
import { go, live } from "#canvas/live.js";
import { BEHIND_TEXT, fade } from "#canvas/theme.js";
import { chance, colorParts, layChips, numberAt } from "./chips.js";

/** @typedef {[token: string, probability: number]} Offer */
/** @typedef {"both" | "causal"} Side */
/**
 * `masked`: which places were hidden already; `offers` of each place the best tokens; `shown`: the place that is hidden first.
 * @typedef {{ tokens: string[], masked: boolean[], offers: Record<Side, Offer[]>[], shown: number }} Header
 */
/** @typedef {import("#canvas/live.js").View<Header, Record<Side, Float32Array>, { place: number }> & { chips: HTMLElement[] }} View */

const SIDES = /** @type {Side[]} */ (["both", "causal"]);

/** @param {View} v */
function paint(v) {
  const { header: { tokens, masked, offers }, arrays: { both, causal }, place: { place } } = v;
  colorParts(v.root, v.theme);
  v.chips.forEach((chip, at) => {
    const asked = at > 0 && at < tokens.length - 1 && !masked[at];
    chip.style.background = asked && at !== place ? fade(v.theme.heads[0], BEHIND_TEXT * both[at]) : "";
    chip.classList.toggle("gone", at === place || masked[at]);
    chip.setAttribute("aria-pressed", String(at === place));
    chip.title = asked ? _("hidden, it is guessed with p = {both}; from the left alone {left}", { both: chance(both[at]), left: chance(causal[at]) }) : "";
  });
  const truth = masked[place] ? null : tokens[place];
  v.els.said.textContent = truth === null
    ? _("What may stand at [MASK] ({place}):", { place })
    : _("“{word}” hidden: p = {both} from both sides, {left} from the left alone.",
      { word: truth.trim(), both: chance(both[place]), left: chance(causal[place]) });
  for (const side of SIDES) v.els[side].replaceChildren(...offers[place][side].map((offer) => makeOffer(side, offer, offer[0] === truth)));
  Object.assign(v.root.dataset, { place: String(place), both: both[place].toFixed(4), causal: causal[place].toFixed(4) });
}

/**
 * @param {Side} side
 * @param {Offer} offer
 * @param {boolean} stands whether it is what stands in the text
 */
function makeOffer(side, [token, p], stands) {
  const part = make("i", { className: side });
  part.style.width = `${(100 * p).toFixed(2)}%`;
  return make("div", { className: stands ? "offer truth" : "offer" }, make("span", {}, token.trim() || "␣"), make("div", { className: "track" }, part),
    make("output", {}, chance(p)));
}

/**
 * @param {View} v
 * @param {number} place
 */
function choose(v, place) {
  go(v, { place: Math.max(1, Math.min(place, v.header.tokens.length - 2)) });
}

/** @param {View} v */
function build(v) {
  const text = make("div", { className: "text", role: "group", "aria-label": _("The text: press a token to hide it, arrow keys for its neighbours"),
    testid: "hidden-text" });
  const said = make("p", { className: "said", "aria-live": "polite", testid: "hidden-said" });
  const [both, causal] = SIDES.map((side) => make("div", { testid: `hidden-${side}` }));
  Object.assign(v.els, { text, said, both, causal });
  text.addEventListener("click", (event) => {
    const place = numberAt(event, "place");
    if (place !== null) choose(v, place);
  });
  text.addEventListener("keydown", ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!step) return;
    choose(v, v.place.place + step);
    v.chips[v.place.place].focus();
  });
  addMenu(v, _("A hidden word, guessed from both sides and from the left"), true);
  const titles = { both: _("Reads both sides"), causal: _("Causal mask on: the left alone") };
  const lists = SIDES.map((side) => make("section", {}, make("h4", {}, make("i", { className: side }), ` ${titles[side]}`), v.els[side]));
  return [text, said, make("div", { className: "lists" }, ...lists)];
}

/**
 * The chips are laid anew only for another text, so that the one with the focus keeps it.
 * @param {View} v
 * @param {Header} [before]
 */
function fitText(v, before) {
  const { tokens, shown } = v.header;
  const last = tokens.length - 1;
  if (!(v.place.place > 0 && v.place.place < last)) v.place.place = shown;
  if (before && before.tokens.join("\n") === tokens.join("\n")) return;
  v.chips = layChips(v.els.text, tokens, true);
  for (const at of [0, last]) /** @type {HTMLButtonElement} */ (v.chips[at]).disabled = true;
}

export default live({ id: "hidden", build, paint, fit: fitText });
