// @ts-check
// Beside the picture: the chosen word with its neighbours, and what the colours mean.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { colourOf } from "./draw.js";

/** @typedef {import("./view.js").View} View */

/**
 * The chosen word and its neighbours; a click on one walks on to it.
 * @param {View} v
 * @param {(row: number) => void} choose
 */
export function fillPanel(v, choose) {
  const { side } = v.els;
  const { row: chosen, name, place } = v.found;
  if (chosen < 0 && !name) {
    const said = v.header.token ? _("Click a token to see what is nearest to it.") : _("Click a word to see what is nearest to it.");
    side.replaceChildren(make("p", { className: "soft", textContent: said }));
    return;
  }
  const [number, count] = [chosen + 1, v.names.length].map((each) => each.toLocaleString("en"));
  const where = chosen >= 0 ? _("number {number} of {count}", { number, count }) : place ? _("not in the vocabulary: made from its letters") : "";
  const own = chosen >= 0 && v.header.large ? v.points.arrays.groups[chosen] : 0;
  const rows = v.found.near.map((row, k) => {
    const cosine = v.found.cosines[k];
    const bar = make("span", { className: "share" });
    bar.style.width = `${Math.max(0, Math.min(1, cosine)) * 100}%`;
    const group = v.header.large ? v.points.arrays.groups[row] : 0;
    const label = make("span", { className: own && group === own ? "name own" : "name", textContent: v.names[row] });
    return make("button", { type: "button", className: "near", title: _("To {name}", { name: v.names[row] }), onclick: () => choose(row) }, bar,
      dotOf(v, group), label, make("span", { className: "value", textContent: cosine.toFixed(3).replace("-", "−") }));
  });
  const said = own ? _("Nearest, by the cosine of all numbers; in bold those of its category:") : _("Nearest, by the cosine of all numbers:");
  side.replaceChildren(make("b", { className: "chosen", testid: "chosen", textContent: name }), make("div", { className: "soft", textContent: where }),
    ...(own ? [make("div", { className: "soft" }, dotOf(v, own), ` ${v.header.groups[own].name}`)] : []),
    make("div", { className: "soft", textContent: rows.length
    ? (v.header.film ? `${_("At the end of the training:")} ${said}` : said) : _("Its neighbours are on their way …") }), ...rows);
}

/**
 * A group's colour, as the chips of the legend have it; nothing to see for the points that belong to none.
 * @param {View} v
 * @param {number} group
 */
function dotOf(v, group) {
  const dot = make("i", { className: "dot" });
  dot.style.background = v.header.groups[group][v.theme.dark ? "dark" : "light"];
  return dot;
}

/**
 * What the colours mean; a click lights a group alone.
 * @param {View} v
 * @param {() => void} repaint
 */
export function fillLegend(v, repaint) {
  const chips = v.header.groups.map((group, number) => {
    if (!group.light) return null;
    const chip = make("button", { type: "button", className: "chip", title: _("Only {group}; again: all", { group: group.name }),
      "aria-pressed": String(v.only.has(number)) }, dotOf(v, number), group.name);
    chip.onclick = () => {
      if (!v.only.delete(number)) v.only.add(number);
      repaint();
    };
    chip.classList.toggle("dim", !colourOf(v, v.theme, number));
    return chip;
  });
  v.els.legend.replaceChildren(...chips.filter((chip) => chip !== null));
}
