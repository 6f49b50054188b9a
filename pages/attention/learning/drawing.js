// @ts-check
// A training at a step: a map of each head, curves of all heads over the steps, and below them the loss.

import { _ } from "#canvas/language.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { minus } from "#canvas/text.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {{ layers: number, heads: number, shown: number[], tokens: string[], share: boolean, losses: string[], helper: { head: number, name: string,
 * after: number } | null, events: { head: number | null, step: number, says: string }[] }} Header */
/** @typedef {{ moments: Float32Array, steps: Float32Array, values: Float32Array, helper: Float32Array, lossSteps: Float32Array, lossValues: Float32Array,
 * maps: Uint8Array }} Arrays */
/** @typedef {{ header: Header, arrays: Arrays }} Training */
/** @typedef {{ side: number, gap: number, columns: number, maps: number, left: number, right: number, top: number, bottom: number, lossTop: number,
 * lossBottom: number, height: number }} Layout of maps, and the areas of curves and losses */
/** @typedef {{ step: number, head: number, hover: number }} Looked the step, the head that is followed, and the one pointed at (-1: none) */

const NAME = 15; // pixels above a map
const TOGETHER = 620; // pixels of width from which curves stand beside the maps
const CURVES = 190;
const LOSS = 84;
const AXIS = 38;
const HELPER = "5 4"; // the dashes of the curve of the head that an induction head needs

/**
 * @param {number} width
 * @param {Header} header
 * @returns {Layout}
 */
export function trainingLayout(width, { shown, heads, losses }) {
  const beside = shown.length > 0 && width >= TOGETHER;
  const columns = Math.min(heads, shown.length || 1);
  const [rows, gap] = [Math.ceil(shown.length / columns), 6];
  const room = beside ? width * 0.52 : width;
  const most = Math.floor((room - gap * (columns - 1)) / columns);
  const side = Math.max(18, Math.min(most, beside ? Math.max(64, Math.floor((330 - rows * NAME) / Math.max(1, rows))) : 150));
  const [maps, tall] = [shown.length ? columns * (side + gap) : 0, rows * (side + NAME + gap)];
  const [left, top] = beside ? [maps + AXIS, NAME] : [AXIS, tall + 14];
  const bottom = top + CURVES;
  const lossTop = bottom + 34;
  const lossBottom = losses.length ? lossTop + LOSS : lossTop;
  return { side, gap, columns, maps, left, right: width - 10, top, bottom, lossTop, lossBottom, height: Math.max(beside ? tall : 0, lossBottom + 26) };
}

/** Where a step lies, from 0 to 1: moments are equally far apart. @param {Arrays} arrays @param {number} step */
export function shareOf({ moments }, step) {
  const end = moments.length - 1;
  const low = Math.max(0, moments.findLastIndex((each) => each <= step));
  if (low >= end) return 1;
  return (low + Math.max(0, step - moments[low]) / (moments[low + 1] - moments[low])) / end;
}

/** The step that is looked at between two moments. @param {Arrays} arrays @param {number} at */
export function stepAt({ moments }, at) {
  const low = Math.min(moments.length - 1, Math.floor(at));
  const high = Math.min(moments.length - 1, low + 1);
  return moments[low] + (moments[high] - moments[low]) * (at - low);
}

/** The moment nearest to an x. @param {Training} training @param {Layout} layout @param {number} x */
export function momentAt({ arrays }, { left, right }, x) {
  const share = (x - left) / (right - left);
  let best = 0;
  arrays.moments.forEach((step, i) => {
    if (Math.abs(shareOf(arrays, step) - share) < Math.abs(shareOf(arrays, arrays.moments[best]) - share)) best = i;
  });
  return best;
}

/** The head whose map is at a point, or -1. @param {Header} header @param {Layout} layout @param {number} x @param {number} y */
export function headAt({ shown }, { side, gap, columns }, x, y) {
  const [column, row] = [Math.floor(x / (side + gap)), Math.floor(y / (side + gap + NAME))];
  return column < columns && x >= 0 && y >= 0 ? shown[row * columns + column] ?? -1 : -1;
}

/** @param {Header} header @param {number} number */
export const nameOf = ({ heads }, number) => `L${Math.floor(number / heads)}H${number % heads}`;

/** The value of a head at the last measurement up to a step. @param {Training} training @param {number} head @param {number} step */
export function valueAt({ header, arrays }, head, step) {
  let at = 0;
  while (at + 1 < arrays.steps.length && arrays.steps[at + 1] <= step) at += 1;
  return arrays.values[at * header.layers * header.heads + head];
}

/** A value of the statistic, as it is read. @param {Header} header @param {number} value */
export function written({ share }, value) {
  return share ? `${Math.round(100 * value)}%` : minus(String(Number(value.toPrecision(3))));
}

/** The colour of a layer. @param {Theme} theme @param {Header} header @param {number} head */
export function colorOfHead(theme, { heads }, head) {
  return theme.heads[Math.floor(head / heads) % theme.heads.length];
}

/** The colour of a loss. @param {Theme} theme @param {number} number */
export const colorOfLoss = (theme, number) => [theme.muted, theme.primary, ...theme.heads.slice(4)][number % 6];

/** @param {Pen} pen @param {Training} training @param {Layout} layout @param {Theme} theme @param {Looked} looked */
export function drawTraining(pen, training, layout, theme, looked) {
  drawHeads(pen, training, layout, theme, looked);
  drawValues(pen, training, layout, theme, looked);
  if (training.header.losses.length) drawLosses(pen, training, layout, theme);
  const x = layout.left + (layout.right - layout.left) * shareOf(training.arrays, looked.step);
  pen.line(x, layout.top - 4, x, layout.lossBottom, theme.text, { width: 1.5 });
  pen.shape(`M${x - 5} ${layout.top - 12}H${x + 5}L${x} ${layout.top - 3}Z`, theme.text);
}

/** @param {Pen} pen @param {Training} training @param {Layout} layout @param {Theme} theme @param {Looked} looked */
function drawHeads(pen, training, { side, gap, columns }, theme, { step, head, hover }) {
  const { header, arrays } = training;
  const size = header.tokens.length;
  const moment = Math.max(0, arrays.moments.findLastIndex((each) => each <= step));
  header.shown.forEach((number, place) => {
    const [x, y] = [(place % columns) * (side + gap), NAME + Math.floor(place / columns) * (side + gap + NAME)];
    const from = (moment * header.shown.length + place) * size ** 2;
    const weights = Float32Array.from(arrays.maps.subarray(from, from + size ** 2), (code) => (code / 255) ** 2);
    const value = side > 70 ? ` ${written(header, valueAt(training, number, step))}` : "";
    pen.text(x, y - 7, nameOf(header, number) + value, { color: number === head ? theme.text : theme.muted, size: 10.5, weight: number === head ? 700 : 400 });
    pen.image(numbersImage(theme, weights, size, size, false, 1), x, y, side, side);
    const lit = number === head || number === hover;
    pen.rect(x, y, side, side, null, lit ? colorOfHead(theme, header, number) : theme.faint, { width: number === head ? 3 : lit ? 2 : 1 });
  });
}

/** @param {Pen} pen @param {Training} training @param {Layout} layout @param {Theme} theme @param {Looked} looked */
function drawValues(pen, training, layout, theme, { step, head, hover }) {
  const { header, arrays } = training;
  const { left, right, top, bottom } = layout;
  const count = header.layers * header.heads;
  const finite = arrays.values.filter(Number.isFinite);
  const least = header.share ? 0 : Math.min(0, ...finite);
  const most = header.share ? 1 : Math.max(least + 1e-9, ...finite);
  const x = (/** @type {number} */ at) => left + (right - left) * shareOf(arrays, at);
  const y = (/** @type {number} */ value) => bottom - ((bottom - top) * (value - least)) / (most - least);
  for (const value of [least, (least + most) / 2, most]) {
    pen.line(left, y(value), right, y(value), theme.faint);
    pen.text(left - 5, y(value), written(header, value), { align: "right", color: theme.muted, size: 10.5 });
  }
  const curve = (/** @type {number} */ number, /** @type {number} */ width, /** @type {number} */ alpha, ofHelper = false) => {
    const points = [...arrays.steps].map((at, m) => [at, ofHelper ? arrays.helper[m] : arrays.values[m * count + number]]).filter(
      ([, value]) => Number.isFinite(value));
    const d = points.map(([at, value], i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    if (points.length > 1) pen.path(d, colorOfHead(theme, header, number), width, alpha, ofHelper ? HELPER : "");
    else for (const [at, value] of points) pen.circle(x(at), y(value), 3, colorOfHead(theme, header, number), alpha);
  };
  for (let number = 0; number < count; number++) if (number !== head && number !== hover) curve(number, 1.2, count > 32 ? 0.25 : 0.55);
  if (header.helper) {
    const { head: helper, name, after } = header.helper;
    curve(helper, 2, 1, true);
    pen.text(x(after) - 8, y(arrays.helper[arrays.steps.indexOf(after)]) + 4, `${nameOf(header, helper)}: ${name}`,
      { align: "right", color: colorOfHead(theme, header, helper), size: 10.5 });
  }
  if (hover >= 0 && hover !== head) curve(hover, 2, 1);
  curve(head, 3, 1);
  pen.circle(x(step), y(valueAt(training, head, step) || 0), 4.5, colorOfHead(theme, header, head));
  drawAxis(pen, training, layout, theme, x);
}

/** The axis of steps, with the moments that can be gone to, what the rules noticed, and what the training said. @param {Pen} pen @param {Training} training
 * @param {Layout} layout @param {Theme} theme @param {(step: number) => number} x */
function drawAxis(pen, { header, arrays }, { left, right, top, bottom, lossBottom }, theme, x) {
  pen.line(left, bottom, right, bottom, theme.muted);
  let last = -Infinity;
  for (const step of arrays.moments) {
    pen.line(x(step), bottom, x(step), bottom + 4, theme.muted);
    const text = step.toLocaleString("en");
    const wide = 6.2 * text.length + 8;
    if (x(step) - last < wide || (x(step) + wide / 2 > right + 8 && step !== arrays.moments[arrays.moments.length - 1])) continue;
    pen.text(Math.min(x(step), right + 8 - wide / 2), bottom + 12, text, { align: "center", color: theme.muted, size: 10 });
    last = x(step);
  }
  pen.text(left - 5, bottom + 12, _("step"), { align: "right", color: theme.muted, size: 10 });
  for (const { head, step } of header.events) {
    if (head === null) pen.line(x(step), top, x(step), lossBottom, theme.muted, { dash: "3 4" });
    else pen.shape(`M${x(step) - 4} ${bottom - 9}H${x(step) + 4}L${x(step)} ${bottom - 1}Z`, colorOfHead(theme, header, head));
  }
}

/** @param {Pen} pen @param {Training} training @param {Layout} layout @param {Theme} theme */
function drawLosses(pen, { header, arrays }, { left, right, lossTop, lossBottom }, theme) {
  const count = arrays.lossSteps.length;
  const most = Math.max(1e-9, ...arrays.lossValues.filter(Number.isFinite));
  const x = (/** @type {number} */ at) => left + (right - left) * shareOf(arrays, at);
  const y = (/** @type {number} */ value) => lossBottom - ((lossBottom - lossTop) * Math.min(value, most)) / most;
  for (const value of [0, most]) {
    pen.line(left, y(value), right, y(value), theme.faint);
    pen.text(left - 5, y(value), Number(value.toFixed(1)), { align: "right", color: theme.muted, size: 10.5 });
  }
  pen.text(left, lossTop - 9, _("Loss"), { color: theme.muted, size: 10.5 });
  header.losses.forEach((_name, number) => {
    const own = arrays.lossValues.subarray(number * count, (number + 1) * count);
    const points = [...arrays.lossSteps].map((at, i) => [at, own[i]]).filter(([, value]) => Number.isFinite(value));
    const d = points.map(([at, value], i) => `${i ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    if (points.length > 1) pen.path(d, colorOfLoss(theme, number), 1.8, 1);
  });
}

