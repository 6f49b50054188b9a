// @ts-check
// The reader against the beam: the tokens to choose from, and log P of all texts as they grow.

import { make } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { clip, minus, scientific, visible } from "#canvas/text.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Duel} Duel */

export const CHART = 190; // pixels of the chart's height
const YOU = "you"; // the name of the reader's line in the code

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
  const lines = courses(v.header.duel);
  const longest = Math.max(...lines.map(({ sums }) => sums.length - 1));
  const least = Math.min(-1, ...lines.flatMap(({ sums }) => sums));
  const [left, top, width, height] = [box.x + 34, box.y + 24, box.width - 120, box.height - 44];
  const px = (/** @type {number} */ t) => left + (width * t) / longest;
  const py = (/** @type {number} */ value) => top + (height * value) / least;
  const small = { color: theme.muted, size: 11 };
  pen.text(box.x, box.y + 8, _("log P of the text so far (nats) by number of tokens"), { color: theme.text, size: 12 });
  for (const value of [0, least / 2, least]) {
    pen.line(left, py(value), left + width, py(value), theme.faint);
    pen.text(left - 4, py(value), minus(value.toFixed(1)), { ...small, align: "right" });
  }
  pen.text(left, top + height + 12, "0", { ...small, align: "center" });
  pen.text(left + width, top + height + 12, String(longest), { ...small, align: "center" });
  /** @type {number[]} */
  const taken = [];
  lines.forEach(({ name, sums }, k) => {
    const color = name === YOU ? v.header.warm[theme.dark ? "dark" : "light"] : theme.heads[k === 0 ? 2 : 0];
    const points = sums.map((value, t) => `${px(t)} ${py(value)}`);
    if (sums.length > 1) pen.path(`M${points.join("L")}`, color, name === YOU ? 2.5 : 1.6, 1, k === 0 ? "5 4" : "");
    sums.forEach((value, t) => pen.circle(px(t), py(value), name === YOU ? 3 : 2, color));
    let y = py(sums[sums.length - 1]);
    while (taken.some((other) => Math.abs(other - y) < 13)) y += 13; // names lie below each other
    taken.push(y);
    pen.text(px(sums.length - 1) + 8, y, name === YOU ? _("you") : name, { color, size: 12, weight: name === YOU ? 600 : 400 });
  });
}

/**
 * Who is ahead: by score once the reader's text is complete, until then by log P at the same length.
 * @param {Duel} duel
 */
export function verdict(duel) {
  const rivals = duel.rivals.map(({ name, score }) => `${name} ${minus(score.toFixed(3))}`).join(", ");
  const { score } = duel;
  if (score !== null) {
    const named = (/** @type {(other: number) => boolean} */ fits) => duel.rivals.filter((rival) => fits(rival.score)).map(({ name }) => name).join(_(" and "));
    const beaten = named((other) => score > other + 1e-3);
    const equal = named((other) => Math.abs(score - other) <= 1e-3);
    const won = beaten && equal ? _("You beat {beaten}, level with {equal}", { beaten, equal }) : beaten
      ? _("You beat {beaten}", { beaten }) : equal && _("level with {equal}", { equal });
    const result = won || (duel.rivals.length > 1 ? _("Beaten by both") : _("Beaten"));
    return _("{result}: your score {score}; {rivals}.", { result, score: minus(score.toFixed(3)), rivals });
  }
  const t = duel.logps.length;
  if (t === 0) return _("Choose the first token, and go on until ⟨end⟩. To beat, by score: {rivals}.", { rivals });
  const own = minus(sumsOf(duel.logps)[t].toFixed(3));
  const beside = duel.rivals.map(({ name, logps }) => (logps.length < t
    ? _("{name} is complete", { name }) : `${name} ${minus(sumsOf(logps)[t].toFixed(3))}`)).join(", ");
  return ngettext("After {n} token your log P is {own}; {beside}.", "After {n} tokens your log P is {own}; {beside}.", t, { own, beside });
}

/**
 * A button for each token that can follow.
 * @param {Duel} duel
 * @param {(token: number) => void} choose
 */
export function offerButtons(duel, choose) {
  return duel.offers.map(({ token, name, p }) => {
    const share = make("span", { className: "share", textContent: p < 0.001 ? scientific(p, 1) : p.toFixed(3) });
    const button = make("button", { type: "button", title: _("Write “{token}”, p {p}", { token: visible(name), p: p.toPrecision(4) }),
      onclick: () => choose(token) }, clip(visible(name), 16), " ", share);
    button.style.setProperty("--p", `${(100 * p).toFixed(1)}%`);
    return button;
  });
}
