// @ts-check
// Points that can be moved, the line that the network draws through them, and the rays of a step.

import { makeAxis } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, live, penOf, saving, widthOf } from "#canvas/live.js";
import { wire } from "./dragging.js";
import { drawPoints, heaviest, placeOf, pointsOf, stepOf, stepSentence } from "./points.js";

/** @typedef {import("./points.js").View} View */
/** @typedef {import("./points.js").Header} Header */

const BEAT = 700; // milliseconds of a step that plays
const LARGEST = 430; // pixels of the square
const SHOWN = 8; // bars
const END = 1001; // the last step, whatever the points

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const steps = (v) => ({
  end: () => stepOf(v).steps - 1,
  step: () => 1,
  read: () => stepOf(v).step,
  write: (at) => ({ step: at >= stepOf(v).steps - 1 ? END : at + 1 }),
  says: () => _("step {step} of {steps}", { step: stepOf(v).step + 1, steps: stepOf(v).steps }),
  label: _("Step"),
  lasts: () => BEAT * stepOf(v).steps,
});

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, steps(v));
  const canvas = make("canvas", { role: "application", tabIndex: 0, testid: "hull" });
  const [said, bars] = [make("p", { className: "said", "aria-live": "polite" }), make("div", { className: "bars", testid: "hull-bars" })];
  Object.assign(v.els, { axis, canvas, said, bars });
  wire(v);
  const save = saving(v, "tlmviz-pointer-hull", {
    height: (width) => width,
    draw: (pen, theme, width) => drawPoints(pen, { ...v, side: width, held: null }, theme),
    width: 520,
  });
  return [
    make("div", { className: "square" }, canvas),
    make("div", { className: "side" }, make("div", { className: "bar" }, ...axis.parts, save), said, bars,
      make("p", { className: "hint" }, _("Dashed: the exact hull."))),
  ];
}

/**
 * New points are there, or the answer to points that were moved; those that were moved since are asked for next.
 * @param {View} v
 * @param {Header | undefined} before
 */
function answered(v, before) {
  const { points } = v.arrays;
  v.drawn = Array.from({ length: points.length / 2 }, (_none, i) => [points[2 * i], points[2 * i + 1]]);
  if (before && before.origin !== v.header.origin) Object.assign(v, { place: { ...v.header.state }, held: null });
  v.waiting = false;
  if (v.unsent && v.dragging) {
    v.waiting = true;
    ask(v, {});
  }
}

/** @param {View} v */
function paint(v) {
  const { axis, canvas, said, bars } = v.els;
  v.side = Math.min(LARGEST, widthOf(canvas));
  drawPoints(penOf(v, canvas, v.side), v, v.theme);
  axis.repaint();
  bars.replaceChildren(...heaviest(v, SHOWN).map(([index, weight]) => bar(index === v.drawn.length ? _("end") : _("point {index}", { index }), weight)));
  said.textContent = stepSentence(v);
  canvas.setAttribute("aria-label", _("{title}. Enter chooses a point, arrow keys move it, Delete removes it, + adds one.", { title: v.header.title }));
  const places = JSON.stringify(pointsOf(v).map((point) => placeOf(v.side, point)));
  Object.assign(v.root.dataset, { order: v.header.order.join(), step: String(stepOf(v).step + 1), places, waiting: String(Boolean(v.waiting || v.unsent)) });
}

/**
 * @param {string} name
 * @param {number} weight
 */
function bar(name, weight) {
  const fill = make("i", { className: "copied" });
  fill.style.width = `${(100 * weight).toFixed(1)}%`;
  return make("div", { className: "offer" }, make("span", {}, name), make("div", { className: "track" }, fill), make("output", {}, weight.toFixed(3)));
}

export default live({ id: "hull", build, paint, fit: answered });
