// @ts-check
// The reader against the beam: the tokens to choose from, and log P of all texts as they grow.

import { make } from "#canvas/dom.js";
import { clip, minus, visible } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Duel} Duel */

export const CHART = 190; // pixels of the chart's height
const YOU = "you";

/**
 * Running sums of log-probabilities, from 0.
 * @param {number[]} logps
 */
export function sumsOf(logps) {
  let sum = 0;
  return [0, ...logps.map((logp) => (sum += logp))];
}

/**
 * Every text of the duel: the rivals, and the reader's.
 * @param {Duel} duel
 */
function courses(duel) {
  return [...duel.rivals.map(({ name, logps }) => ({ name, sums: sumsOf(logps) })), { name: YOU, sums: sumsOf(duel.logps) }];
}

/**
 * log P of every text against its length.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ x: number, y: number, width: number, height: number }} box
 */
export function drawDuel(pen, v, theme, box) {
  const lines = courses(v.data.duel);
  const longest = Math.max(...lines.map(({ sums }) => sums.length - 1));
  const least = Math.min(-1, ...lines.flatMap(({ sums }) => sums));
  const [left, top, width, height] = [box.x + 34, box.y + 24, box.width - 120, box.height - 44];
  const px = (/** @type {number} */ t) => left + (width * t) / longest;
  const py = (/** @type {number} */ value) => top + (height * value) / least;
  const small = { color: theme.muted, size: 11 };
  pen.text(box.x, box.y + 8, TEXTS.logPText, { color: theme.text, size: 12 });
  for (const value of [0, least / 2, least]) {
    pen.line(left, py(value), left + width, py(value), theme.faint);
    pen.text(left - 4, py(value), minus(value.toFixed(1)), { ...small, align: "right" });
  }
  pen.text(left, top + height + 12, "0", { ...small, align: "center" });
  pen.text(left + width, top + height + 12, String(longest), { ...small, align: "center" });
  /** @type {number[]} */
  const taken = [];
  lines.forEach(({ name, sums }, k) => {
    const color = name === YOU ? v.data.warm[theme.dark ? "dark" : "light"] : theme.heads[k === 0 ? 2 : 0];
    const points = sums.map((value, t) => `${px(t)} ${py(value)}`);
    if (sums.length > 1) pen.path(`M${points.join("L")}`, color, name === YOU ? 2.5 : 1.6, 1, name === "greedy" ? "5 4" : "");
    sums.forEach((value, t) => pen.circle(px(t), py(value), name === YOU ? 3 : 2, color));
    let y = py(sums[sums.length - 1]);
    while (taken.some((other) => Math.abs(other - y) < 13)) y += 13; // names lie below each other
    taken.push(y);
    pen.text(px(sums.length - 1) + 8, y, name, { color, size: 12, weight: name === YOU ? 600 : 400 });
  });
}

/**
 * Who is ahead: by score once the reader's text is complete, until then by log P at the same length.
 * @param {Duel} duel
 */
export function verdict(duel) {
  const rivals = duel.rivals.map(({ name, score }) => `${name} ${minus(score.toFixed(3))}`).join(", ");
  if (duel.ended) {
    const beaten = duel.rivals.filter(({ score }) => duel.score > score + 1e-3).map(({ name }) => name);
    const equal = duel.rivals.filter(({ score }) => Math.abs(duel.score - score) <= 1e-3).map(({ name }) => name);
    const result = [beaten.length ? `You beat ${beaten.join(" and ")}` : "", equal.length ? `level with ${equal.join(" and ")}` : ""].filter(Boolean).join(", ");
    return `${result || "Beaten by both"}: your score ${minus(duel.score.toFixed(3))}; ${rivals}.`.replace("Beaten by both", duel.rivals.length > 1 ? "Beaten by both" : "Beaten");
  }
  const t = duel.logps.length;
  if (t === 0) return TEXTS.chooseFirstToken(rivals);
  const own = sumsOf(duel.logps)[t];
  const beside = duel.rivals.map(({ name, logps }) => `${name} ${logps.length < t ? "is complete" : minus(sumsOf(logps)[t].toFixed(3))}`);
  return TEXTS.afterTokenLog(t, minus(own.toFixed(3)), beside.join(", "));
}

/**
 * A button for each token that can follow.
 * @param {Duel} duel
 * @param {(token: number) => void} choose
 */
export function offerButtons(duel, choose) {
  return duel.offers.map(({ token, name, p }) => {
    const share = make("span", { className: "share", textContent: p < 0.001 ? p.toExponential(0) : p.toFixed(3) });
    const button = make("button", { type: "button", title: `Write “${visible(name)}”, p ${p.toPrecision(4)}`, onclick: () => choose(token) }, clip(visible(name), 16), " ", share);
    button.style.setProperty("--p", `${(100 * p).toFixed(1)}%`);
    return button;
  });
}
