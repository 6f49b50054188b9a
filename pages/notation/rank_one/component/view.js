// @ts-check
// A matrix as a sum of outer products: state, DOM, playing. Everything is answered here.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { cellAt, countAt, drawTerms, layoutOf } from "./drawing.js";
import { addTerms, cellSentence, errorsOf, opened, sumSentence } from "./terms.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Way} Way */

const DELAY = 400; // milliseconds without a change until the link learns of it
const PLAYED = 7000; // milliseconds of a whole sum
const BEAT = 60; // of one term, at least
const SAVED = 1100; // pixels of a saved figure

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const data = opened(decode(bytes));
  const { header } = data;
  const key = header.origin === v.header?.origin ? v.way.key : header.way;
  const fresh = header.origin !== v.header?.origin;
  Object.assign(v, data, { hover: null, summedOf: "" });
  v.way = header.ways.find((each) => each.key === key) ?? header.ways[0];
  if (fresh) Object.assign(v, { count: header.count, sorted: header.sorted });
  rest(v);
  v.count = Math.max(0, Math.min(v.count, v.way.count));
  paint(v);
  announcePicture(header.picture);
}

/**
 * @param {View} v
 * @param {Partial<View>} change
 */
function set(v, change) {
  Object.assign(v, change);
  v.count = Math.max(0, Math.min(v.count, v.way.count));
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function rest(v) {
  clearInterval(v.timer);
  v.timer = 0;
}

/** @param {View} v */
function toggle(v) {
  if (v.timer) {
    rest(v);
    paint(v);
    return;
  }
  if (v.count >= v.way.count) v.count = 0;
  const step = Math.max(1, Math.round((v.way.count * BEAT) / PLAYED));
  v.timer = window.setInterval(() => {
    if (v.count + step >= v.way.count) rest(v);
    set(v, { count: v.count + step });
  }, Math.max(BEAT, PLAYED / v.way.count));
  set(v, { count: v.count + step });
}

/**
 * The sum of the terms that are shown: one step on adds one term, anything else begins anew.
 * @param {View} v
 */
function sumUp(v) {
  const of = `${v.way.key}/${v.sorted}`;
  if (of !== v.summedOf || v.summed > v.count) Object.assign(v, { sum: new Float64Array(v.whole.length), summed: 0, summedOf: of });
  addTerms(v, v, v.sum, v.summed, v.count);
  v.summed = v.count;
}

/** @param {View} v */
function paint(v) {
  const width = v.root.clientWidth;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  sumUp(v);
  v.layout = layoutOf(width, v.header);
  drawTerms(canvasPen(fit(v.els.canvas, width, v.layout.height), v.theme), v, v, v.sum, v.layout, v.theme);
  const { els, way } = v;
  const buttons = Array.from(els.ways.children);
  if (buttons.map((each) => each.textContent).join() !== v.header.ways.map((each) => each.name).join()) fillWays(v);
  v.header.ways.forEach((each, i) => els.ways.children[i].setAttribute("aria-pressed", String(each === way)));
  els.sort.setAttribute("aria-pressed", String(v.sorted || way.key === "singular"));
  els.sort.disabled = way.key === "singular";
  Object.assign(els.slider, { max: way.count, value: v.count });
  els.name.textContent = `${v.count} of ${way.count} terms`;
  els.play.textContent = v.timer ? "❚❚" : "▶";
  els.play.setAttribute("aria-label", v.timer ? "Pause" : TEXTS.addTermTerm);
  els.said.textContent = v.hover ? cellSentence(v, v, v.sum, v.hover) : sumSentence(v, v);
  els.canvas.setAttribute("aria-label", TEXTS.arrowKeysAdd(v.header.title, sumSentence(v, v)));
  Object.assign(v.root.dataset, { way: way.key, count: v.count, sorted: String(v.sorted), left: errorsOf(v, way, v.sorted)[v.count].toFixed(4), playing: String(Boolean(v.timer)) });
}

/** @param {View} v */
function fillWays(v) {
  v.els.ways.replaceChildren(...v.header.ways.map((way) => makeButton(way.name, `${way.count} terms`, () => {
    rest(v);
    set(v, { way: v.header.ways.find((each) => each.key === way.key) });
  })));
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = layoutOf(SAVED - 32, v.header);
  return figureOf("tlmviz-rank-one", { width: SAVED, height: layout.height + 50, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => drawTerms(pen, v, { ...v, hover: null }, v.sum, layout, theme));
  });
}

/** @param {View} v */
function makeCanvas(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "rank-canvas" });
  const scrub = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const count = countAt(v.layout, v.way.count, offsetX, offsetY);
    if (count === null) return;
    rest(v);
    set(v, { count });
  };
  canvas.addEventListener("pointerdown", scrub);
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons) scrub(event);
    const hover = cellAt(v.layout, v.header, event.offsetX, event.offsetY);
    if (hover?.row === v.hover?.row && hover?.col === v.hover?.col) return;
    v.hover = hover;
    paint(v);
  });
  canvas.addEventListener("pointerleave", () => {
    v.hover = null;
    paint(v);
  });
  canvas.addEventListener("keydown", (event) => {
    const target = { ArrowLeft: v.count - 1, ArrowRight: v.count + 1, Home: 0, End: Infinity }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (target === undefined && event.key !== " ")) return;
    event.preventDefault();
    if (target === undefined) toggle(v);
    else {
      rest(v);
      set(v, { count: target });
    }
  });
  return canvas;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ count: 0, sorted: true, hover: null, timer: 0, summedOf: "", summed: 0 });
  v.sendSoon = debounce(() => v.component.setStateValue("sum", { way: v.way.key, count: v.count, sorted: v.sorted, origin: v.header.origin }), DELAY);
  const slider = make("input", { type: "range", min: 0, step: 1, "aria-label": "Terms", testid: "rank-slider" });
  slider.addEventListener("input", () => {
    rest(v);
    set(v, { count: Number(slider.value) });
  });
  v.els = {
    ways: make("div", { className: "ways", role: "group", "aria-label": "Terms of what" }),
    sort: makeButton("Largest first", TEXTS.largestTermsFirst, () => set(v, { sorted: !v.sorted })),
    play: makeButton("▶", TEXTS.addTermTerm, () => toggle(v)),
    slider,
    name: make("output"),
    canvas: makeCanvas(v),
    said: make("p", { className: "said", testid: "rank-said" }),
  };
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
  v.root = make("div", { className: "rankone", testid: "rank-root" },
    make("div", { className: "bar" }, v.els.ways, v.els.sort, v.els.play, make("label", { className: "slider" }, slider, v.els.name), saves), v.els.canvas, v.els.said);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  rest(v);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
