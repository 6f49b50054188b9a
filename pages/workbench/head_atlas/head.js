// @ts-check
// One head: where it stands, how far it looks, its tokens, and its strongest passages with the attention on the words.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { fillList, fillText, fillTokens, passageSentence, pinOf, scrollToPin, shadeText } from "./passage.js";
import { drawHead, headLayout, headTitle } from "./strips.js";

/** @typedef {import("./passage.js").HeadView} HeadView */

/** @param {HeadView} v @param {number} pin */
function pinWord(v, pin) {
  const { passage } = v.header;
  if (passage?.link) go(v, { pin: Math.max(0, Math.min(pin, passage.tokens.length - 1)) });
}

/** @param {HeadView} v */
function makeText(v) {
  const area = make("div", { className: "words", tabIndex: 0, role: "group", "aria-label": _("The passage. Arrow keys frame another word."),
    testid: "atlas-words" });
  area.addEventListener("click", ({ target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) pinWord(v, Number(index));
  });
  area.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    pinWord(v, pinOf(v) + step);
  });
  return area;
}

export default live({
  id: "atlas-one",
  build(v) {
    v.els = {
      canvas: make("canvas", { role: "img", testid: "atlas-head" }),
      said: make("p", { className: "said", testid: "atlas-reads" }),
      tokens: make("div", { className: "tokens", testid: "atlas-tokens" }),
      list: make("div", { className: "list", testid: "atlas-list" }),
      text: makeText(v),
      where: make("span", { className: "where" }),
      open: make("a", { className: "open", target: "_blank", rel: "noopener", textContent: _("Open in the explorer"), testid: "atlas-open" }),
    };
    const count = () => v.header.statistics.length;
    const save = saving(v, "tlmviz-head", { height: (width) => headLayout(width, count()).height,
      draw: (pen, theme, width) => drawHead(pen, v, headLayout(width, count()), theme), width: 980 });
    return [
      make("div", { className: "upper" }, make("div", { className: "panel" }, v.els.canvas), v.els.tokens),
      make("div", { className: "lower" }, v.els.list, make(
        "div", {}, v.els.said, v.els.text, make("div", { className: "bar" }, v.els.where, v.els.open, save))),
    ];
  },
  fit(v) {
    fillTokens(v);
    fillList(v, (top) => ask(v, { top, pin: null }));
    fillText(v);
    v.scroll = true;
  },
  paint(v) {
    const layout = headLayout(widthOf(v.els.canvas), v.header.statistics.length);
    drawHead(penOf(v, v.els.canvas, layout.height), v, layout, v.theme);
    const { title, passage, shown, index, heads } = v.header;
    v.els.canvas.setAttribute("aria-label", _("{title}. Every statistic of this head among those of all heads, and its weight by distance.", { title }));
    shadeText(v);
    if (v.scroll) scrollToPin(v);
    v.scroll = false;
    v.els.said.textContent = passage?.link ? passageSentence(v) : headTitle(v.header);
    Object.assign(v.root.dataset, { pin: String(pinOf(v)), top: String(shown), head: `${Math.floor(index / heads)}.${index % heads}` });
  },
});
