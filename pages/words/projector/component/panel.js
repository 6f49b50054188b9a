// @ts-check
// Beside the picture: the chosen word with its neighbours, and what the colours mean.

import { make } from "#canvas/dom.js";
import { colourOf } from "./draw.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

/**
 * The chosen word and its neighbours; a click on one walks on to it.
 * @param {View} v
 * @param {(row: number) => void} choose
 */
export function fillPanel(v, choose) {
  const away = v.row < 0 && v.marks?.place && v.marks.space === v.header.space ? v.marks.name : null;
  const name = v.row >= 0 ? v.names[v.row] : away;
  if (name === null) {
    v.panel.replaceChildren(make("p", { className: "soft", textContent: TEXTS.clickSeeWhat(v.header.kind) }));
    return;
  }
  const place = v.row >= 0 ? `number ${(v.row + 1).toLocaleString("en")} of ${v.names.length.toLocaleString("en")}` : TEXTS.notVocabularyMade;
  const rows = v.near.map((row, k) => {
    const cosine = v.cosines[k];
    const bar = make("span", { className: "bar" });
    bar.style.width = `${Math.max(0, Math.min(1, cosine)) * 100}%`;
    const label = make("span", { className: "name", textContent: v.names[row] });
    return make("button", { type: "button", className: "near", title: `To ${v.names[row]}`, onclick: () => choose(row) }, bar, label, make("span", { className: "value", textContent: cosine.toFixed(3).replace("-", "−") }));
  });
  v.panel.replaceChildren(make("b", { className: "chosen", testid: "chosen", textContent: name }), make("div", { className: "soft", textContent: place }), make("div", { className: "soft", textContent: rows.length ? TEXTS.nearestCosineAll : TEXTS.neighboursTheirWay }), ...rows);
}

/**
 * What the colours mean; a click lights a group alone.
 * @param {View} v
 * @param {() => void} repaint
 */
export function fillLegend(v, repaint) {
  const chips = v.header.groups.map((group, number) => {
    if (!group.light) return null;
    const dot = make("i");
    dot.style.background = group[v.theme.dark ? "dark" : "light"];
    const chip = make("button", { type: "button", className: "chip", title: `Only ${group.name}; again: all`, "aria-pressed": String(v.only.has(number)) }, dot, group.name);
    chip.onclick = () => {
      if (!v.only.delete(number)) v.only.add(number);
      repaint();
    };
    chip.classList.toggle("dim", !colourOf(v, v.theme, number));
    return chip;
  });
  v.legend.replaceChildren(...chips.filter((chip) => chip !== null));
}
