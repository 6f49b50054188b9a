// @ts-check
// The race: lanes that advance together, and the reader's own text against them.

import { makeAxis } from "#canvas/axis.js";
import { make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { ask, live, penOf, pointing, saving } from "#canvas/live.js";
import { CHART, drawDuel, offerButtons, verdict } from "./duel.js";
import { dotUnder, drawLanes, laneSentence, lanesHeight, lastStep, planLanes, shownStep } from "./lanes.js";

/** @typedef {import("./types").View} View */

const BEAT = 650; // milliseconds of a step that plays

/** The steps, from 0; the last one is the end, whatever the sentence. @param {View} v @returns {import("#canvas/axis.js").Axis} */
function stepsOf(v) {
  const end = () => lastStep(v) - 1;
  return {
    end,
    step: () => 1,
    read: () => (v.place.step < 1 ? end() : Math.min(v.place.step - 1, end())),
    write: (at) => ({ step: at >= end() ? -1 : at + 1 }),
    says: () => _("step {step} of {all}", { step: shownStep(v), all: lastStep(v) }),
    label: _("Step"),
    lasts: () => BEAT * lastStep(v),
  };
}

/** Whether what follows the chosen token is still asked for. @param {View} v */
function waiting({ place, header: { duel } }) {
  return place.own.length > 0 && String(place.own) !== String(duel.tokens);
}

/** @param {View} v */
function build(v) {
  v.axis = stepsOf(v);
  const write = (/** @type {number[]} */ own) => ask(v, { own });
  const canvas = (/** @type {string} */ testid) => make("canvas", { role: "img", testid });
  const [lanes, chart, said, own] = [canvas("race-lanes"), canvas("race-chart"), make("p", { className: "said" }), make("strong", { testid: "race-own" })];
  const offers = make("div", { className: "offers", role: "group", "aria-label": _("Next token"), testid: "race-offers" });
  const result = make("p", { className: "verdict", "aria-live": "polite", testid: "race-verdict" });
  const back = makeButton(_("Back"), _("Take the last token back"), () => write(v.header.duel.tokens.slice(0, -1)));
  const restart = makeButton(_("Start over"), _("Take all tokens back"), () => write(v.header.duel.tokens.slice(0, v.header.duel.fixed)));
  const axis = makeAxis(v, v.axis);
  axis.listen(lanes);
  pointing(v, lanes, (x, y) => dotUnder(v, x, y));
  pointByKeys(lanes);
  v.els = { lanes, chart, said, own, offers, result, back, restart, axis, write };
  const lower = () => (v.header.duel.tokens.length ? CHART + 12 : 0);
  const save = saving(v, "tlmviz-race", {
    height: (width) => lanesHeight(planLanes(v, width)) + lower(),
    draw: (pen, theme, width) => {
      const plans = planLanes(v, width);
      drawLanes(pen, /** @type {View} */ ({ ...v, plans, hover: null }), theme);
      if (lower()) pen.shifted(0, lanesHeight(plans) + 8, () => drawDuel(pen, v, theme, { x: 0, y: 0, width, height: CHART }));
    },
    title: () => `${v.header.title}, ${v.axis.says()}`,
  });
  return [make("div", { className: "bar" }, ...axis.parts, save), make("div", { className: "panel" }, lanes), said,
    make("div", { className: "duel" },
      make("div", {}, make("div", { className: "head" }, make("b", {}, _("Beat the beam")), back, restart), make("p", { className: "written" }, own), offers,
        result),
      make("div", { className: "panel" }, chart))];
}

/**
 * The reader's text and the tokens that can follow. Tokens that were chosen for another sentence say nothing.
 * @param {View} v
 * @param {View["header"]} before
 */
function fitDuel(v, before) {
  const { els, header: { duel, origin, state } } = v;
  if (before && before.origin !== origin) v.place.own = state.own;
  els.own.textContent = duel.text || "⟨start⟩";
  els.result.textContent = verdict(duel);
  els.offers.replaceChildren(...offerButtons(duel, (token) => !waiting(v) && els.write([...duel.tokens, token])));
  els.back.disabled = els.restart.disabled = duel.tokens.length <= duel.fixed;
}

/** @param {View} v */
function paint(v) {
  const { els, header } = v;
  v.plans = planLanes(v, v.width);
  drawLanes(penOf(v, els.lanes, lanesHeight(v.plans)), v, v.theme);
  const pen = penOf(v, els.chart, CHART);
  drawDuel(pen, v, v.theme, { x: 0, y: 0, width: els.chart.parentElement.clientWidth, height: CHART });
  els.axis.repaint();
  els.said.textContent = laneSentence(v);
  const lost = (/** @type {import("./types").Lane} */ { lost: at }) => (at ? _("; lost the best text at step {step}", { step: at.step }) : "");
  els.lanes.setAttribute("aria-label", header.lanes.map((lane) =>
    _("Width {width}: {text}, score {score}{lost}", { width: lane.width, text: lane.text, score: lane.score.toFixed(3), lost: lost(lane) })).join(". "));
  els.chart.setAttribute("aria-label", verdict(header.duel));
  v.root.classList.toggle("waiting", waiting(v));
  Object.assign(v.root.dataset, { step: String(shownStep(v)), own: header.duel.tokens.join(".") });
}

export default live({ id: "race", build, paint, fit: fitDuel });
