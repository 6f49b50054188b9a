// @ts-check
// Points, beams and lines on a square of pixels. Free of the DOM.

import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Point} Point */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const EDGE = 26; // pixels around the square of points
const FAINT = 0.004; // a weight below it has no beam

/**
 * Where a point is drawn.
 * @param {number} side
 * @param {Point} point
 */
export function placeOf(side, [x, y]) {
  const inner = side - 2 * EDGE;
  return { x: EDGE + (x / 1000) * inner, y: side - EDGE - (y / 1000) * inner };
}

/**
 * The point that would be drawn at a place, within the square.
 * @param {number} side
 * @param {number} x
 * @param {number} y
 * @returns {Point}
 */
export function pointAt(side, x, y) {
  const inner = side - 2 * EDGE;
  const clipped = (/** @type {number} */ value) => Math.round(Math.max(0, Math.min(1, value)) * 1000);
  return [clipped((x - EDGE) / inner), clipped((side - EDGE - y) / inner)];
}

/**
 * The point nearest to a place, at most `reach` pixels away.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 * @returns {number | null}
 */
export function nearestPoint(v, x, y, reach) {
  /** @type {number | null} */
  let best = null;
  v.points.forEach((point, index) => {
    const at = placeOf(v.side, point);
    const distance = Math.hypot(at.x - x, at.y - y);
    if (distance <= reach) [best, reach] = [index, distance];
  });
  return best;
}

/**
 * The step that is shown, from 0, and how many there are.
 * @param {View} v
 */
export function stepOf(v) {
  const steps = v.header.order.length + 1;
  return { steps, step: Math.max(1, Math.min(v.step, steps)) - 1 };
}

/**
 * The weights of the shown step: over the points, and the end marker's.
 * @param {View} v
 */
export function weightsOf(v) {
  const count = v.drawn.length;
  const { step } = stepOf(v);
  return v.attention.subarray(step * (count + 1), (step + 1) * (count + 1));
}

/** @param {number} side */
function endPlace(side) {
  return { x: side - 22, y: 14 };
}

/**
 * A closed or open line through points.
 * @param {View} v
 * @param {number[]} indices
 * @param {boolean} closed
 */
function lineOf(v, indices, closed) {
  const at = indices.filter((index) => v.points[index]).map((index) => placeOf(v.side, v.points[index]));
  return at.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") + (closed && at.length > 1 ? "Z" : "");
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawPoints(pen, v, theme) {
  const { header, side } = v;
  const { step, steps } = stepOf(v);
  const [blue, orange] = theme.heads;
  const done = step === steps - 1;
  pen.rect(EDGE / 2, EDGE / 2 + 8, side - EDGE, side - EDGE - 8, null, theme.faint);
  if (done) pen.shape(lineOf(v, header.order, true), blue, 0.1);
  pen.path(lineOf(v, header.exact, true), theme.muted, 1.5, 1, "5 5");
  pen.path(lineOf(v, header.order.slice(0, step), done), blue, 2.5);
  drawBeams(pen, v, theme);
  const visited = new Set(header.order.slice(0, step));
  v.points.forEach((point, index) => {
    const { x, y } = placeOf(side, point);
    const radius = v.points.length > 200 ? 2 : v.points.length > 60 ? 3.5 : 5;
    if (index === v.held) pen.circle(x, y, radius + 5, theme.primary, 0.3);
    pen.circle(x, y, radius, visited.has(index) ? blue : theme.text);
    if (done && header.missed.includes(index)) ring(pen, x, y, radius + 5, orange);
    if (done && header.extra.includes(index)) cross(pen, x, y, radius + 4, orange);
  });
  if (header.order.length && v.points[header.order[0]]) {
    const { x, y } = placeOf(side, v.points[header.order[0]]);
    pen.text(x, y + 14, "start", { color: theme.muted, align: "center", size: 11 });
  }
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawBeams(pen, v, theme) {
  const { header, side } = v;
  const { step } = stepOf(v);
  const weights = weightsOf(v);
  const end = endPlace(side);
  const orange = theme.heads[1];
  const from = step ? placeOf(side, v.points[header.order[step - 1]] ?? [500, 500]) : null;
  weights.forEach((weight, index) => {
    if (weight < FAINT) return;
    const last = index === weights.length - 1;
    if (!last && !v.points[index]) return;
    const to = last ? end : placeOf(side, v.points[index]);
    if (from) pen.path(`M${from.x} ${from.y}L${to.x} ${to.y}`, orange, 1 + 13 * weight, 0.25 + 0.45 * weight);
    if (!last) pen.circle(to.x, to.y, 4 + 9 * weight, orange, 0.35);
    if (!last && weight > 0.02) pen.text(to.x + 10, to.y - 11, index, { color: theme.muted, size: 11 });
  });
  const ended = weights[weights.length - 1];
  pen.rect(end.x - 20, end.y - 10, 40, 20, theme.background, theme.muted);
  pen.rect(end.x - 20, end.y - 10, 40 * ended, 20, orange, null, { alpha: 0.6 });
  pen.text(end.x, end.y, "end", { color: theme.text, align: "center", size: 11, weight: 600 });
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} radius
 * @param {string} color
 */
function ring(pen, x, y, radius, color) {
  pen.path(`M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`, color, 2);
}

/**
 * @param {Pen} pen
 * @param {number} x
 * @param {number} y
 * @param {number} arm
 * @param {string} color
 */
function cross(pen, x, y, arm, color) {
  pen.line(x - arm, y - arm, x + arm, y + arm, color, { width: 2 });
  pen.line(x - arm, y + arm, x + arm, y - arm, color, { width: 2 });
}

/**
 * The heaviest places of the shown step: [index, weight], the end marker's index being the number of points.
 * @param {View} v
 * @param {number} most
 */
export function heaviest(v, most) {
  const entries = Array.from(weightsOf(v), (weight, index) => /** @type {[number, number]} */ ([index, weight]));
  return entries.sort((a, b) => b[1] - a[1]).slice(0, most);
}

/**
 * What the shown step is, in a sentence.
 * @param {View} v
 */
export function stepSentence(v) {
  const { step, steps } = stepOf(v);
  const [index, weight] = heaviest(v, 1)[0];
  const from = step ? `From point ${v.header.order[step - 1]}` : "At the beginning";
  const to = step === steps - 1 ? TEXTS.saysLineClosed : TEXTS.goesPoint(index);
  return `${from} ${to}: probability ${weight.toFixed(3)}.`;
}
