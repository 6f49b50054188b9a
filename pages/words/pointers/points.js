// @ts-check
// Points, rays and lines on a square of pixels. Free of the DOM.

import { _ } from "#canvas/language.js";

/** @typedef {[x: number, y: number]} Point thousandths of a square, y upwards */
/** @typedef {{ order: number[], exact: number[], missed: number[], extra: number[], doubtful: number,
 * origin: string }} Header indices of points; `origin` names the set */
/** @typedef {{ points: Uint16Array, attention: Float32Array }} Arrays attention [steps, points + 1], the end marker last */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { points: Point[], step: number }> & { drawn: Point[], side: number, held: number | null,
 * dragging: boolean, waiting: boolean }} View `drawn`: those that the attention is of; `held`: the point under the pointer,
 *   or chosen by keys; `waiting` for an answer */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const EDGE = 26; // pixels around the square of points
const FAINT = 0.004; // a weight below it has no ray
const NAMED = 60; // points of which all are numbered
const ROOM = 18; // pixels between two numbers

/**
 * The points as they are shown: those that are dragged are ahead of the server's.
 * @param {View} v
 */
export function pointsOf(v) {
  return v.place.points.length ? v.place.points : v.drawn;
}

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
  pointsOf(v).forEach((point, index) => {
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
  const at = v.walked === null ? (v.place.step || v.header.doubtful) - 1 : Math.floor(v.walked);
  return { steps, step: Math.max(0, Math.min(at, steps - 1)) };
}

/**
 * The weights of the shown step: over the points, and the end marker's.
 * @param {View} v
 */
export function weightsOf(v) {
  const count = v.drawn.length;
  const { step } = stepOf(v);
  return v.arrays.attention.subarray(step * (count + 1), (step + 1) * (count + 1));
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
  const points = pointsOf(v);
  const at = indices.filter((index) => points[index]).map((index) => placeOf(v.side, points[index]));
  return at.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") + (closed && at.length > 1 ? "Z" : "");
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawPoints(pen, v, theme) {
  const { header, side } = v;
  const points = pointsOf(v);
  const { step, steps } = stepOf(v);
  const [blue, orange] = theme.heads;
  const done = step === steps - 1;
  pen.rect(EDGE / 2, EDGE / 2 + 8, side - EDGE, side - EDGE - 8, null, theme.faint);
  if (done) pen.shape(lineOf(v, header.order, true), blue, 0.1);
  pen.path(lineOf(v, header.exact, true), theme.muted, 1.5, 1, "5 5");
  pen.path(lineOf(v, header.order.slice(0, step), done), blue, 2.5);
  drawRays(pen, v, theme);
  const visited = new Set(header.order.slice(0, step));
  points.forEach((point, index) => {
    const { x, y } = placeOf(side, point);
    const radius = points.length > 200 ? 2 : points.length > NAMED ? 3.5 : 5;
    if (index === v.held) pen.circle(x, y, radius + 5, theme.primary, 0.3);
    pen.circle(x, y, radius, visited.has(index) ? blue : theme.text);
    if (done && header.missed.includes(index)) ring(pen, x, y, radius + 5, orange);
    if (done && header.extra.includes(index)) cross(pen, x, y, radius + 4, orange);
  });
  drawNumbers(pen, v, theme);
  if (header.order.length && points[header.order[0]]) {
    const { x, y } = placeOf(side, points[header.order[0]]);
    pen.text(x, y + 14, _("start"), { color: theme.muted, align: "center", size: 11 });
  }
}

/**
 * Numbers beside the points, where there is room: of all, or, of many, of those that the step weighs; first of the one that it points from.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawNumbers(pen, v, theme) {
  const [points, weights] = [pointsOf(v), weightsOf(v)];
  /** @type {{ x: number, y: number }[]} */
  const taken = [];
  const from = v.header.order[stepOf(v).step - 1];
  const heavy = points.map((_point, index) => index).sort((a, b) => Number(b === from) - Number(a === from) || (weights[b] ?? 0) - (weights[a] ?? 0));
  for (const index of heavy) {
    if (points.length > NAMED && index !== from && !(weights[index] > 0.02)) return;
    const at = placeOf(v.side, points[index]);
    if (taken.some(({ x, y }) => Math.hypot(x - at.x, y - at.y) < ROOM)) continue;
    taken.push(at);
    pen.text(at.x + 9, at.y - 9, String(index), { color: weights[index] > 0.02 ? theme.text : theme.muted, size: 10 });
  }
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawRays(pen, v, theme) {
  const { header, side } = v;
  const points = pointsOf(v);
  const { step } = stepOf(v);
  const weights = weightsOf(v);
  const end = endPlace(side);
  const orange = theme.heads[1];
  const from = step ? placeOf(side, points[header.order[step - 1]] ?? [500, 500]) : null;
  weights.forEach((weight, index) => {
    if (weight < FAINT) return;
    const last = index === weights.length - 1;
    if (!last && !points[index]) return;
    const to = last ? end : placeOf(side, points[index]);
    if (from) pen.path(`M${from.x} ${from.y}L${to.x} ${to.y}`, orange, 1 + 13 * weight, 0.25 + 0.45 * weight);
    if (!last) pen.circle(to.x, to.y, 4 + 9 * weight, orange, 0.35);
  });
  const ended = weights[weights.length - 1];
  pen.rect(end.x - 20, end.y - 10, 40, 20, theme.background, theme.muted);
  pen.rect(end.x - 20, end.y - 10, 40 * ended, 20, orange, null, { alpha: 0.6 });
  pen.text(end.x, end.y, _("end"), { color: theme.text, align: "center", size: 11, weight: 600 });
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
  const values = { from: step ? v.header.order[step - 1] : "", index, weight: weight.toFixed(3) };
  const closes = step === steps - 1;
  if (step) return closes ? _("From point {from} it says that the line is closed: probability {weight}.", values) : _(
    "From point {from} it goes to point {index}: probability {weight}.", values);
  return closes ? _("At the beginning it says that the line is closed: probability {weight}.", values) : _(
    "At the beginning it goes to point {index}: probability {weight}.", values);
}
