// @ts-check
// One head: where it stands, how far it looks, its tokens, and its strongest passages with the attention on the words.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { fillList, fillText, fillTokens, passageSentence, scrollToPin, shadeText } from "./passage.js";
import { drawHead, headLayout } from "./strips.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").HeadView} HeadView */

const DELAY = 400; // milliseconds without a change until the link learns of it
const SAVED = 980;

/**
 * @param {HeadView} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  Object.assign(v, decode(bytes));
  v.pin = v.header.passage?.pin ?? 0;
  fillTokens(v);
  fillList(v, (top) => v.component.setTriggerValue("act", { do: "passage", top }));
  fillText(v);
  paint(v);
  showPin(v);
  scrollToPin(v);
  announcePicture(v.header.picture);
}

/** @param {HeadView} v */
function paint(v) {
  const width = v.els.canvas.parentElement?.clientWidth ?? 0;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const layout = headLayout(width, v.header.statistics.length);
  drawHead(canvasPen(fit(v.els.canvas, width, layout.height), v.theme), v, layout, v.theme);
  v.els.canvas.setAttribute("aria-label", TEXTS.everyStatisticHead(v.header.title));
}

/** @param {HeadView} v */
function showPin(v) {
  shadeText(v);
  const { passage } = v.header;
  v.els.said.textContent = passage?.link ? passageSentence(v, v.pin) : v.header.title;
  Object.assign(v.root.dataset, { pin: String(v.pin), top: String(v.header.top), head: `${Math.floor(v.header.index / v.header.heads)}.${v.header.index % v.header.heads}` });
}

/**
 * @param {HeadView} v
 * @param {number} pin
 */
function pinWord(v, pin) {
  const { passage } = v.header;
  if (!passage?.link) return;
  v.pin = Math.max(0, Math.min(pin, passage.tokens.length - 1));
  showPin(v);
  v.sendSoon();
}

/** @param {HeadView} v */
function makeText(v) {
  const area = make("div", { className: "words", tabIndex: 0, role: "group", "aria-label": TEXTS.passageArrowKeys, testid: "atlas-words" });
  area.addEventListener("click", ({ target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) pinWord(v, Number(index));
  });
  area.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    pinWord(v, v.pin + step);
  });
  return area;
}

/** @param {HeadView} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = headLayout(SAVED - 32, v.header.statistics.length);
  return figureOf("tlmviz-head", { width: SAVED, height: layout.height + 56, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => drawHead(pen, v, layout, theme));
  });
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {HeadView} */ ({ pin: 0 });
  v.sendSoon = debounce(() => v.component.setTriggerValue("act", { do: "pin", query: v.pin }), DELAY);
  v.els = {
    canvas: make("canvas", { role: "img", testid: "atlas-head" }),
    said: make("p", { className: "said", testid: "atlas-reads" }),
    tokens: make("div", { className: "tokens", testid: "atlas-tokens" }),
    list: make("div", { className: "list", testid: "atlas-list" }),
    text: makeText(v),
    where: make("span", { className: "where" }),
    open: make("a", { className: "open", target: "_blank", rel: "noopener", textContent: TEXTS.openExplorer, testid: "atlas-open" }),
  };
  const bar = make("div", { className: "bar" }, v.els.where, make("span", { className: "tools" }, v.els.open, pictureButton(v, "the upper picture", () => saved(v))));
  v.root = make("div", { className: "atlas", testid: "atlas-one" },
    make("div", { className: "upper" }, make("div", { className: "holder" }, v.els.canvas), v.els.tokens),
    make("div", { className: "lower" }, v.els.list, make("div", {}, v.els.said, v.els.text, bar)));
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {HeadView} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
