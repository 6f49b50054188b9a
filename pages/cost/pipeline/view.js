// @ts-check
// A pipeline's run, walked along its time.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { live, makeLegend, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { colorOf, drawPipeline, eventAt, layoutOf, timeAt } from "./drawing.js";
import { brief, eventSentence, kinds, momentSentence } from "./moments.js";

/** @typedef {import("#canvas/live.js").View<import("./moments.js").Header, import("./moments.js").Arrays, { at: number | null }>} View */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const LASTS = 14000; // milliseconds of the whole run while it plays

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const time = (v) => ({
  end: () => v.header.time,
  step: () => v.header.slot / 4,
  read: () => v.place.at ?? v.header.time,
  write: (at) => ({ at: at >= v.header.time ? null : at }),
  says: () => _("{at} of {time}", { at: brief(placeOn(v, time(v))), time: brief(v.header.time) }),
  label: _("Time"),
  lasts: () => LASTS,
});

/** @param {View} v @param {Theme} theme */
function swatches(v, theme) {
  const there = new Set(v.arrays.kind);
  return kinds().map((name, kind) => ({ name, color: colorOf(theme, kind) })).filter((_swatch, kind) => there.has(kind));
}

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, time(v));
  const canvas = make("canvas", { testid: "pipeline-canvas", role: "img", tabIndex: 0 });
  const said = make("p", { className: "said", testid: "pipeline-said" });
  const legend = makeLegend(v, () => swatches(v, v.theme));
  pointing(v, canvas, (x, y) => eventAt(v, v.layout, x, y));
  axis.listen(canvas);
  const go = (/** @type {number} */ x) => walk(v, time(v), timeAt(v.header, v.layout, x));
  canvas.addEventListener("pointerdown", ({ offsetX }) => go(offsetX));
  canvas.addEventListener("pointermove", ({ offsetX, buttons }) => buttons && go(offsetX));
  Object.assign(v.els, { axis, canvas, said, legend });
  const save = saving(v, "tlmviz-pipeline", {
    height: (width) => layoutOf(width, v.header.stages).height,
    draw: (pen, theme, width) => drawPipeline(pen, v, layoutOf(width, v.header.stages), theme, { at: placeOn(v, time(v)), hover: -1 }),
    legend: (theme) => swatches(v, theme),
  });
  return [make("div", { className: "bar" }, ...axis.parts, save), legend.root, make("div", { className: "panel" }, canvas), said];
}

/** @param {View} v */
function paint(v) {
  const { axis, canvas, said, legend } = v.els;
  const [at, hover] = [placeOn(v, time(v)), v.hover ?? -1]; // -1: no event
  v.layout = layoutOf(widthOf(canvas), v.header.stages);
  drawPipeline(penOf(v, canvas, v.layout.height), v, v.layout, v.theme, { at, hover });
  axis.repaint();
  legend.repaint();
  said.textContent = hover >= 0 ? eventSentence(v, hover) : momentSentence(v, at);
  canvas.setAttribute("aria-label", _("{title}. {moment} Arrow keys move through time, space plays.",
    { title: v.header.title, moment: momentSentence(v, at) }));
  Object.assign(v.root.dataset, { at: brief(at), time: brief(v.header.time) });
}

export default live({ id: "pipeline", build, paint });
