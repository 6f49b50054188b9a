// @ts-check
// The points: their state, their DOM, and what is sent when they or the step change.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { drawPoints, heaviest, placeOf, stepOf, stepSentence } from "./drawing.js";
import { wire } from "./pointer.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Point} Point */

const DELAY = 300; // milliseconds without a step until it is sent
const BEAT = 700; // milliseconds of a step that plays
const LARGEST = 470; // pixels of the square
const SHOWN = 8; // bars

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  if (header.seq >= v.seq || fresh) {
    v.drawn = Array.from({ length: arrays.points.length / 2 }, (_, i) => /** @type {Point} */ ([arrays.points[2 * i], arrays.points[2 * i + 1]]));
    Object.assign(v, { header, attention: arrays.attention, seq: header.seq, waiting: false });
    if (!v.changed) v.points = v.drawn;
    if (fresh) Object.assign(v, { points: v.drawn, changed: false, moved: false, held: null, step: header.step });
    if (v.changed) send(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/**
 * Show other points; they are sent as soon as the last ones were answered.
 * @param {View} v
 * @param {Point[]} points
 */
export function change(v, points) {
  Object.assign(v, { points, changed: true, moved: true });
  paint(v);
  if (!v.waiting) send(v);
}

/** @param {View} v */
function send(v) {
  v.seq += 1;
  v.sendSoon.cancel();
  if (v.changed) v.waiting = true;
  v.changed = false;
  v.component.setStateValue("hull", { points: v.moved ? v.points : null, step: v.step, origin: v.header.origin, seq: v.seq });
}

/**
 * @param {View} v
 * @param {number} step from 1; the last one is the end, whatever the points
 */
function goTo(v, step) {
  const { steps } = stepOf(v);
  v.step = step >= steps ? 1001 : Math.max(1, step);
  paint(v);
  if (!v.timer) v.sendSoon();
}

/** @param {View} v */
function play(v) {
  if (v.timer) return pause(v);
  if (stepOf(v).step === stepOf(v).steps - 1) goTo(v, 1);
  v.timer = setInterval(() => {
    goTo(v, stepOf(v).step + 2);
    if (v.step > stepOf(v).steps) pause(v);
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

/** @param {View} v */
export function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  v.side = Math.min(LARGEST, v.root.clientWidth);
  drawPoints(canvasPen(fit(els.canvas, v.side, v.side), v.theme), v, v.theme);
  const { step, steps } = stepOf(v);
  Object.assign(els.slider, { max: steps, value: step + 1 });
  els.stepName.textContent = `step ${step + 1} of ${steps}`;
  els.play.textContent = v.timer ? "❚❚ Pause" : "▶ Play";
  els.bars.replaceChildren(...heaviest(v, SHOWN).map(([index, weight]) => bar(index === v.drawn.length ? "end" : `point ${index}`, weight)));
  els.said.textContent = stepSentence(v);
  els.verdict.textContent = header.verdict;
  els.canvas.setAttribute("aria-label", TEXTS.pointsLineNetwork(v.points.length, header.verdict));
  Object.assign(v.root.dataset, { order: header.order.join(), step: String(step + 1), places: JSON.stringify(v.points.map((point) => placeOf(v.side, point))), waiting: String(v.waiting) });
}

/**
 * @param {string} name
 * @param {number} weight
 */
function bar(name, weight) {
  const fill = make("i");
  fill.style.width = `${(100 * weight).toFixed(1)}%`;
  return make("div", { className: "weight" }, make("span", {}, name), make("div", { className: "track" }, fill), make("output", {}, weight.toFixed(3)));
}

/**
 * Save the picture, on white paper.
 * @param {View} v
 */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  return figureOf("tlmviz-pointer-hull", { width: v.side, height: v.side, theme }, (pen) => drawPoints(pen, { ...v, held: null }, theme));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, step: 1, points: [], drawn: [], waiting: false, changed: false, moved: false, held: null, dragging: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  const slider = make("input", { type: "range", min: 1, step: 1, "aria-label": "Step", testid: "hull-step" });
  slider.addEventListener("input", () => goTo(v, Number(slider.value)));
  v.els = {
    canvas: make("canvas", { role: "application", tabIndex: 0, testid: "hull" }),
    slider,
    stepName: make("output"),
    play: makeButton("▶ Play", TEXTS.goStepStep, () => play(v)),
    bars: make("div", { className: "bars", testid: "hull-bars" }),
    said: make("p", { className: "said" }),
    verdict: make("p", { className: "verdict", "aria-live": "polite", testid: "hull-verdict" }),
  };
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "hull", testid: "hull-root" },
    els.canvas,
    make("div", { className: "side" },
      make("div", { className: "bar" }, els.play, make("label", { className: "slider" }, slider, els.stepName), ...saves),
      els.said, els.bars, els.verdict,
      make("p", { className: "hint" }, TEXTS.dragPointDouble)));
  host.append(v.root);
  wire(v);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  clearInterval(v.timer);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
