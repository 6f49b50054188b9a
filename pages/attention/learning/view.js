// @ts-check
// A training, walked and played along its steps.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { filmButton } from "#canvas/film.js";
import { _ } from "#canvas/language.js";
import { cells, go, live, makeLegend, penOf, saving, widthOf } from "#canvas/live.js";
import { colorOfHead, colorOfLoss, drawTraining, headAt, momentAt, nameOf, stepAt, trainingLayout, valueAt, written } from "./drawing.js";

/** @typedef {import("./drawing.js").Header & { title: string, at: number, looked: number }} Header */
/** @typedef {import("#canvas/live.js").View<Header, import("./drawing.js").Arrays, { step: number | null, head: [number, number] | null }>} View */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const LASTS = 900; // milliseconds from one moment to the next while it plays

/** The moment that the place names: the server's where none was chosen. @param {View} v */
function momentOf(v) {
  const step = v.place.step ?? v.header.at;
  return Math.max(0, v.arrays.moments.findLastIndex((each) => each <= step));
}

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const moments = (v) => ({
  end: () => Math.max(1, v.arrays.moments.length - 1),
  step: () => 1,
  read: () => momentOf(v),
  write: (at) => ({ step: v.arrays.moments[Math.min(at, v.arrays.moments.length - 1)] }),
  says: () => _("step {step}", { step: Math.round(stepAt(v.arrays, placeOn(v, moments(v)))).toLocaleString("en") }),
  label: _("Step of the training"),
  lasts: () => LASTS * v.arrays.moments.length,
});

/** @param {View} v */
const headOf = (v) => (v.place.head ? v.place.head[0] * v.header.heads + v.place.head[1] : v.header.looked);

/** @param {View} v @param {number} number */
const follow = (v, number) => go(v, { head: [Math.floor(number / v.header.heads), number % v.header.heads] });

/** @param {View} v @param {Theme} theme */
function entriesOf(v, theme) {
  const layers = Array.from({ length: Math.min(v.header.layers, theme.heads.length) },
    (_unused, layer) => ({ name: _("Layer {layer}", { layer }), color: colorOfHead(theme, v.header, layer * v.header.heads) }));
  return [...layers, ...v.header.losses.map((name, number) => ({ name: _("Loss {of}", { of: name }), color: colorOfLoss(theme, number) }))];
}

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, moments(v));
  const canvas = make("canvas", { testid: "learning-canvas", role: "img" });
  const heard = make("p", { className: "heard", testid: "learning-said" });
  const legend = makeLegend(v, () => entriesOf(v, v.theme));
  const beside = (/** @type {number} */ dx, /** @type {number} */ dy) => {
    const place = v.header.shown.indexOf(headOf(v));
    const next = place + dx + dy * v.layout.columns;
    return v.header.shown[next] ?? null;
  };
  const under = (/** @type {number} */ x, /** @type {number} */ y) => {
    const head = headAt(v.header, v.layout, x, y);
    return head < 0 ? null : head;
  };
  cells(v, canvas, { under, choose: (head) => follow(v, head), beside });
  const drag = (/** @type {PointerEvent} */ { offsetX, offsetY, buttons }) => {
    const { left, right, top, lossBottom } = v.layout;
    if (buttons && offsetX > left - 8 && offsetX < right + 8 && offsetY > top - 14 && offsetY < lossBottom + 8)
      walk(v, moments(v), momentAt(v, v.layout, offsetX));
  };
  canvas.addEventListener("pointerdown", drag);
  canvas.addEventListener("pointermove", drag);
  Object.assign(v.els, { axis, canvas, heard, legend });
  const save = saving(v, "tlmviz-learning", {
    height: (width) => trainingLayout(width, v.header).height,
    draw: (pen, theme, width) => drawTraining(pen, v, trainingLayout(width, v.header), theme,
      { step: stepAt(v.arrays, placeOn(v, moments(v))), head: headOf(v), hover: -1 }),
    legend: (theme) => entriesOf(v, theme),
  });
  const film = filmButton(() => canvas, () => v.theme.background, "tlmviz-learning");
  v.ends.push(film.end);
  return [make("div", { className: "bar" }, ...axis.parts, film.button, save), legend.root, make("div", { className: "panel" }, canvas), heard];
}

/** What is at the step, or of the head that is pointed at. @param {View} v @param {number} step @param {number} head */
function sayAt(v, step, head) {
  const at = { head: nameOf(v.header, head), step: Math.round(step).toLocaleString("en"), value: written(v.header, valueAt(v, head, step)) };
  const events = v.header.events.filter((event) => (event.head === head || event.head === null) && event.step <= step).map(({ says }) => says);
  return [_("{head} at step {step}: {value}.", at), ...events].join(" ");
}

/** @param {View} v */
function paint(v) {
  const { axis, canvas, heard, legend } = v.els;
  const [step, head, hover] = [stepAt(v.arrays, placeOn(v, moments(v))), headOf(v), v.hover ?? -1];
  v.layout = trainingLayout(widthOf(canvas), v.header);
  drawTraining(penOf(v, canvas, v.layout.height), v, v.layout, v.theme, { step, head, hover });
  axis.repaint();
  legend.repaint();
  heard.textContent = sayAt(v, step, hover >= 0 ? hover : head);
  canvas.setAttribute("aria-label", _("{title}. {said} Arrow keys go from map to map.", { title: v.header.title, said: sayAt(v, step, head) }));
  Object.assign(v.root.dataset, { step: Math.round(step), head: nameOf(v.header, head) });
}

export default live({ id: "learning", build, paint });
