// @ts-check
// The streams of one model through all sublayers: bands along the depth, sublayers beside them, reading and writing.

import { round } from "#canvas/pens.js";
import { minus } from "#canvas/text.js";
import { fade, inkOn, rgb, textWidth } from "#canvas/theme.js";
import { bandsOf, furthestFromIdentity } from "./coefficients.js";
import { slicesOf, times } from "./numbers.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Member} Member */
/** @typedef {import("./types").Plan} Plan */
/** @typedef {import("./types").View} View */

export const HEAD = 20; // pixels of a title
const ENDS = 46; // pixels for the names before and the numbers behind the streams
const TAP = 3.2; // pixels of a line that reads or writes with weight 1
const LEAST = 0.004; // weight below which a band or a line is left out

/**
 * A curve between two points that leaves and arrives along the depth.
 * @param {number[]} from
 * @param {number[]} to
 * @param {boolean} upright depth downwards
 */
export function bend([x1, y1], [x2, y2], upright) {
  const [dx, dy] = upright ? [0, (y2 - y1) / 2] : [(x2 - x1) / 2, 0];
  return `M${round(x1)} ${round(y1)}C${round(x1 + dx)} ${round(y1 + dy)} ${round(x2 - dx)} ${round(y2 - dy)} ${round(x2)} ${round(y2)}`;
}

/**
 * The colour of a stream's band.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} stream
 * @param {number} value
 */
export function bandColor(v, theme, stream, value) {
  return value < 0 ? v.header.warm[theme.dark ? "dark" : "light"] : theme.heads[stream % theme.heads.length];
}

/**
 * A colour over a ground, opaque: bands overlap at their ends, where transparent ones would leave dark spots.
 * @param {string} color
 * @param {string} ground
 */
function mixed(color, ground) {
  const under = rgb(ground);
  return `rgb(${rgb(color).map((c, k) => Math.round(0.7 * c + 0.3 * under[k]))})`;
}

/**
 * Where a model is drawn: at which pixel its first sublayer begins, and how long one is.
 * @param {View} v
 * @param {Member} member
 * @param {Box} box
 * @param {boolean} upright
 * @returns {Plan}
 */
export function planRiver(v, member, box, upright) {
  const [origin, length] = upright ? [box.y + HEAD + 16, box.height - HEAD - 34] : [box.x + ENDS, box.width - 2 * ENDS];
  return { kind: member.kind, box, upright, start: origin, step: length / v.P };
}

/**
 * One model's streams; `unit` is the width of weight 1 as a share of the room that a stream has.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Plan} plan
 * @param {Member} member
 * @param {number} unit
 */
export function drawRiver(pen, v, theme, plan, member, unit) {
  const slices = slicesOf(v, member);
  const { bands, places } = bandsOf(slices, v.state.widths === "carried");
  const { box, upright, start, step } = plan;
  const near = upright ? box.x + 4 : box.y + HEAD; // the side at which the sublayers stand
  const across = upright ? box.width - 8 : box.height - HEAD - 4;
  const stage = Math.min(20, across * 0.2);
  const lane = (across - stage - 6) / slices.N;
  const at = (/** @type {number} */ depth, /** @type {number} */ side) => (upright ? [side, start + depth * step] : [start + depth * step, side]);
  const middle = (/** @type {number} */ i) => near + stage + 6 + (i + 0.5) * lane;
  heading(pen, v, theme, box, member, places[v.P]);
  const { sublayer } = v.state;
  const [x, y] = at(sublayer, near - 1);
  pen.rect(x, y, upright ? across + 2 : step, upright ? step : across + 2, fade(theme.primary, 0.13));
  bands.forEach((own, p) => {
    for (const { from, to, value } of [...own].sort((a, b) => Math.abs(a.value) - Math.abs(b.value))) {
      if (!(Math.abs(value) >= LEAST)) continue;
      pen.path(bend(at(p - 0.02, middle(from)), at(p + 1.02, middle(to)), upright), mixed(bandColor(v, theme, from, value), theme.background), Math.max(0.8, Math.abs(value) * unit * lane));
    }
  });
  for (let p = 0; p < v.P; p++) {
    const chosen = p === sublayer;
    const heart = at(p + 0.5, near + stage / 2);
    for (let i = 0; i < slices.N; i++) {
      tap(pen, v, theme, bend(at(p, middle(i)), heart, upright), i, slices.pre[p * slices.N + i], chosen, step);
      tap(pen, v, theme, bend(heart, at(p + 1, middle(i)), upright), i, slices.post[p * slices.N + i], chosen, step);
    }
    stageBox(pen, v, theme, heart, p, Math.min(stage, step * 0.8, 18));
  }
  endLabels(pen, theme, plan, slices.N, places[v.P], middle);
}

/**
 * A line by which a sublayer reads or writes, where its weight is large enough.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {string} d
 * @param {number} stream
 * @param {number} weight
 * @param {boolean} chosen
 * @param {number} step pixels of a sublayer: where they are few, lines would hide the bands
 */
function tap(pen, v, theme, d, stream, weight, chosen, step) {
  if (!(Math.abs(weight) >= 0.03)) return;
  const color = chosen ? bandColor(v, theme, stream, weight) : theme.text;
  pen.path(d, color, Math.max(0.5, Math.min(3, Math.abs(weight)) * (chosen ? 1.4 * TAP : TAP * 0.5)), chosen ? 0.9 : step < 18 ? 0.1 : 0.26);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number[]} heart
 * @param {number} p
 * @param {number} size
 */
function stageBox(pen, v, theme, [x, y], p, size) {
  const attention = p % 2 === 0;
  const fill = attention ? theme.primary : theme.dark ? "#8b93a3" : "#6d7688";
  pen.rect(x - size / 2, y - size / 2, size, size, fill, p === v.state.sublayer ? theme.text : theme.background, { width: p === v.state.sublayer ? 2 : 1 });
  if (size >= 11) pen.text(x, y, attention ? "A" : "M", { align: "center", color: inkOn(rgb(fill)), size: size * 0.6, weight: 600 });
}

/**
 * The model's name, and what is measured of it at this token.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 * @param {Member} member
 * @param {Float64Array} last
 */
function heading(pen, v, theme, box, member, last) {
  pen.text(box.x, box.y + 9, member.title, { color: theme.text, weight: 600, size: 13 });
  const far = furthestFromIdentity(slicesOf(v, member));
  const left = v.state.widths === "carried" ? TEXTS.embeddingCarriedEnd(times(Math.min(...last)), times(Math.max(...last))) : TEXTS.sumsLastRows(times(Math.min(...last)), times(Math.max(...last)));
  const note = member.streams === 1 ? TEXTS.streamEveryMatrix(member.model) : TEXTS.hResOff(member.model, left, times(far));
  const x = box.x + textWidth(theme, member.title, 13, 600) + 8;
  const room = box.x + box.width - x;
  for (const text of [note, member.model, ""]) {
    if (textWidth(theme, text, 11) > room) continue;
    pen.text(x, box.y + 9.5, text, { color: theme.muted, size: 11 });
    return;
  }
}

/**
 * The streams' numbers before their beginning, and what they hold behind their end.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Plan} plan
 * @param {number} N
 * @param {Float64Array} last
 * @param {(stream: number) => number} middle
 */
function endLabels(pen, theme, { box, upright, start, step }, N, last, middle) {
  const end = upright ? box.y + box.height - 9 : box.x + box.width - ENDS + 7;
  for (let i = 0; i < N; i++) {
    const text = times(last[i]);
    if (upright) {
      pen.text(middle(i), start - 8, i, { align: "center", color: theme.muted, size: 10.5 });
      pen.text(middle(i), end, N > 1 ? minus(last[i].toFixed(1)) : text, { align: "center", color: theme.text, size: N > 1 ? 9.5 : 10.5 });
    } else {
      pen.text(start - 7, middle(i), N === 1 ? "stream" : `x${"₀₁₂₃₄₅₆₇₈₉"[i] ?? i}`, { align: "right", color: theme.muted, size: 11 });
      pen.text(end, middle(i), `× ${text}`, { color: theme.text, size: 10.5 });
    }
  }
}
