// @ts-check
// Draws the two rows and the ribbons between them.

import { shade, textWidth } from "#canvas/theme.js";
import { clip, visible } from "#canvas/text.js";
import { LEAST, outline } from "./layout.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Side} Side */
/** @typedef {import("./types").Hover} Hover */

const SIZE = 14; // pixels of a token's letters
const LONGEST = 16; // characters of a name
export const NOWHERE = /** @type {Hover} */ ({ step: null, token: null });
const STRENGTH = { usual: 0.55, lit: 0.9, dim: 0.08 };

/** @param {string} token */
export function nameOf(token) {
  return clip(visible(token), LONGEST);
}

/**
 * The names' widths in pixels.
 * @param {Theme} theme
 * @param {string[]} tokens
 */
export function nameWidths(theme, tokens) {
  return tokens.map((token) => textWidth(theme, nameOf(token), SIZE, 600));
}

/**
 * The colour of a source token, by its place in the sentence, and of all ribbons that end there.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} token
 */
function colorOf(v, theme, token) {
  return shade(theme.places, token / Math.max(1, v.header.source.length - 1));
}

/**
 * The step or token that is looked at: what is moved comes before what is pointed at, and that before the keyboard's place.
 * @param {View} v
 * @returns {Hover}
 */
export function lookedAt(v) {
  if (v.held !== null) return { step: v.held, token: null };
  if (v.hover && (v.hover.step !== null || v.hover.token !== null)) return v.hover;
  if (!v.cursor) return NOWHERE;
  return v.cursor.side === "target" ? { step: v.cursor.index, token: null } : { step: null, token: v.cursor.index };
}

/**
 * The weight with which a token takes part in what is looked at; null where nothing is.
 * @param {View} v
 * @param {Side} side
 * @param {number} index
 */
function partOf(v, side, index) {
  const { step, token } = lookedAt(v);
  if (step === null && token === null) return null;
  const S = v.header.source.length;
  if (step !== null && token !== null) return index === (side === "target" ? step : token) ? v.arrays.weights[step * S + token] : 0;
  if (step !== null) return side === "target" ? Number(index === step) : v.arrays.weights[step * S + index];
  return side === "source" ? Number(index === token) : v.arrays.weights[index * S + token];
}

/**
 * The whole picture at the origin.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawRibbons(pen, v, theme) {
  const { plan, pending } = v;
  const seen = lookedAt(v);
  const none = seen.step === null && seen.token === null;
  for (const ribbon of plan.ribbons) {
    const { step, token, weight } = ribbon;
    if (weight < LEAST) continue;
    const lit = !none && (seen.step === null || seen.step === step) && (seen.token === null || seen.token === token);
    let alpha = none ? STRENGTH.usual : lit ? STRENGTH.lit : STRENGTH.dim;
    if (v.drag?.moved && step === v.drag.step) alpha = 0.25;
    if (pending && step >= pending[0]) alpha = STRENGTH.dim;
    pen.shape(outline(plan, ribbon), colorOf(v, theme, token), alpha);
  }
  for (const [step, token] of pinsShown(v)) drawPin(pen, v, theme, step, token);
  if (v.drag?.moved) drawDragged(pen, v, theme);
  for (const side of /** @type {Side[]} */ (["source", "target"])) {
    plan[side].forEach((_, index) => drawToken(pen, v, theme, side, index));
  }
}

/**
 * Pins that the shown text has, and the one that is asked for.
 * @param {View} v
 */
function pinsShown({ header, pending }) {
  const pins = header.pins.filter(([step]) => step < header.target.length && (!pending || step < pending[0]));
  return pending ? [...pins, pending] : pins;
}

/**
 * A pinned step gives its whole weight to one token: its ribbon has an outline.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} step
 * @param {number} token
 */
function drawPin(pen, v, theme, step, token) {
  const { plan } = v;
  const whole = plan.ribbons.find((ribbon) => ribbon.step === step && ribbon.token === token);
  const thick = plan.ribbons.filter((ribbon) => ribbon.step === step).reduce((sum, { target }) => sum + target[1] - target[0], 0);
  const around = (/** @type {number} */ at) => /** @type {[number, number]} */ ([at - thick / 2, at + thick / 2]);
  const asked = v.pending?.[0] === step;
  const ends = asked ? { target: around(plan.target[step].at), source: around(plan.source[token].at) } : whole;
  if (asked) pen.shape(outline(plan, ends), colorOf(v, theme, token), 0.6);
  pen.path(outline(plan, ends), theme.text, 1.5, 0.9);
}

/**
 * The ribbon under the pointer, from its step to where the pointer is.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawDragged(pen, v, theme) {
  const { plan, drag } = v;
  const along = plan.upright ? drag.y : drag.x;
  const across = Math.max(0, Math.min(plan.far - 10, plan.upright ? drag.x : drag.y));
  const at = plan.target[drag.step].at;
  const ends = { target: /** @type {[number, number]} */ ([at - 8, at + 8]), source: /** @type {[number, number]} */ ([along - 8, along + 8]) };
  const token = v.hover?.token ?? null;
  const color = token === null ? theme.primary : colorOf(v, theme, token);
  pen.shape(outline({ ...plan, near: across }, ends), color, 0.85);
}

/**
 * A token: its name, shaded by its part in what is looked at; numbers where it has one.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Side} side
 * @param {number} index
 */
function drawToken(pen, v, theme, side, index) {
  const { plan, header } = v;
  const { at, size } = plan[side][index];
  const part = partOf(v, side, index);
  const box = boxOf(v, side, index);
  const late = side === "target" && v.pending && index > v.pending[0];
  if (part !== null && part > 0.01) pen.rect(box.x, box.y, box.width, box.height, side === "source" ? colorOf(v, theme, index) : shade(theme.sequential, 0.55),
    null, { alpha: 0.12 + 0.4 * part });
  if (v.cursor?.side === side && v.cursor.index === index) pen.rect(box.x + 1, box.y + 1, box.width - 2, box.height - 2, null, theme.primary, { width: 2 });
  if (v.drag?.moved && side === "source" && v.hover?.token === index)
    pen.rect(box.x + 1, box.y + 1, box.width - 2, box.height - 2, null, theme.text, { width: 2 });
  if (v.lit[side].includes(index)) pen.rect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, null, theme.text);
  const strong = side === "target" && header.changed[index];
  const color = late || (part !== null && part < 0.02) ? theme.muted : strong ? theme.primary : theme.text;
  const middle = box.y + box.height / 2;
  const name = nameOf((side === "source" ? header.source : header.target)[index]);
  const style = { color, size: SIZE, weight: strong || (part !== null && part > 0.2) ? 600 : 400 };
  if (!plan.upright) pen.text(at, middle, name, { ...style, align: "center" });
  else if (side === "source") pen.text(plan.near - 7, middle, name, { ...style, align: "right" });
  else pen.text(plan.far + 7, middle, name, style);
  if (side === "source") drawEdge(pen, v, theme, index, size);
}

/**
 * The bar between a source token and its ribbons, in their colour.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} index
 * @param {number} size
 */
function drawEdge(pen, v, theme, index, size) {
  const { plan } = v;
  const { at } = plan.source[index];
  const color = colorOf(v, theme, index);
  const half = Math.max(4, size / 2 - 3);
  if (plan.upright) pen.rect(plan.near - 3, at - half, 3, 2 * half, color);
  else pen.rect(at - half, plan.near - 3, 2 * half, 3, color);
}

/**
 * The rectangle of a token.
 * @param {View} v
 * @param {Side} side
 * @param {number} index
 */
export function boxOf({ plan, header, theme }, side, index) {
  const { at, size } = plan[side][index];
  const name = textWidth(theme, nameOf((side === "source" ? header.source : header.target)[index]), SIZE, 600) + 10;
  if (plan.upright) {
    const x = side === "source" ? plan.near - 3 - name : plan.far + 2;
    return { x, y: at - 10, width: name, height: 20 };
  }
  const width = Math.min(Math.max(name, 14), size);
  return { x: at - width / 2, y: side === "source" ? 2 : plan.far + 4, width, height: 22 };
}
