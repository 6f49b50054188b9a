// @ts-check
// Draws a scene: the plane with its dots and arrows, the rows of probabilities, the loss against the rate, the line of the die.

import { _ } from "#canvas/language.js";
import { clip, minus, short } from "#canvas/text.js";
import { fade, textWidth } from "#canvas/theme.js";
import { chance, thrown } from "./scenes.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Scene} Scene */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

export const PLANE = 350, LINE = 80; // pixels of height
const ROW = 19, CURVE = 128;
export const RATES = [-3, 1]; // powers of ten
const [TARGET, VECTOR, PUSH] = [1, 2, 4]; // of theme.heads: orange, green, red

/** @param {Theme} theme */
function colorsOf(theme) {
  return { target: theme.heads[TARGET], v: theme.heads[VECTOR], push: theme.heads[PUSH], other: theme.primary, member: theme.heads[VECTOR], step: theme.text };
}

/**
 * @param {Pen} pen
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {string} color
 * @param {number} width
 * @param {string} [dash]
 */
function arrow(pen, [x1, y1], [x2, y2], color, width, dash) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 0.5) return;
  const [cx, cy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = Math.min(9, length * 0.6);
  pen.line(x1, y1, x2 - cx * head * 0.8, y2 - cy * head * 0.8, color, { width, dash });
  pen.shape(
    `M${x2} ${y2}L${x2 - cx * head - cy * head * 0.45} ${y2 - cy * head + cx * head * 0.45}L${x2 - cx * head + cy * head * 0.45} ` +
    `${y2 - cy * head - cx * head * 0.45}Z`, color);
}

/**
 * Pixels of a point of the plane, the same scale on both axes.
 * @param {Scene} scene
 * @param {Box} box
 */
function placing(scene, box) {
  const xs = scene.reach.map(([x]) => x);
  const ys = scene.reach.map(([, y]) => y);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min((box.width - 90) / Math.max(right - left, 1e-6), (box.height - 50) / Math.max(high - low, 1e-6));
  const [midX, midY] = [(left + right) / 2, (low + high) / 2];
  return (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {[number, number]} */ ([box.x + box.width / 2 + (x - midX) * scale, box.y + box.height / 2 + 6 - (y - midY) * scale]);
}

/** @param {number} weight */
const radiusOf = (weight) => Math.max(2.5, Math.min(44, 60 * Math.sqrt(weight)));

/**
 * Labels that would lie on another one are left out; those asked for first are there, beside the boxes `off` if there is room.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Box} box
 */
function labelling(pen, theme, box) {
  /** @type {Box[]} */
  const taken = [];
  return (/** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ text, /** @type {string} */ color, weight = 400, size = 11,
    off = /** @type {Box[]} */ ([])) => {
    const width = textWidth(theme, text, size, weight);
    const spots = [[7, -8], [7, 9], [-7 - width, -8], [-7 - width, 9], [-width / 2, -15], [-width / 2, 15]];
    for (const [k, [dx, dy]] of [...spots, ...spots].entries()) {
      const place = { x: x + dx, y: y + dy - size / 2, width, height: size };
      if (place.x < box.x || place.x + width > box.x + box.width || place.y < box.y + 14 || place.y + size > box.y + box.height) continue;
      const full = k < spots.length ? [...taken, ...off] : taken;
      if (full.some((other) => place.x < other.x + other.width + 3 && other.x < place.x + width + 3 && place.y < other.y + other.height + 1
        && other.y < place.y + size + 1)) continue;
      taken.push(place);
      pen.text(place.x, y + dy, text, { color, weight, size });
      return;
    }
  };
}

/**
 * The plane: words by how likely they are, and the vectors of the step.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawPlane(pen, v, theme, box) {
  const { scene } = v;
  const colors = colorsOf(theme);
  const at = placing(scene, box);
  const inside = (/** @type {[number, number]} */ [x, y]) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
  pen.rect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, null, theme.faint);
  if (scene.cloud) {
    const { x, y, p } = scene.cloud;
    for (let w = 0; w < x.length; w++) {
      const place = at(x[w], y[w]);
      if (inside(place)) pen.circle(...place, Math.max(0.9, 60 * Math.sqrt(p[w])), theme.primary, 0.13);
    }
  }
  v.places = [];
  /** @type {Box[]} */
  const discs = []; // the squares inside large ones
  for (const dot of [...scene.dots].reverse()) {
    const place = at(dot.x, dot.y);
    if (!inside(place)) continue;
    const half = 0.7 * radiusOf(dot.weight);
    if (half > 8) discs.push({ x: place[0] - half, y: place[1] - half, width: 2 * half, height: 2 * half });
    v.places.push({ x: place[0], y: place[1], dot });
    pen.circle(...place, radiusOf(dot.weight), dot.kind === "member" ? colors.member : dot.kind === "target" ? colors.target : colors.other,
      dot.kind === "member" ? 0.8 : 0.45);
  }
  const label = labelling(pen, theme, box);
  const origin = at(0, 0);
  pen.line(origin[0] - 4, origin[1], origin[0] + 4, origin[1], theme.muted);
  pen.line(origin[0], origin[1] - 4, origin[0], origin[1] + 4, theme.muted);
  const styles = { g: [theme.primary, 2.5], v: [colors.v, 2], u: [colors.target, 2], push: [colors.push, 2], step: [colors.step, 2.5], mean: [theme.primary, 2],
    after: [fade(theme.primary, 0.6), 1] };
  for (const { from, to, name, kind } of scene.arrows) {
    const [color, width] = /** @type {[string, number]} */ (styles[kind]);
    const [start, end] = [at(...from), clipped(at(...from), at(...to), box)];
    if (kind === "mean" || kind === "after") {
      pen.line(start[0] - 5, start[1] - 5, start[0] + 5, start[1] + 5, color, { width });
      pen.line(start[0] - 5, start[1] + 5, start[0] + 5, start[1] - 5, color, { width });
    } else arrow(pen, start, end, color, width, kind === "push" || kind === "u" ? "5 3" : "");
    const middle = kind === "g" || kind === "step" ? 0.5 : 1;
    label(start[0] + (end[0] - start[0]) * middle, start[1] + (end[1] - start[1]) * middle, name, color, 600, 12, discs);
  }
  for (const dot of scene.dots) {
    const place = at(dot.x, dot.y);
    if (inside(place)) label(...place, clip(dot.name, 16),
      dot.kind === "target" && radiusOf(dot.weight) < 12 ? colors.target : dot.kind === "member" ? colors.member : theme.text,
      dot.kind === "target" ? 700 : 400);
  }
  label(origin[0], origin[1], "0", theme.muted, 400, 10);
  pen.text(box.x + 8, box.y + 11, _(v.header.mode === "cbow"
    ? "x: along the step; {shown}% of the mean lies in this plane" : "x: along the step; {shown}% of v lies in this plane",
    { shown: Math.round(100 * scene.shown) }), { color: theme.muted, size: 10 });
}

/**
 * The end of an arrow, drawn back to where it leaves the box.
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {Box} box
 * @returns {[number, number]}
 */
function clipped([x1, y1], [x2, y2], box) {
  let share = 1;
  for (const [a, b, low, high] of [[x1, x2, box.x + 4, box.x + box.width - 4], [y1, y2, box.y + 4, box.y + box.height - 4]]) {
    if (b > high && b > a) share = Math.min(share, (high - a) / (b - a));
    if (b < low && b < a) share = Math.min(share, (low - a) / (b - a));
  }
  share = Math.max(0, share);
  return [x1 + (x2 - x1) * share, y1 + (y2 - y1) * share];
}

/**
 * Pixels of height that the rows take.
 * @param {Scene} scene
 */
export function sideHeight(scene) {
  return Math.max(PLANE, 22 + ROW * scene.rows.length + CURVE + 12);
}

/**
 * Probabilities before (a tick) and after (a bar), and below them the loss against the rate.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawSide(pen, v, theme, box) {
  const { scene } = v;
  const colors = colorsOf(theme);
  const most = v.header.mode === "softmax" ? Math.max(...scene.rows.map(({ before, after }) => Math.max(before, after))) : 1;
  const [names, numbers] = [84, 104];
  const wide = box.width - names - numbers;
  pen.text(box.x, box.y + 8, scene.rowsTitle, { color: theme.text, size: 11, weight: 600 });
  scene.rows.forEach(({ name, before, after, kind }, k) => {
    const y = box.y + 22 + ROW * k;
    const color = kind === "target" ? colors.target : kind === "out" ? theme.faint : colors.other;
    pen.text(box.x + names - 6, y + ROW / 2, clip(name, 11),
      { align: "right", color: kind === "out" ? theme.muted : theme.text, size: 11.5, weight: kind === "target" ? 700 : 400 });
    pen.rect(box.x + names, y + 4, Math.max(0.5, (wide * after) / most), ROW - 8, color, null, { alpha: 0.75 });
    const tick = box.x + names + (wide * before) / most;
    pen.line(tick, y + 2, tick, y + ROW - 2, theme.text, { width: 1.5 });
    pen.text(box.x + box.width, y + ROW / 2, kind === "out" ? _("left out") : `${chance(before)} → ${chance(after)}`,
      { align: "right", color: theme.muted, size: 10.5 });
  });
  const top = box.y + 22 + ROW * scene.rows.length + 10;
  drawLoss(pen, v, theme, { x: box.x, y: top, width: box.width, height: box.y + box.height - top });
}

/**
 * The loss after a step of every rate.
 * @param {Pen} pen
 * @param {{ scene: { loss: (rate: number) => number }, place: { rate: number } }} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawLoss(pen, v, theme, box) {
  const { scene, place } = v;
  const powerAt = (/** @type {number} */ k) => RATES[0] + ((RATES[1] - RATES[0]) * k) / 60;
  const losses = Array.from({ length: 61 }, (_, k) => scene.loss(10 ** powerAt(k)));
  const [start, now] = [scene.loss(0), scene.loss(place.rate)];
  const least = Math.min(...losses, start);
  const most = Math.max(start * 1.15, least + 1e-6); // what a step too far costs may leave the picture
  const area = { x: box.x + 34, y: box.y + 18, width: box.width - 44, height: box.height - 36 };
  const x = (/** @type {number} */ p) => area.x + (area.width * (p - RATES[0])) / (RATES[1] - RATES[0]);
  const y = (/** @type {number} */ loss) => area.y + area.height * (1 - Math.min(1, Math.max(0, (loss - least) / (most - least))));
  pen.text(box.x, box.y + 6, _(now > start ? "Loss {start} → {now} nats: the step is too long" : "Loss {start} → {now} nats",
    { start: short(start), now: short(now) }), { color: now > start ? theme.heads[PUSH] : theme.text, size: 11.5, weight: 600 });
  for (let p = RATES[0]; p <= RATES[1]; p++) {
    pen.line(x(p), area.y, x(p), area.y + area.height, theme.faint);
    pen.text(x(p), area.y + area.height + 9, `${10 ** p}`, { align: "center", color: theme.muted, size: 10 });
  }
  pen.text(box.x + box.width, box.y + 6, _("against the rate"), { align: "right", color: theme.muted, size: 10 });
  pen.line(area.x, y(start), area.x + area.width, y(start), theme.muted, { dash: "4 3" });
  pen.text(area.x - 4, y(start), short(start), { align: "right", color: theme.muted, size: 10 });
  if (y(least) - y(start) > 12) pen.text(area.x - 4, y(least), short(least), { align: "right", color: theme.muted, size: 10 });
  pen.path(`M${losses.map((loss, k) => `${x(powerAt(k)).toFixed(1)} ${y(loss).toFixed(1)}`).join("L")}`, theme.primary, 2);
  pen.circle(x(Math.log10(place.rate)), y(now), 5, now > start ? theme.heads[PUSH] : theme.text);
}

/**
 * The line that the numbers fall on: each word's part by its count, and below by its count to the power 3/4.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 * @param {number} rolling share of the fall that is over
 */
export function drawLine(pen, v, theme, box, rolling) {
  const { arrays, header, place } = v;
  const colors = colorsOf(theme);
  const { rows, numbers } = thrown(header, arrays, place.seed);
  const chosen = new Set(rows);
  const strips = /** @type {[Float32Array, number, string][]} */ (
    [[arrays.shares, box.y + 16, _("by how often it stands in the text")], [arrays.ends, box.y + 48, _("by that to the power ¾: here the numbers fall")]]);
  for (const [ends, y, name] of strips) {
    pen.text(box.x, y - 8, box.width > 500 ? _("Every word's part of the line, {how}", { how: name }) : _("Parts {how}", { how: name }),
      { color: theme.muted, size: 10 });
    for (let w = 0; w < ends.length; w++) {
      const left = box.x + box.width * (w ? ends[w - 1] : 0);
      const width = box.x + box.width * ends[w] - left;
      if (width < 1 && !chosen.has(w)) continue;
      pen.rect(left, y, Math.max(width, 1), 15, chosen.has(w) ? fade(theme.primary, 0.75) : fade(theme.text, w % 2 ? 0.06 : 0.12));
      if (width > textWidth(theme, header.words[w], 10) + 4)
        pen.text(left + width / 2, y + 8, header.words[w], { align: "center", color: chosen.has(w) ? theme.background : theme.muted, size: 10 });
    }
    pen.rect(box.x + 0.5, y, box.width - 1, 15, null, theme.faint);
  }
  numbers.forEach((number, k) => {
    const fall = Math.max(0, Math.min(1, rolling * 1.6 - k * (0.6 / numbers.length)));
    const wander = (1 - fall) * Math.sin(9 * fall + 5 * k) * 40;
    const [x, y] = [box.x + box.width * number + wander, box.y + 64 + 8 * (1 - fall)];
    pen.shape(`M${x} ${y}L${x - 4} ${y + 8}L${x + 4} ${y + 8}Z`, colors.push);
  });
  if (box.width > 700) pen.text(box.x + box.width, box.y + 40, `${numbers.slice(0, 8).map((n) => n.toFixed(3)).join("  ")}${numbers.length > 8 ? " …" : ""}`,
    { align: "right", color: colors.push, size: 10 });
}

/**
 * The caption in words, for screen readers and below the bar.
 * @param {View} v
 */
export function spoken({ scene, place }) {
  const [start, now] = [scene.loss(0), scene.loss(place.rate)];
  return minus(`${scene.said} Loss ${short(start)} → ${short(now)} nats.`);
}
