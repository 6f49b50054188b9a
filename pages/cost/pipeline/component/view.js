// @ts-check
// A pipeline's run: state, DOM, playing and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { colorOf, drawPipeline, eventAt, layoutOf, timeAt } from "./drawing.js";
import { KINDS, brief, eventSentence, momentSentence } from "./moments.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const WHOLE = 14000; // milliseconds of the whole run while playing
const DELAY = 500; // milliseconds at rest until the time is sent
const SAVED = 1100; // pixels of a saved figure

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const run = /** @type {import("./types").Run} */ (/** @type {unknown} */ (decode(bytes)));
  const { picture } = run.header;
  if (!same(v, run)) {
    const share = v.header ? v.at / v.header.time : 1;
    const first = !v.header;
    Object.assign(v, run, { hover: -1 });
    const { at, seq } = v.header.state;
    if (first || seq > v.seq) Object.assign(v, { at: at ?? v.header.time, seq: Math.max(seq, v.seq) });
    else v.at = seq === v.seq && !v.unsent ? (at ?? v.header.time) : share * v.header.time;
    rest(v);
    buildLegend(v);
  }
  v.at = Math.max(0, Math.min(v.at, v.header.time));
  repaint(v);
  announcePicture(picture);
}

/**
 * Whether a run is the one that is shown, but for the number of the picture.
 * @param {View} v
 * @param {import("./types").Run} run
 */
function same(v, { header, arrays }) {
  const plain = (/** @type {object} */ of) => JSON.stringify({ ...of, picture: 0 });
  if (!v.header || plain(header) !== plain(v.header)) return false;
  return Object.entries(arrays).every(([name, values]) => values.every((/** @type {number} */ x, /** @type {number} */ i) => x === /** @type {any} */ (v.arrays)[name][i]));
}

/**
 * The user goes to a time, which stops the playing.
 * @param {View} v
 * @param {number} at
 */
function go(v, at) {
  rest(v);
  v.at = Math.max(0, Math.min(at, v.header.time));
  changed(v);
}

/** @param {View} v */
function changed(v) {
  v.seq += 1;
  v.unsent = true;
  repaint(v);
  v.sendSoon();
}

/** @param {View} v */
function send(v) {
  v.sendSoon.cancel();
  if (!v.unsent || v.frame) return;
  v.unsent = false;
  v.component.setStateValue("place", { at: v.at >= v.header.time ? null : v.at, seq: v.seq });
}

// --- playing --------------------------------------------------------------------------------------

/** @param {View} v */
function rest(v) {
  cancelAnimationFrame(v.frame);
  v.frame = 0;
}

/** @param {View} v */
function toggle(v) {
  if (v.frame) {
    rest(v);
    changed(v);
    return;
  }
  v.sendSoon.cancel();
  Object.assign(v, { from: v.at >= v.header.time ? 0 : v.at, since: performance.now() });
  v.frame = requestAnimationFrame((now) => tick(v, now));
}

/**
 * @param {View} v
 * @param {number} now
 */
function tick(v, now) {
  v.at = Math.min(v.header.time, v.from + (Math.max(0, now - v.since) / WHOLE) * v.header.time);
  if (v.at >= v.header.time) {
    rest(v);
    changed(v);
    return;
  }
  repaint(v);
  v.frame = requestAnimationFrame((next) => tick(v, next));
}

// --- painting -------------------------------------------------------------------------------------

/** @param {View} v */
function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = v.els.canvas.parentElement.clientWidth;
  if (!width) return;
  v.layout = layoutOf(width, v.header.stages);
  drawPipeline(canvasPen(fit(v.els.canvas, width, v.layout.height), v.theme), v, v.layout, v.theme, v);
  const { els, header } = v;
  Object.assign(els.time, { max: header.time, step: header.time / 2000, value: v.at });
  els.name.textContent = `${brief(v.at)} of ${brief(header.time)}`;
  els.play.textContent = v.frame ? "❚❚" : "▶";
  els.play.setAttribute("aria-label", v.frame ? "Pause" : "Play");
  const said = v.hover >= 0 ? eventSentence(v, v.hover) : momentSentence(v, v.at);
  els.said.textContent = said;
  els.canvas.setAttribute("aria-label", TEXTS.arrowKeysMove(header.title, momentSentence(v, v.at)));
  Object.assign(v.root.dataset, { at: brief(v.at), time: brief(header.time), playing: String(Boolean(v.frame)) });
}

/** @param {View} v */
function buildLegend(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const there = new Set(v.arrays.kind);
  const entries = KINDS.map((name, kind) => ({ name, kind })).filter(({ kind }) => there.has(kind));
  v.els.legend.replaceChildren(...entries.map(({ name, kind }) => {
    const swatch = make("i");
    swatch.style.background = colorOf(v.theme, kind);
    return make("span", {}, swatch, name);
  }));
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = layoutOf(SAVED - 32, v.header.stages);
  return figureOf("tlmviz-pipeline", { width: SAVED, height: layout.height + 50, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => drawPipeline(pen, v, layout, theme, { at: v.at, hover: -1 }));
  });
}

// --- the DOM, built once --------------------------------------------------------------------------

/** @param {View} v */
function makeCanvas(v) {
  const canvas = make("canvas", { testid: "pipeline-canvas", role: "img", tabIndex: 0 });
  canvas.addEventListener("keydown", (event) => {
    const step = v.header.time / 100;
    const target = { ArrowLeft: v.at - step, ArrowRight: v.at + step, Home: 0, End: Infinity }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (target === undefined && event.key !== " ")) return;
    event.preventDefault();
    if (target === undefined) toggle(v);
    else go(v, target);
  });
  canvas.addEventListener("pointerdown", ({ offsetX }) => go(v, timeAt(v.header, v.layout, offsetX)));
  canvas.addEventListener("pointermove", ({ offsetX, offsetY, buttons }) => {
    if (buttons) go(v, timeAt(v.header, v.layout, offsetX));
    point(v, eventAt(v, v.layout, offsetX, offsetY));
  });
  canvas.addEventListener("pointerleave", () => point(v, -1));
  return canvas;
}

/**
 * @param {View} v
 * @param {number} event
 */
function point(v, event) {
  if (event === v.hover) return;
  v.hover = event;
  repaint(v);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, at: 0, hover: -1, frame: 0, since: 0, from: 0, unsent: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  const time = make("input", { type: "range", min: 0, "aria-label": "Time", testid: "pipeline-time" });
  time.addEventListener("input", () => go(v, Number(time.value)));
  v.els = {
    play: makeButton("▶", "Play or pause", () => toggle(v)),
    time,
    name: make("output"),
    said: make("p", { className: "said", testid: "pipeline-said" }),
    legend: make("div", { className: "legend" }),
    canvas: makeCanvas(v),
  };
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "pipeline", testid: "pipeline-root" },
    make("div", { className: "bar" }, v.els.play, make("label", { className: "slider" }, time, v.els.name), make("div", { className: "saves" }, ...saves)),
    v.els.legend, make("div", { className: "panel" }, v.els.canvas), v.els.said);
  host.append(v.root);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  rest(v);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
