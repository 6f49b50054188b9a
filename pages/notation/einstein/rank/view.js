// @ts-check
// A matrix as a sum of outer products, added and taken away term by term.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, pointing, saving, segments, widthOf } from "#canvas/live.js";
import { cellAt, countAt, drawTerms, layoutOf } from "./drawing.js";
import { addTerms, cellSentence, errorsOf, opened, sumSentence } from "./terms.js";

/** @typedef {import("./types").View} View */

const LASTS = 7000; // milliseconds of a whole sum while it plays

/** @param {View} v */
const wayOf = ({ header, place }) => header.ways.find(({ key }) => key === place.way) ?? header.ways[0];

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const axisOf = (v) => ({
  end: () => wayOf(v).count,
  step: () => 1,
  read: () => v.place.count,
  write: (count) => ({ count }),
  says: () => _("{count} of {all} terms", { count: Math.floor(placeOn(v, axisOf(v))), all: wayOf(v).count }),
  label: _("Terms"),
  lasts: () => LASTS,
});

/** @param {View} v */
const stateOf = (v) => ({ way: wayOf(v), sorted: v.place.sorted, count: Math.floor(placeOn(v, axisOf(v))) });

/**
 * The sum of the terms that are shown: one step on adds one term, anything else begins anew.
 * @param {View} v
 * @param {import("./types").State} state
 */
function sumUp(v, state) {
  const of = `${state.way.key}/${state.sorted}`;
  if (of !== v.summedOf || v.summed > state.count) Object.assign(v, { sum: new Float64Array(v.data.whole.length), summed: 0, summedOf: of });
  addTerms(v.data, state, v.sum, v.summed, state.count);
  v.summed = state.count;
}

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, axisOf(v));
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "rank-canvas" });
  const scrub = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const count = countAt(v.layout, wayOf(v).count, offsetX, offsetY);
    if (count !== null) walk(v, axisOf(v), count);
  };
  canvas.addEventListener("pointerdown", scrub);
  canvas.addEventListener("pointermove", (event) => event.buttons && scrub(event));
  pointing(v, canvas, (x, y) => cellAt(v.layout, v.header, x, y));
  axis.listen(canvas);
  const sort = makeButton(_("Largest first"), _("Largest terms first, or as they stand"), () => go(v, { sorted: !v.place.sorted }));
  const said = make("p", { className: "said", testid: "rank-said" });
  Object.assign(v.els, { axis, canvas, sort, said, menu: make("div") });
  const save = saving(v, "tlmviz-rank-one", {
    height: (width) => layoutOf(width, v.header).height,
    draw: (pen, theme, width) => drawTerms(pen, v.data, { ...stateOf(v), hover: null }, v.sum, layoutOf(width, v.header), theme),
  });
  return [make("div", { className: "bar" }, v.els.menu, sort, ...axis.parts, save), make("div", { className: "panel" }, canvas), said];
}

/** @param {View} v */
function fill(v) {
  Object.assign(v, { data: opened(v), summedOf: "", summed: 0 });
  v.els.ways = segments(() => v.header.ways.map(({ key, name }) => [key, name]), () => wayOf(v).key, (way) => go(v, { way }), _("Terms of what"));
  v.els.menu.replaceChildren(v.els.ways.root);
}

/** @param {View} v */
function paint(v) {
  const { els, header } = v;
  const state = stateOf(v);
  const { way, count, sorted } = state;
  sumUp(v, state);
  v.layout = layoutOf(widthOf(els.canvas), header);
  drawTerms(penOf(v, els.canvas, v.layout.height), v.data, { ...state, hover: v.hover }, v.sum, v.layout, v.theme);
  els.ways.repaint();
  els.axis.repaint();
  els.sort.hidden = way.key === "singular";
  els.sort.setAttribute("aria-pressed", String(sorted));
  const told = sumSentence(v.data, state);
  els.said.textContent = v.hover ? cellSentence(v.data, state, v.sum, v.hover) : told;
  els.canvas.setAttribute("aria-label", _("{title}. {told} Arrow keys add and take away terms, space plays.", { title: header.title, told }));
  Object.assign(v.root.dataset, { way: way.key, count: String(count), sorted: String(sorted), left: errorsOf(v.data, way, sorted)[count].toFixed(4) });
}

export default live({ id: "rank", build, paint, fit: (v, before) => v.header !== before && fill(v) });
