// @ts-check
// The flow to a prediction: a click on an edge, or Enter, shows its head and cell in the map above.

import { make } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { curvesOf, drawGraph, edgeAt, edgeName, planOf } from "./graph.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Data} Data */

const HELP = TEXTS.clickEdgeSee;
const REACH = { mouse: 8, touch: 18 }; // pixels around an edge that still mean it

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  const shown = JSON.stringify([data.title, data.edges]);
  v.data = data;
  if (shown !== v.shown) {
    v.at = data.edges.findIndex((edge) => data.chosen?.every((value, i) => value === edge[i]));
    v.hover = -1;
    v.shown = shown;
    repaint(v);
    v.scroller.scrollLeft = v.scroller.scrollWidth; // where the prediction stands
    return;
  }
  repaint(v);
}

/** @param {View} v */
function repaint(v) {
  const { data } = v;
  v.theme = readTheme(v.root, data.colors, v.theme);
  const width = v.scroller.clientWidth;
  if (!width) return;
  v.plan = planOf(data, width);
  v.curves = curvesOf(data, v.plan);
  const marked = v.hover >= 0 ? v.hover : v.at;
  drawGraph(canvasPen(fit(v.canvas, v.plan.width, v.plan.height), v.theme), data, v.plan, v.curves, v.theme, marked);
  v.title.textContent = data.title;
  v.note.textContent = marked < 0 ? HELP : edgeName(data, data.edges[marked]);
  v.canvas.setAttribute("aria-label", `${data.title}: ${data.edges.length} edges. ${HELP}`);
  Object.assign(v.canvas.dataset, { edges: data.edges.length, at: v.at, middles: JSON.stringify(v.curves.slice(0, 3)) });
}

/**
 * @param {View} v
 * @param {number} at
 */
function openEdge(v, at) {
  if (at < 0) return;
  v.at = at;
  repaint(v);
  v.component.setTriggerValue("opened", v.data.edges[at].slice(0, 4));
}

/**
 * Scroll so that the chosen edge is seen.
 * @param {View} v
 */
function reveal(v) {
  if (v.at < 0) return;
  const [x1, y1, , , , , x2, y2] = v.curves[v.at];
  const { scroller } = v;
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
  const last = v.data.edges.length - 1;
  const next = { ArrowRight: v.at + 1, ArrowDown: v.at + 1, ArrowLeft: v.at - 1, ArrowUp: v.at - 1, Home: 0, End: last, Escape: -1 }[event.key];
  if (event.key === "Enter") openEdge(v, v.at);
  else if (next === undefined) return;
  else {
    v.at = event.key === "Escape" ? -1 : Math.max(0, Math.min(last, next));
    v.at = Math.min(v.at, last);
    v.hover = -1;
    repaint(v);
    reveal(v);
  }
  event.preventDefault();
}

/** @param {View} v */
function savedFlow(v) {
  const theme = paperTheme(v.theme, v.data.colors);
  const { width, height } = v.plan;
  return figureOf("tlmviz-flow", { width: width + 16, height: height + 40, theme }, (pen) => {
    pen.text(16, 20, v.data.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(8, 36, () => drawGraph(pen, v.data, v.plan, v.curves, theme, -1));
  });
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ at: -1, hover: -1, shown: "" });
  v.canvas = make("canvas", { testid: "flow-graph", role: "img", tabIndex: 0 });
  v.scroller = make("div", { className: "scroller" }, v.canvas);
  v.title = make("h3");
  v.note = make("p", { className: "note", testid: "flow-edge", "aria-live": "polite" });
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => savedFlow(v)));
  v.root = make("div", { className: "flow", testid: "flow" }, make("div", { className: "head" }, v.title, saves), v.note, v.scroller);
  host.append(v.root);
  const found = (/** @type {PointerEvent} */ event) => {
    const box = v.canvas.getBoundingClientRect();
    return edgeAt(v.curves, event.clientX - box.x, event.clientY - box.y, event.pointerType === "touch" ? REACH.touch : REACH.mouse);
  };
  v.canvas.addEventListener("click", (event) => openEdge(v, found(/** @type {PointerEvent} */ (event))));
  v.canvas.addEventListener("pointermove", (event) => {
    const hover = event.pointerType === "mouse" ? found(event) : -1;
    v.canvas.style.cursor = hover < 0 ? "" : "pointer";
    if (hover === v.hover) return;
    v.hover = hover;
    repaint(v);
  });
  v.canvas.addEventListener("pointerleave", () => {
    v.hover = -1;
    repaint(v);
  });
  v.canvas.addEventListener("keydown", (event) => pressed(v, event));
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.data));
  return v;
}

export default mounted({ create, receive, leave: (/** @type {View} */ v) => v.observer.disconnect() });
