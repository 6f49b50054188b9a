// @ts-check
// The panel beside the picture: what the router says of one token in one layer, before and after the bias, and what is mixed.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { clip, digits, visibleAll } from "#canvas/text.js";
import { rowsOf } from "./numbers.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./numbers.js").Row} Row */

const MOST = 12; // experts that have a row

/**
 * The rows that are shown: all, or the best and those that are chosen, in the order of the experts.
 * @param {Row[]} rows
 */
function shownRows(rows) {
  if (rows.length <= MOST) return rows;
  const best = [...rows].sort((a, b) => Number(b.chosen || b.plain) - Number(a.chosen || a.plain) || b.score + b.bias - a.score - a.bias);
  return best.slice(0, MOST).sort((a, b) => a.expert - b.expert);
}

/** @param {View} v */
export function fillPanel(v) {
  const { header, at } = v;
  const rows = rowsOf(header, v.arrays, at.layer, at.token);
  const shown = shownRows(rows);
  const [least, most] = [Math.min(0, ...rows.map((row) => row.score + row.bias)),
    Math.max(1e-9, ...rows.map((row) => Math.max(row.score, row.score + row.bias)))];
  const place = (/** @type {number} */ value) => (100 * (value - least)) / (most - least);
  const title = make("p", { className: "title", testid: "routing-title" },
    make("b", {}, `“\u2068${clip(visibleAll(header.tokens)[at.token], 18)}\u2069”`),
      _(" (token {token}) in layer {layer}", { token: at.token, layer: header.layers[at.layer] }));
  const head = make("div", { className: "expert head" }, ...[
    "", _("score"), header.biased ? _("+ bias") : "", _("weight"), header.biased ? _("bias in mix") : ""].map((text) => make("span", {}, text)));
  const lines = shown.map((row) => expertRow(row, header.biased, place));
  const left = rows.length - shown.length;
  const names = (/** @type {Row[]} */ some) => some.map((row) => row.expert).join(_(" and "));
  const chosen = names(rows.filter((row) => row.chosen));
  const said = [
    header.biased && header.compared ? changeOf(chosen, names(rows.filter((row) => row.plain))) : _("Chosen: {chosen}.", { chosen }),
    ...(header.off ? [_("The router's bias is off in this pass.")] : header.biased ? [] : [_("This router has no bias.")]),
    ...(left ? [_("{left} more experts score lower.", { left })] : []),
    ...(rows.some((row) => !row.kept) ? [_("A crossed expert did not read this token: it was full, or muted.")] : []),
    ...(header.maths && header.biased ? [_("By the notes' formula, softmax over the chosen of logit plus bias, the weights would be {weights}.",
      { weights: rows.filter((row) => row.chosen).map((row) => row.notes.toFixed(3)).join(_(" and ")) })] : []),
  ];
  v.els.panel.replaceChildren(title, head, ...lines, make("p", { className: "saying", testid: "routing-choice" }, said.join(" ")),
    ...(header.biased ? [keyLine(header.compared)] : []));
}

/**
 * @param {string} chosen
 * @param {string} plain
 */
function changeOf(chosen, plain) {
  return chosen === plain ? _("Chosen with the bias and without it: {chosen}.", { chosen }) : _(
    "Chosen with the bias: {chosen}. Without it: {plain}.", { chosen, plain });
}

/**
 * @param {Row} row
 * @param {boolean} biased
 * @param {(value: number) => number} place in per cent of the track
 */
function expertRow(row, biased, place) {
  const track = make("div", { className: "track" });
  const bar = make("i", { className: "score", title: _("score {score}", { score: digits(row.score) }) });
  Object.assign(bar.style, { left: `${place(0)}%`, width: `${Math.max(0, place(row.score) - place(0))}%` });
  track.append(bar);
  if (biased) {
    const after = row.score + row.bias;
    const change = make("i", { className: row.bias < 0 ? "bias less" : "bias", title: _("bias {bias}", { bias: digits(row.bias) }) });
    Object.assign(change.style, { left: `${place(Math.min(row.score, after))}%`,
      width: `${place(Math.max(row.score, after)) - place(Math.min(row.score, after))}%` });
    const end = make("i", { className: "end" });
    end.style.left = `${place(after)}%`;
    track.append(change, end);
  }
  const classes = ["expert", row.chosen ? "chosen" : "", row.chosen !== row.plain && biased ? "turned" : ""].join(" ");
  const parts = [
    make("span", { className: "name" }, `${row.chosen ? (row.kept ? "✓" : "✗") : ""} ${row.expert}`),
    track,
    make("output", {}, biased ? (row.score + row.bias).toFixed(3).replace("-", "−") : row.score.toFixed(3)),
    make("output", { className: "weight" }, row.chosen ? row.weight.toFixed(3) : ""),
    make("output", { className: "mixed" }, row.chosen && biased ? row.mixed.toFixed(3).replace("-", "−") : ""),
  ];
  const line = make("div", { className: classes }, ...parts);
  line.dataset.expert = String(row.expert);
  return line;
}

/** @param {boolean} compared */
function keyLine(compared) {
  return make("p", { className: "key-line" },
    make("i", { className: "key score" }), _(" score of the router "), make("i", { className: "key bias" }), _(" added by the bias "),
      make("i", { className: "key less" }), _(" taken by it"),
    ...(compared ? [_(". An orange frame in the picture: the bias changed this choice.")] : []));
}
