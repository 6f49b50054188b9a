// @ts-check
// The race: its state, its DOM, and what is sent.

import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { readTheme } from "#canvas/theme.js";
import { CHART, drawDuel, offerButtons, verdict } from "./duel.js";
import { savedRace } from "./figure.js";
import { dotUnder, drawLanes, lanesHeight, laneSentence, lastStep, planLanes, shownStep } from "./lanes.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Data} Data */

const DELAY = 400; // milliseconds without an action until the step is sent
const BEAT = 650; // milliseconds of a step that plays

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (!data) return;
  const fresh = data.origin !== v.data?.origin;
  v.data = data;
  if (data.seq >= v.seq || fresh) {
    Object.assign(v, { seq: data.seq, own: data.duel.tokens, waiting: false });
    if (!v.timer) v.step = data.step;
  }
  v.hover = null;
  paintOffers(v);
  paint(v);
}

/** @param {View} v */
function send(v) {
  v.seq += 1;
  v.sendSoon.cancel();
  v.component.setStateValue("race", { step: v.step, own: v.own, origin: v.data.origin, seq: v.seq });
}

/**
 * Show a step; the last one is the end, whatever the sentence.
 * @param {View} v
 * @param {number} step
 */
function goTo(v, step) {
  const kept = Math.max(1, Math.min(step, lastStep(v)));
  v.step = kept === lastStep(v) ? -1 : kept;
  v.hover = null;
  paint(v);
  if (!v.timer) v.sendSoon();
}

/** @param {View} v */
function play(v) {
  if (v.timer) return pause(v);
  if (v.step < 0) goTo(v, 1);
  v.timer = setInterval(() => {
    goTo(v, shownStep(v) + 1);
    if (v.step < 0) pause(v);
  }, BEAT);
  paint(v);
}

/** @param {View} v */
function pause(v) {
  clearInterval(v.timer);
  v.timer = undefined;
  v.sendSoon();
  paint(v);
}

/**
 * Write these tokens: what follows them comes from the server.
 * @param {View} v
 * @param {number[]} tokens
 */
function write(v, tokens) {
  v.own = tokens;
  v.waiting = true;
  v.root.classList.add("waiting");
  send(v);
}

/** @param {View} v */
function paint(v) {
  if (!v.data || !v.root.clientWidth) return;
  const { els, data } = v;
  const width = v.root.clientWidth;
  v.theme = readTheme(v.root, data.colors, v.theme);
  v.plans = planLanes(v, width);
  drawLanes(canvasPen(fit(els.lanes, width, lanesHeight(v.plans)), v.theme), v, v.theme);
  const room = els.chart.parentElement.clientWidth;
  drawDuel(canvasPen(fit(els.chart, room, CHART), v.theme), v, v.theme, { x: 0, y: 0, width: room, height: CHART });
  Object.assign(els.slider, { max: lastStep(v), value: shownStep(v) });
  els.stepName.textContent = `step ${shownStep(v)} of ${lastStep(v)}`;
  els.play.textContent = v.timer ? "❚❚ Pause" : "▶ Play";
  els.said.textContent = laneSentence(v);
  els.lanes.setAttribute("aria-label", data.lanes.map((lane) => TEXTS.widthScoreLost(lane.width, lane.text, lane.score.toFixed(3), lane.lost !== null, lane.lost?.step ?? 0)).join(". "));
  els.chart.setAttribute("aria-label", verdict(data.duel));
  Object.assign(v.root.dataset, { step: String(shownStep(v)), own: data.duel.tokens.join(".") });
}

/**
 * The reader's text and the tokens that can follow, which only the server changes.
 * @param {View} v
 */
function paintOffers(v) {
  const { els, data: { duel } } = v;
  v.root.classList.toggle("waiting", v.waiting);
  els.own.textContent = duel.text || "⟨start⟩";
  els.verdict.textContent = verdict(duel);
  els.offers.replaceChildren(...offerButtons(duel, (token) => !v.waiting && write(v, [...v.own, token])));
  els.back.disabled = els.restart.disabled = duel.tokens.length <= duel.fixed;
}

/** @param {View} v */
function makeElements(v) {
  const slider = make("input", { type: "range", min: 1, step: 1, "aria-label": "Step", testid: "race-step" });
  slider.addEventListener("input", () => goTo(v, Number(slider.value)));
  return {
    lanes: make("canvas", { role: "img", testid: "race-lanes" }),
    chart: make("canvas", { role: "img", testid: "race-chart" }),
    slider,
    play: makeButton("▶ Play", TEXTS.letAllBeams, () => play(v)),
    stepName: make("output"),
    said: make("p", { className: "said" }),
    own: make("strong", { testid: "race-own" }),
    offers: make("div", { className: "offers", role: "group", "aria-label": "Next token", testid: "race-offers" }),
    verdict: make("p", { className: "verdict", "aria-live": "polite", testid: "race-verdict" }),
    back: makeButton("Back", TEXTS.takeLastToken, () => write(v, v.own.slice(0, -1))),
    restart: makeButton("Start over", TEXTS.takeAllTokens, () => write(v, v.own.slice(0, v.data.duel.fixed))),
  };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, step: -1, own: [], waiting: false, hover: null, plans: [] });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => savedRace(v))];
  v.root = make("div", { className: "race", testid: "race" },
    make("div", { className: "bar" }, els.play, make("label", { className: "slider" }, els.slider, els.stepName), make("div", { className: "saves" }, ...saves)),
    els.lanes, els.said,
    make("div", { className: "duel" },
      make("div", { className: "hand" },
        make("div", { className: "head" }, make("b", {}, "Beat the beam"), els.back, els.restart),
        make("p", { className: "written" }, els.own), els.offers, els.verdict),
      make("div", { className: "chart" }, els.chart)));
  els.lanes.addEventListener("pointermove", ({ clientX, clientY }) => {
    const box = els.lanes.getBoundingClientRect();
    v.hover = v.data ? dotUnder(v, clientX - box.x, clientY - box.y) : null;
    paint(v);
  });
  els.lanes.addEventListener("pointerleave", () => {
    v.hover = null;
    paint(v);
  });
  pointByKeys(els.lanes);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v));
  return v;
}

/** @param {View} v */
function leave(v) {
  clearInterval(v.timer);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
