// @ts-check
// One sublayer of one model, enlarged: what it reads of each stream, what it writes to each, and how the streams are mixed.

import { fade, inkOn, rgb } from "#canvas/theme.js";
import { slicesOf, times } from "./numbers.js";
import { HEAD, bandColor, bend } from "./rivers.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Member} Member */
/** @typedef {import("./types").View} View */

const BESIDE = 57; // pixels at either side, for a stream's number and its weight

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 * @param {Member} member
 */
export function drawClose(pen, v, theme, box, member) {
  const { N, pre, post, res } = slicesOf(v, member);
  const p = v.state.sublayer;
  const name = v.header.names[p];
  pen.text(box.x, box.y + 9, `${name} of ${member.title}`, { color: theme.text, weight: 600, size: 12 });
  const top = box.y + HEAD + 4;
  const stage = 22;
  const lane = (box.height - HEAD - stage - 16) / N;
  const unit = Math.min(16, lane * 0.5); // pixels of weight 1
  const [left, right] = [box.x + BESIDE, box.x + box.width - BESIDE];
  const middle = (/** @type {number} */ i) => top + stage + 10 + (i + 0.5) * lane;
  const heart = (left + right) / 2;
  const width = Math.min(box.width * 0.42, 110);
  for (let to = 0; to < N; to++) {
    for (let from = 0; from < N; from++) {
      const value = res[(p * N + to) * N + from];
      if (!(Math.abs(value) >= 0.002)) continue;
      pen.path(bend([left, middle(from)], [right, middle(to)], false), bandColor(v, theme, from, value), Math.max(0.7, Math.abs(value) * unit), 0.45);
    }
  }
  for (let i = 0; i < N; i++) {
    const [read, write] = [pre[p * N + i], post[p * N + i]];
    const door = [heart - width / 2, heart + width / 2];
    if (Math.abs(read) >= 0.01) pen.path(bend([left, middle(i)], [door[0], top + stage / 2], false), bandColor(v, theme, i, read), Math.max(0.7, Math.abs(read) * 4), 0.95);
    if (Math.abs(write) >= 0.01) pen.path(bend([door[1], top + stage / 2], [right, middle(i)], false), bandColor(v, theme, i, write), Math.max(0.7, Math.abs(write) * 4), 0.95);
    pen.text(box.x, middle(i), i, { color: theme.muted, size: 11 });
    pen.text(left - 9, middle(i), times(read), { align: "right", color: theme.text, size: 10.5 });
    pen.text(right + 9, middle(i), times(write), { color: theme.text, size: 10.5 });
    pen.text(box.x + box.width, middle(i), i, { align: "right", color: theme.muted, size: 11 });
  }
  pen.text(left - 9, top + stage / 2, "reads", { align: "right", color: theme.muted, size: 10.5 });
  pen.text(right + 9, top + stage / 2, "writes", { color: theme.muted, size: 10.5 });
  for (let i = 0; i < N; i++) number(pen, theme, heart, middle(i), diagonal(res, p, N, i)); // above all lines
  const fill = p % 2 === 0 ? theme.primary : theme.dark ? "#8b93a3" : "#6d7688";
  pen.rect(heart - width / 2, top, width, stage, fill);
  pen.text(heart, top + stage / 2, name, { align: "center", color: inkOn(rgb(fill)), size: 12, weight: 600 });
}

/**
 * The entry that carries a stream on, and the sum of its row where others flow in.
 * @param {Float32Array} res
 * @param {number} p
 * @param {number} N
 * @param {number} i
 */
function diagonal(res, p, N, i) {
  const row = Array.from(res.subarray((p * N + i) * N, (p * N + i + 1) * N));
  return N === 1 ? times(row[0]) : `${times(row[i])}, row sum ${times(row.reduce((a, b) => a + b, 0))}`;
}

/**
 * A number on a ground that keeps it readable above a band.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {number} x its middle
 * @param {number} y
 * @param {string} text
 */
function number(pen, theme, x, y, text) {
  const width = 6.1 * text.length;
  pen.rect(x - width / 2 - 1, y - 6.5, width + 2, 13, fade(theme.background, 0.72));
  pen.text(x, y, text, { align: "center", color: theme.text, size: 10.5 });
}
