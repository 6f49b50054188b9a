// @ts-check
// The flow to a prediction: a click on an edge, or Enter, shows its head and cell in the map above.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, live, pointing, saving } from "#canvas/live.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { curvesOf, drawGraph, edgeAt, edgeName, planOf } from "./graph.js";

/** @typedef {import("./graph.js").Data} Data */
/**
 * `at` is the edge that is chosen, -1 for none; `curves` of each edge: x1, y1, and the three further points of its curve.
 * @typedef {import("#canvas/live.js").View<Data, {}, { edge: number[] | null, follows: number | null }> & { at: number, curves: number[][],
 *   layout: import("./graph.js").Plan }} View
 */

const REACH = { mouse: 8, touch: 18 }; // pixels around an edge that still mean it
const help = () => _("Click an edge to see its head and cell in the map above. Arrow keys go through the edges from the largest on, Enter opens one.");

/**
 * @param {View} v
 * @param {number} at
 */
function openEdge(v, at) {
  if (at < 0) return;
  v.at = at;
  ask(v, { edge: v.header.edges[at].slice(0, 4), follows: v.header.position });
}

/**
 * Scroll so that the chosen edge is seen.
 * @param {View} v
 */
function reveal({ at, curves, els: { scroller } }) {
  if (at < 0) return;
  const [x1, y1, , , , , x2, y2] = curves[at];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  if (y < scroller.scrollTop + 20 || y > scroller.scrollTop + scroller.clientHeight - 20) scroller.scrollTop = y - scroller.clientHeight / 2;
  if (x < scroller.scrollLeft + 20 || x > scroller.scrollLeft + scroller.clientWidth - 20) scroller.scrollLeft = x - scroller.clientWidth / 2;
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function pressed(v, event) {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const last = v.header.edges.length - 1;
  const next = { ArrowRight: v.at + 1, ArrowDown: v.at + 1, ArrowLeft: v.at - 1, ArrowUp: v.at - 1, Home: 0, End: last, Escape: -1 }[event.key];
  if (event.key === "Enter") openEdge(v, v.at);
  else if (next === undefined) return;
  else {
    v.at = Math.min(event.key === "Escape" ? -1 : Math.max(0, next), last);
    v.hover = null;
    v.paint();
    reveal(v);
  }
  event.preventDefault();
}

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { testid: "flow-graph", role: "img", tabIndex: 0 });
  const scroller = make("div", { className: "scroller" }, canvas);
  const [title, note] = [make("h3"), make("p", { className: "note", testid: "flow-edge", "aria-live": "polite" })];
  Object.assign(v.els, { canvas, scroller, title, note });
  const found = (/** @type {number} */ x, /** @type {number} */ y, reach = REACH.mouse) => edgeAt(v.curves, x, y, reach);
  pointing(v, canvas, (x, y) => {
    const edge = found(x, y);
    return edge < 0 ? null : edge;
  });
  canvas.addEventListener("click", (event) => {
    const { offsetX, offsetY, pointerType } = /** @type {PointerEvent} */ (event);
    openEdge(v, found(offsetX, offsetY, pointerType === "touch" ? REACH.touch : REACH.mouse));
  });
  canvas.addEventListener("keydown", (event) => pressed(v, event));
  const save = saving(v, "tlmviz-flow", {
    height: (width) => planOf(v.header, width).height,
    draw: (pen, theme, width) => {
      const plan = planOf(v.header, width);
      drawGraph(pen, v.header, plan, curvesOf(v.header, plan), theme, -1);
    },
  });
  return [make("div", { className: "bar" }, title, save), note, scroller];
}

/** @param {View} v */
function paint(v) {
  const { header, els: { canvas, scroller, title, note } } = v;
  v.layout = planOf(header, scroller.clientWidth);
  v.curves = curvesOf(header, v.layout);
  const marked = v.hover ?? v.at;
  drawGraph(canvasPen(fit(canvas, v.layout.width, v.layout.height), v.theme), header, v.layout, v.curves, v.theme, marked);
  title.textContent = header.title;
  note.textContent = marked < 0 ? help() : edgeName(header, header.edges[marked]);
  canvas.style.cursor = v.hover === null ? "" : "pointer";
  canvas.setAttribute("aria-label", _("{title}: {count} edges. {help}", { title: header.title, count: header.edges.length, help: help() }));
  Object.assign(canvas.dataset, { edges: header.edges.length, at: v.at, middles: JSON.stringify(v.curves.slice(0, 3)) });
}

/**
 * Another graph begins where the prediction stands, and on the edge that the map shows.
 * @param {View} v
 * @param {Data} [before]
 */
function fitGraph(v, before) {
  const { edges, title } = v.header;
  if (before && before.title === title && JSON.stringify(before.edges) === JSON.stringify(edges)) return;
  v.at = edges.findIndex((edge) => v.place.edge?.every((value, i) => value === edge[i]));
  requestAnimationFrame(() => {
    v.els.scroller.scrollLeft = v.els.scroller.scrollWidth;
  });
}

export default live({ id: "flow", build, paint, fit: fitGraph });
