// @ts-check
// The streams of one model through all sublayers, and one sublayer enlarged: what it reads, writes, and how streams are mixed.

import { _ } from "#canvas/language.js";
import { round } from "#canvas/pens.js";
import { minus } from "#canvas/text.js";
import { fade, inkOn, rgb, textWidth } from "#canvas/theme.js";
import { sublayerOf, warmOf } from "../places.js";
import { bandsOf, furthestFromIdentity, times } from "./matrices.js";
import { slicesOf } from "./view.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("../places.js").Box} Box */
/** @typedef {import("./view.js").Member} Member */
/** @typedef {import("./view.js").View} View */
/** Where the sublayers of one model lie. @typedef {{ kind: string, box: Box, upright: boolean, step: number, start: number }} Plan */

const HEAD = 20; // pixels of a title
const ENDS = 46; // pixels for the names before and the numbers behind the streams
const BESIDE = 57; // pixels at either side of an enlarged sublayer, for a stream's number and its weight
const TAP = 3.2; // pixels of a line that reads or writes with weight 1
const LEAST = 0.004; // weight below which a band or a line is left out

/** A curve between two points that leaves and arrives along the depth. @param {number[]} from @param {number[]} to @param {boolean} upright */
function bend([x1, y1], [x2, y2], upright) {
  const [dx, dy] = upright ? [0, (y2 - y1) / 2] : [(x2 - x1) / 2, 0];
  return `M${round(x1)} ${round(y1)}C${round(x1 + dx)} ${round(y1 + dy)} ${round(x2 - dx)} ${round(y2 - dy)} ${round(x2)} ${round(y2)}`;
}

/** @param {View} v @param {Theme} theme @param {number} stream @param {number} value */
const bandColor = (v, theme, stream, value) => (value < 0 ? warmOf(v, theme) : theme.heads[stream % theme.heads.length]);

/** A colour over a ground, opaque: bands overlap at their ends, where transparent ones would leave dark spots. @param {string} color @param {string} ground */
function mixed(color, ground) {
  const under = rgb(ground);
  return `rgb(${rgb(color).map((c, k) => Math.round(0.7 * c + 0.3 * under[k]))})`;
}

/** @param {Theme} theme @param {number} p */
const stageColor = (theme, p) => (p % 2 === 0 ? theme.primary : theme.dark ? "#8b93a3" : "#6d7688");

/** @param {View} v @param {Member} member @param {Box} box @param {boolean} upright depth downwards @returns {Plan} */
export function planRiver(v, member, box, upright) {
  const [start, length] = upright ? [box.y + HEAD + 16, box.height - HEAD - 34] : [box.x + ENDS, box.width - 2 * ENDS];
  return { kind: member.kind, box, upright, start, step: length / v.header.names.length };
}

/**
 * One model's streams; `unit` is the width of weight 1 as a share of the room that a stream has.
 * @param {Pen} pen @param {View} v @param {Theme} theme @param {Plan} plan @param {Member} member @param {number} unit
 */
export function drawRiver(pen, v, theme, plan, member, unit) {
  const { N, P, pre, post, ...slices } = slicesOf(v, member);
  const { bands, places } = bandsOf({ N, P, pre, post, ...slices }, v.place.widths === "carried");
  const { box, upright, start, step } = plan;
  const near = upright ? box.x + 4 : box.y + HEAD; // the side at which the sublayers stand
  const across = upright ? box.width - 8 : box.height - HEAD - 4;
  const stage = Math.min(20, across * 0.2);
  const lane = (across - stage - 6) / N;
  const at = (/** @type {number} */ depth, /** @type {number} */ side) => (upright ? [side, start + depth * step] : [start + depth * step, side]);
  const middle = (/** @type {number} */ i) => near + stage + 6 + (i + 0.5) * lane;
  heading(pen, v, theme, box, member, places[P]);
  const chosen = sublayerOf(v);
  const [x, y] = at(chosen, near - 1);
  pen.rect(x, y, upright ? across + 2 : step, upright ? step : across + 2, fade(theme.primary, 0.13));
  bands.forEach((own, p) => [...own].sort((a, b) => Math.abs(a.value) - Math.abs(b.value)).forEach(({ from, to, value }) => {
    if (!(Math.abs(value) >= LEAST)) return;
    const color = mixed(bandColor(v, theme, from, value), theme.background);
    pen.path(bend(at(p - 0.02, middle(from)), at(p + 1.02, middle(to)), upright), color, Math.max(0.8, Math.abs(value) * unit * lane));
  }));
  for (let p = 0; p < P; p++) {
    const heart = at(p + 0.5, near + stage / 2);
    const tap = (/** @type {number[]} */ from, /** @type {number[]} */ to, /** @type {number} */ i, /** @type {number} */ weight) => {
      if (!(Math.abs(weight) >= 0.03)) return;
      // many lines would hide the bands
      const [color, wide, alpha] = p === chosen ? [bandColor(v, theme, i, weight), 1.4 * TAP, 0.9] : [theme.text, 0.5 * TAP, step < 18 ? 0.1 : 0.26];
      pen.path(bend(from, to, upright), color, Math.max(0.5, Math.min(3, Math.abs(weight)) * wide), alpha);
    };
    for (let i = 0; i < N; i++) {
      tap(at(p, middle(i)), heart, i, pre[p * N + i]);
      tap(heart, at(p + 1, middle(i)), i, post[p * N + i]);
    }
    const [size, fill] = [Math.min(stage, step * 0.8, 18), stageColor(theme, p)];
    pen.rect(heart[0] - size / 2, heart[1] - size / 2, size, size, fill, p === chosen ? theme.text : theme.background, { width: p === chosen ? 2 : 1 });
    if (size >= 11) pen.text(heart[0], heart[1], "AM"[p % 2], { align: "center", color: inkOn(rgb(fill)), size: size * 0.6, weight: 600 });
  }
  endLabels(pen, theme, plan, N, places[P], middle);
}

/** The model's name, and what is measured of it at this token. @param {Pen} pen @param {View} v @param {Theme} theme @param {Box} box @param {Member} member
 * @param {Float64Array} last */
function heading(pen, v, theme, box, member, last) {
  const { model, title } = member;
  pen.text(box.x, box.y + 9, title, { color: theme.text, weight: 600, size: 13 });
  const ends = { model, min: times(Math.min(...last)), max: times(Math.max(...last)), far: times(furthestFromIdentity(slicesOf(v, member))) };
  const note = member.streams === 1 ? _("{model} · one stream, every matrix is 1", ends)
    : v.place.widths === "carried" ? _("{model} · embedding carried to the end × {min} to × {max} · an entry of H_res off the identity by {far} at most", ends)
      : _("{model} · sums of the last rows {min} to {max} · an entry of H_res off the identity by {far} at most", ends);
  const x = box.x + textWidth(theme, title, 13, 600) + 8;
  const fits = [note, model, ""].find((text) => textWidth(theme, text, 11) <= box.x + box.width - x);
  pen.text(x, box.y + 9.5, fits ?? "", { color: theme.muted, size: 11 });
}

/** The streams' numbers before their beginning, and what they hold behind their end. @param {Pen} pen @param {Theme} theme @param {Plan} plan
 * @param {number} N @param {Float64Array} last @param {(stream: number) => number} middle */
function endLabels(pen, theme, { box, upright, start }, N, last, middle) {
  for (let i = 0; i < N; i++) {
    const text = times(last[i]);
    if (upright) {
      pen.text(middle(i), start - 8, i, { align: "center", color: theme.muted, size: 10.5 });
      pen.text(middle(i), box.y + box.height - 9, N > 1 ? minus(last[i].toFixed(1)) : text, { align: "center", color: theme.text, size: N > 1 ? 9.5 : 10.5 });
    } else {
      pen.text(start - 7, middle(i), N === 1 ? _("stream") : `x${"₀₁₂₃₄₅₆₇₈₉"[i] ?? i}`, { align: "right", color: theme.muted, size: 11 });
      pen.text(box.x + box.width - ENDS + 7, middle(i), `× ${text}`, { color: theme.text, size: 10.5 });
    }
  }
}

/** One sublayer of one model, enlarged. @param {Pen} pen @param {View} v @param {Theme} theme @param {Box} box @param {Member} member */
export function drawClose(pen, v, theme, box, member) {
  const { N, pre, post, res } = slicesOf(v, member);
  const p = sublayerOf(v);
  const name = v.header.names[p];
  pen.text(box.x, box.y + 9, _("{name} of {title}", { name, title: member.title }), { color: theme.text, weight: 600, size: 12 });
  const [top, stage] = [box.y + HEAD + 4, 22];
  const lane = (box.height - HEAD - stage - 16) / N;
  const unit = Math.min(16, lane * 0.5); // pixels of weight 1
  const [left, right, width] = [box.x + BESIDE, box.x + box.width - BESIDE, Math.min(box.width * 0.42, 110)];
  const [heart, middle] = [(left + right) / 2, (/** @type {number} */ i) => top + stage + 10 + (i + 0.5) * lane];
  const curve = (/** @type {number[]} */ from, /** @type {number[]} */ to, /** @type {number} */ stream, /** @type {number} */ value,
    /** @type {number} */ least, /** @type {number} */ wide, /** @type {number} */ alpha) => {
    if (Math.abs(value) >= least) pen.path(bend(from, to, false), bandColor(v, theme, stream, value), Math.max(0.7, Math.abs(value) * wide), alpha);
  };
  for (let k = 0; k < N * N; k++) curve([left, middle(k % N)], [right, middle(Math.floor(k / N))], k % N, res[p * N * N + k], 0.002, unit, 0.45);
  const small = (/** @type {string} */ color, align = /** @type {"left" | "right"} */ ("left"), size = 10.5) => ({ align, color, size });
  for (let i = 0; i < N; i++) {
    const [read, write] = [pre[p * N + i], post[p * N + i]];
    curve([left, middle(i)], [heart - width / 2, top + stage / 2], i, read, 0.01, 4, 0.95);
    curve([heart + width / 2, top + stage / 2], [right, middle(i)], i, write, 0.01, 4, 0.95);
    pen.text(box.x, middle(i), i, small(theme.muted, "left", 11));
    pen.text(left - 9, middle(i), times(read), small(theme.text, "right"));
    pen.text(right + 9, middle(i), times(write), small(theme.text));
    pen.text(box.x + box.width, middle(i), i, small(theme.muted, "right", 11));
  }
  pen.text(left - 9, top + stage / 2, _("reads"), small(theme.muted, "right"));
  pen.text(right + 9, top + stage / 2, _("writes"), small(theme.muted));
  for (let i = 0; i < N; i++) { // above all lines, on a ground that keeps it readable
    const row = Array.from(res.subarray((p * N + i) * N, (p * N + i + 1) * N));
    const text = N === 1 ? times(row[0]) : _("{own}, row sum {sum}", { own: times(row[i]), sum: times(row.reduce((a, b) => a + b, 0)) });
    pen.rect(heart - 3.05 * text.length - 1, middle(i) - 6.5, 6.1 * text.length + 2, 13, fade(theme.background, 0.72));
    pen.text(heart, middle(i), text, { align: "center", color: theme.text, size: 10.5 });
  }
  pen.rect(heart - width / 2, top, width, stage, stageColor(theme, p));
  pen.text(heart, top + stage / 2, name, { align: "center", color: inkOn(rgb(stageColor(theme, p))), size: 12, weight: 600 });
}
