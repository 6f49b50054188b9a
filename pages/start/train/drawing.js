// @ts-check
// One run: a map of each head, and curves of what has been learnt.

import { _ } from "#canvas/language.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { visible } from "#canvas/text.js";
import { bestHead, headName, NAMED } from "./learning.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./learning.js").Learner} Learner */
/** @typedef {{ steps: number, repeats: boolean, answers: boolean }} Kind of runs: how long, whether sequences repeat, or ask for an answer */
/** @typedef {{ side: number, gap: number, maps: number, left: number, top: number, right: number, bottom: number, height: number }} Layout side of a map,
 * gap between maps, the width of all; the curves' area */

const NAME = 15; // pixels above a map
const CURVES = 150;
const TOGETHER = 620; // pixels of width from which curves stand beside the maps
const AXIS = 30;
const BELOW = 16; // pixels below the maps, for what rows and columns are

/**
 * @param {number} width
 * @param {number} layers
 * @param {number} heads
 * @returns {Layout}
 */
export function layoutOf(width, layers, heads) {
  const beside = width >= TOGETHER;
  const gap = 6;
  const room = beside ? width * 0.55 : width;
  const side = Math.floor(Math.min((room - gap * (heads - 1)) / heads, beside ? Math.max(60, (300 - BELOW - layers * NAME) / layers) : 130));
  const [maps, tall] = [heads * (side + gap), layers * (side + NAME + gap) + BELOW];
  if (beside) {
    const bottom = Math.max(tall - gap, CURVES + AXIS) - 22;
    return { side, gap, maps, left: maps + AXIS, top: NAME, right: width - 8, bottom, height: bottom + 24 };
  }
  return { side, gap, maps, left: AXIS, top: tall + 12, right: width - 8, bottom: tall + 12 + CURVES, height: tall + CURVES + 38 };
}

/**
 * The curves: name, colour, and where a point has its number.
 * @param {Theme} theme
 * @param {Kind} kind
 */
export function curvesOf(theme, { repeats, answers }) {
  const [previous, induction, right, whole] = theme.heads;
  return /** @type {{ name: string, color: string, key: "loss" | "right" | "whole" | "previous" | "induction", dash: string }[]} */ ([
    ...(repeats ? [{ name: _("Induction (best head)"), color: induction, key: "induction", dash: "" }] : []),
    ...(answers ? [{ name: _("Whole answers right"), color: whole, key: "whole", dash: "" }] : []),
    { name: _("Previous token (best head)"), color: previous, key: "previous", dash: "6 3" },
    { name: _("Right"), color: right, key: "right", dash: "2 3" },
    { name: _("Loss (1: a guess)"), color: theme.muted, key: "loss", dash: "" },
  ]);
}

/**
 * @param {Pen} pen
 * @param {Learner} learner
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {Kind} kind
 */
export function drawRun(pen, learner, layout, theme, kind) {
  if (learner.moment) drawMaps(pen, learner.moment, layout, theme);
  drawCurves(pen, learner, layout, theme, kind);
}

/**
 * @param {Pen} pen
 * @param {import("./learning.js").Moment} moment
 * @param {Layout} layout
 * @param {Theme} theme
 */
function drawMaps(pen, { maps, tokens, previous, induction }, { side, gap }, theme) {
  const size = tokens.length;
  const [back, after] = [bestHead(previous), induction ? bestHead(induction) : null];
  previous.forEach((heads, layer) => heads.forEach((_score, head) => {
    const [x, y] = [head * (side + gap), NAME + layer * (side + gap + NAME)];
    const at = (layer * heads.length + head) * size ** 2;
    const is = (/** @type {{ layer: number, head: number, score: number } | null} */ best) => Boolean(best) && best.layer === layer && best.head === head
      && best.score > NAMED;
    const color = is(after) ? theme.heads[1] : is(back) ? theme.heads[0] : null;
    pen.text(x, y - 7, headName({ layer, head }), { color: theme.muted, size: 10.5, weight: color ? 700 : 400 });
    // the root, as weights over many positions are small
    pen.image(numbersImage(theme, maps.subarray(at, at + size ** 2).map(Math.sqrt), size, size, false, 1), x, y, side, side);
    pen.rect(x, y, side, side, null, color ?? theme.faint, { width: color ? 2.5 : 1 });
  }));
  pen.text(0, previous.length * (side + NAME + gap) + 4, _("down: who looks · across: what at"), { color: theme.muted, size: 10.5 });
}

/** @typedef {{ layer: number, head: number, row: number, column: number }} Cell of a map */

/**
 * The cell of a map at a point; null where there is none.
 * @param {import("./learning.js").Moment} moment
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {Cell | null}
 */
export function cellAt(moment, { side, gap }, x, y) {
  const size = moment.tokens.length;
  const [head, layer] = [Math.floor(x / (side + gap)), Math.floor(y / (side + NAME + gap))];
  const column = Math.floor(((x - head * (side + gap)) / side) * size);
  const row = Math.floor(((y - layer * (side + NAME + gap) - NAME) / side) * size);
  return isCell(moment, { layer, head, row, column }) ? { layer, head, row, column } : null;
}

/** Whether these maps have a cell. @param {import("./learning.js").Moment} moment @param {Cell} cell */
export function isCell({ previous, tokens: { length } }, { layer, head, row, column }) {
  return layer in previous && head in previous[0] && row >= 0 && row < length && column >= 0 && column < length;
}

/**
 * The next cell on the way of an arrow key, over the edge of a map in the next one; null where there is none.
 * @param {import("./learning.js").Moment} moment
 * @param {Cell} cell
 * @param {number} dx
 * @param {number} dy
 */
export function cellBeside(moment, { layer, head, row, column }, dx, dy) {
  const { length } = moment.tokens;
  const [across, down] = [head * length + column + dx, layer * length + row + dy];
  const next = { layer: Math.floor(down / length), head: Math.floor(across / length), row: (down + length) % length, column: (across + length) % length };
  return isCell(moment, next) ? next : null;
}

/** A cell in words. @param {import("./learning.js").Moment} moment @param {Cell} cell */
export function saidOfCell({ maps, tokens, names, previous }, { layer, head, row, column }) {
  const size = tokens.length;
  const weight = maps[((layer * previous[0].length + head) * size + row) * size + column];
  const named = (/** @type {number} */ at) => `“${visible(names[tokens[at]])}” (${at})`;
  if (column > row && !weight) return _("{head}: {from} does not see {to}, which comes later",
    { head: headName({ layer, head }), from: named(row), to: named(column) });
  return _("{head}: {from} gives {weight} to {to}", { head: headName({ layer, head }), from: named(row), weight: weight.toFixed(2), to: named(column) });
}

/**
 * @param {Pen} pen
 * @param {Learner} learner
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {Kind} kind
 */
function drawCurves(pen, { points }, { left, right, top, bottom }, theme, kind) {
  const end = Math.max(kind.steps, points.at(-1)?.step ?? 0);
  const x = (/** @type {number} */ step) => left + ((right - left) * step) / end;
  const y = (/** @type {number} */ value) => bottom - (bottom - top) * Math.min(1, Math.max(0, value));
  for (const value of [0, 0.5, 1]) {
    pen.line(left, y(value), right, y(value), theme.faint);
    pen.text(left - 5, y(value), String(value), { align: "right", color: theme.muted, size: 10.5 });
  }
  pen.text(left, bottom + 12, "0", { align: "center", color: theme.muted, size: 10.5 });
  pen.text((left + right) / 2, bottom + 12, _("step"), { align: "center", color: theme.muted, size: 10.5 });
  pen.text(right, bottom + 12, end.toLocaleString("en"), { align: "right", color: theme.muted, size: 10.5 });
  for (const { color, key, dash } of curvesOf(theme, kind)) {
    const there = points.filter((point) => Number.isFinite(point[key]));
    const d = there.map((point, i) => `${i ? "L" : "M"}${x(point.step).toFixed(1)} ${y(point[key]).toFixed(1)}`).join("");
    if (there.length > 1) pen.path(d, color, key === "loss" ? 1.5 : 2, 1, dash);
  }
}
