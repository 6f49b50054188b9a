// @ts-check
// A query's and a key's hands in every plane of RoPE, moved along the text.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { live, makeLegend, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { brief, colorsOf, drawClocks, hoverAt, layoutOf, planeSentence, scoreAt, stepSentence } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */

const STEP = 180; // milliseconds of a step while it plays

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const steps = (v) => ({
  end: () => v.header.positions.length - 1,
  step: () => 1,
  read: () => v.header.home + v.place.at,
  write: (step) => ({ at: step - v.header.home }),
  says: () => brief(v, stepOf(v)),
  label: _("Position"),
  lasts: () => STEP * v.header.positions.length,
});

/** @param {View} v */
const stepOf = (v) => Math.round(placeOn(v, steps(v)));

/** @param {import("#canvas/theme.js").Theme} theme */
function swatches(theme) {
  const { query, key, adds, takes } = colorsOf(theme);
  return [{ name: _("query"), color: query }, { name: _("key"), color: key }, { name: _("adds to the score"), color: adds },
    { name: _("takes from it"), color: takes }];
}

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, steps(v));
  const canvas = make("canvas", { testid: "clocks-canvas", role: "img", tabIndex: 0 });
  const said = make("p", { className: "said", testid: "clocks-said" });
  const legend = makeLegend(v, () => swatches(v.theme));
  pointing(v, canvas, (x, y) => hoverAt(v, v.layout, x, y));
  axis.listen(canvas);
  canvas.addEventListener("click", ({ offsetX, offsetY }) => {
    const found = hoverAt(v, v.layout, offsetX, offsetY);
    if (found && "step" in found) walk(v, steps(v), found.step);
  });
  const heading = make("p", { className: "heading" });
  Object.assign(v.els, { axis, canvas, said, legend, heading });
  const planes = () => v.header.speeds.length;
  const save = saving(v, "tlmviz-rope-planes", {
    height: (width) => layoutOf(width, planes()).height,
    draw: (pen, theme, width) => drawClocks(pen, v, layoutOf(width, planes()), theme, { step: stepOf(v), hover: null }),
    legend: swatches,
  });
  return [heading, make("div", { className: "bar" }, ...axis.parts, save), said, legend.root, make("div", { className: "panel" }, canvas)];
}

/** @param {View} v */
function paint(v) {
  const { axis, canvas, said, legend, heading } = v.els;
  const step = stepOf(v);
  v.layout = layoutOf(widthOf(canvas), v.header.speeds.length);
  drawClocks(penOf(v, canvas, v.layout.height), v, v.layout, v.theme, { step, hover: v.hover });
  axis.repaint();
  legend.repaint();
  heading.textContent = v.header.title;
  const hover = v.hover;
  said.textContent = hover && "plane" in hover ? planeSentence(v, hover.plane, step) : stepSentence(v, hover ? hover.step : step);
  canvas.setAttribute("aria-label", _("{title}. {said}. Arrow keys move the positions, space plays.", { title: v.header.title, said: stepSentence(v, step) }));
  const [query, key] = v.header.positions[step];
  Object.assign(v.root.dataset, { query, key, score: scoreAt(v, step).toFixed(4) });
}

export default live({ id: "clocks", build, paint });
