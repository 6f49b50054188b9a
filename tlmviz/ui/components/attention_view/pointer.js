// @ts-check
// Pointer and keyboard on the map: pointing, pinning, zooming.

import { digits, named } from "#canvas/text.js";
import { fillCard } from "./card.js";
import { LABEL } from "./map.js";
import { paintMarks } from "./marks.js";
import { act, pin, zoomTo } from "./state.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").View} View */

/**
 * The cell under the pointer in view coordinates, null outside; `axis` for the row labels.
 * @param {View} v
 * @param {MouseEvent} event
 */
function cellAt(v, event) {
  const plan = v.mapPlan;
  if (!plan) return null;
  const i = Math.floor((event.offsetY - plan.y) / plan.cell);
  const j = Math.floor((event.offsetX - plan.x) / plan.cell);
  if (i < 0 || i >= plan.n || j >= plan.n) return null;
  if (j < 0) return event.offsetX > plan.x - LABEL - 10 ? { i, j: -1, axis: true } : null;
  return { i, j };
}

/**
 * @param {View} v
 * @param {number} i
 * @param {number} j
 */
function hoverLines(v, i, j) {
  const { tokens } = v.header;
  const title = `${named(tokens, i)} → ${named(tokens, j)}`;
  const head = v.exact;
  if (!head) return { title, rows: [["exact value", "on its way"]] };
  const stage = head.stageOf(v.state.stage);
  if (head.hidden(i, j) && (stage === "softmax" || stage === "masked")) {
    return { title, rows: [["hidden", head.causal && j > i ? "a later token" : "outside the window"]] };
  }
  return { title, rows: head.values(i, j, stage).map(([name, value]) => [name, digits(value)]) };
}

/**
 * The square of whole cells that a drag spans, clipped to the view.
 * @param {View} v
 * @param {Cell} from
 * @param {PointerEvent} event
 */
function dragSquare(v, from, event) {
  const plan = v.mapPlan;
  const limit = (/** @type {number} */ value) => Math.max(0, Math.min(plan.n - 1, value));
  const i = limit(Math.floor((event.offsetY - plan.y) / plan.cell));
  const j = limit(Math.floor((event.offsetX - plan.x) / plan.cell));
  const size = Math.min(plan.n, Math.max(Math.abs(i - from.i), Math.abs(j - from.j)) + 1);
  const at = (/** @type {number} */ start, /** @type {number} */ end) => Math.max(0, Math.min(plan.n - size, end >= start ? start : start - size + 1));
  return { i: at(from.i, i), j: at(from.j, j), n: size };
}

/** @param {View} v */
export function wireMap(v) {
  const canvas = v.els.marks;
  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(v, event);
    if (v.drag && event.buttons & 1 && event.pointerType !== "touch") {
      const moved = Math.hypot(event.offsetX - v.drag.x, event.offsetY - v.drag.y) > 6;
      if (moved || v.drag.square) v.drag.square = dragSquare(v, v.drag.from, event);
    }
    canvas.style.cursor = cell?.axis ? "pointer" : cell ? "crosshair" : "default";
    pointAt(v, cell, event);
  });
  canvas.addEventListener("pointerdown", (event) => {
    const from = cellAt(v, event);
    v.drag = from && !from.axis && event.button === 0 ? { from, x: event.offsetX, y: event.offsetY, square: null } : null;
    if (v.drag && event.pointerType !== "touch") canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => {
    const square = v.drag?.square;
    v.drag = null;
    v.dragged = Boolean(square);
    if (square && square.n > 1) zoomTo(v, { row: v.mapPlan.row + square.i, col: v.mapPlan.col + square.j, n: Math.max(square.n, 3) });
    else if (square) paintMarks(v);
  });
  canvas.addEventListener("pointercancel", () => (v.drag = null));
  canvas.addEventListener("pointerleave", (event) => {
    v.clicked = false;
    if (event.pointerType !== "touch") pointAt(v, null, event);
  });
  canvas.addEventListener("click", (event) => {
    if (v.dragged) return void (v.dragged = false);
    const cell = cellAt(v, event);
    if (!cell || event.detail > 1) return; // the second click of a double-click only zooms out
    v.clicked = true;
    v.beforeClick = { query: v.state.query, key: v.state.key };
    const { row, col } = v.mapPlan;
    pin(v, row + cell.i, cell.axis ? null : col + cell.j);
    pointAt(v, cell, event);
  });
  canvas.addEventListener("dblclick", () => {
    if (v.beforeClick) act(v, v.beforeClick);
    zoomTo(v, null);
  });
  canvas.addEventListener("wheel", (event) => wheel(v, event), { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const last = v.header.tokens.length - 1;
    const query = v.state.query ?? last;
    const key = v.state.key ?? query;
    const inside = (/** @type {number} */ x) => Math.max(0, Math.min(last, x));
    act(v, { query: inside(query + step[0]), key: inside(key + step[1]) });
    v.hovered.point(v.state.query, v.state.key);
  });
}

/**
 * @param {View} v
 * @param {Cell | null} cell
 * @param {PointerEvent} event
 */
function pointAt(v, cell, event) {
  v.hover = cell && !cell.axis ? cell : null;
  const { row, col } = v.mapPlan ?? { row: 0, col: 0 };
  v.hovered.point(...(cell ? [row + cell.i, ...(cell.axis ? [] : [col + cell.j])] : []));
  paintMarks(v);
  fillCard(v);
  if (v.hover) showTooltip(v, event, hoverLines(v, v.mapPlan.row + cell.i, v.mapPlan.col + cell.j));
  else if (cell?.axis) {
    showTooltip(v, event, { title: named(v.header.tokens, v.mapPlan.row + cell.i), rows: [["click", "pin this query"]] });
  } else hideTooltip(v);
}

/**
 * Zoom around the pointer: with Ctrl, or once the map was clicked and until the pointer leaves it. Every other turn of the
 * wheel scrolls the page.
 * @param {View} v
 * @param {WheelEvent} event
 */
function wheel(v, event) {
  const cell = cellAt(v, event);
  const meant = event.ctrlKey || event.metaKey || (v.clicked && (event.deltaY < 0 || v.zoom));
  if (!meant || !cell || cell.axis || v.header.tokens.length < 5) return;
  event.preventDefault();
  const plan = v.mapPlan;
  const T = v.header.tokens.length;
  const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004);
  let n = Math.round(plan.n * factor);
  if (n === plan.n) n += Math.sign(event.deltaY);
  n = Math.max(4, Math.min(T, n));
  const keep = (/** @type {number} */ start, /** @type {number} */ at) => Math.round(start + at - (at / plan.n) * n);
  zoomTo(v, { n, row: keep(plan.row, cell.i), col: keep(plan.col, cell.j) });
}
