// @ts-check
// One step of training: state, DOM and painting. Every answer to a slider is computed here, from vectors that were sent once.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { LINE, PLANE, RATES, drawLine, drawPlane, drawSide, sideHeight, spoken } from "./drawing.js";
import { sceneOf } from "./scenes.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const DELAY = 400; // milliseconds at rest until the state is sent
const BESIDE = 640; // pixels from which plane and rows stand side by side
const ROLL = 700; // milliseconds that the numbers fall for

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    const other = v.header?.title;
    v.bytes = new Uint8Array(bytes);
    const { header, arrays } = decode(bytes);
    if (arrays.numbers) arrays.numbers.rows = header.throws;
    Object.assign(v, { header, arrays });
    if (header.state.seq >= v.seq || other !== header.title) Object.assign(v, { state: { ...header.state }, seq: Math.max(header.state.seq, v.seq) });
    fillStrip(v);
  }
  repaint(v);
}

/**
 * The user has changed something that the link keeps.
 * @param {View} v
 * @param {Partial<import("./types").State>} change
 */
function changed(v, change) {
  Object.assign(v.state, change);
  v.seq += 1;
  v.unsent = true;
  repaint(v);
  v.sendSoon();
}

/** @param {View} v */
function send(v) {
  v.sendSoon.cancel();
  if (!v.unsent) return;
  v.unsent = false;
  v.component.setStateValue("place", { ...v.state, seq: v.seq });
  v.state.word = "";
}

/** @param {View} v */
function throwDie(v) {
  v.rolled = performance.now();
  changed(v, { seed: (v.state.seed + 1) % 1000000 });
  if (v.state.seed >= v.header.first + v.header.throws) send(v); // the server has the next ones
  if (!v.frame) v.frame = requestAnimationFrame(() => roll(v));
}

/** @param {View} v */
function roll(v) {
  v.frame = performance.now() - v.rolled < ROLL ? requestAnimationFrame(() => roll(v)) : 0;
  repaint(v);
}

// --- painting -------------------------------------------------------------------------------------

/**
 * Where the parts lie, for a width in pixels.
 * @param {View} v
 * @param {number} width
 */
function layoutOf({ header, scene }, width) {
  const top = header.mode === "softmax" ? 0 : LINE;
  const beside = width >= BESIDE;
  const side = sideHeight(scene);
  const plane = { x: 0, y: top, width: beside ? Math.round(width * 0.57) : width, height: beside ? side : PLANE };
  const rows = beside ? { x: plane.width + 18, y: top, width: width - plane.width - 18, height: side } : { x: 0, y: top + PLANE + 10, width, height: side };
  return { line: { x: 0, y: 0, width, height: top }, plane, rows, height: rows.y + rows.height };
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 */
function draw(pen, v, theme, width) {
  const { line, plane, rows } = layoutOf(v, width);
  if (line.height) drawLine(pen, v, theme, line, Math.min(1, (performance.now() - v.rolled) / ROLL));
  drawPlane(pen, v, theme, plane);
  drawSide(pen, v, theme, rows);
}

/** @param {View} v */
function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = v.els.canvas.parentElement.clientWidth;
  if (!width) return;
  v.scene = sceneOf(v.header, v.arrays, v.state);
  draw(canvasPen(fit(v.els.canvas, width, layoutOf(v, width).height), v.theme), v, v.theme, width);
  syncControls(v);
}

/** @param {View} v */
function syncControls(v) {
  const { els, header, scene, state } = v;
  els.rate.value = String(Math.log10(state.rate));
  els.rateName.textContent = `rate ${state.rate >= 0.1 ? state.rate.toFixed(2) : state.rate.toFixed(3)}`;
  els.all.checked = state.all;
  els.throwing.hidden = header.mode === "softmax";
  els.throwing.textContent = `⚄ Throw (${state.seed})`;
  els.strip.hidden = header.mode !== "cbow";
  const at = Math.max(0, Math.min((header.text ?? []).length - 1, state.at ?? 0));
  Array.from(els.strip.children).forEach((child, k) => {
    const span = /** @type {HTMLElement} */ (child);
    span.classList.toggle("chosen", k === at);
    span.classList.toggle("read", k !== at && Math.abs(k - at) <= header.radius);
    span.setAttribute("aria-pressed", String(k === at));
  });
  els.words.textContent = spoken(v);
  els.canvas.setAttribute("aria-label", `${header.title}. ${spoken(v)} ${scene.rows.map(({ says }) => says).join("; ")}`);
  Object.assign(v.root.dataset, { step: state.rate.toFixed(3), seed: state.seed, at, after: scene.rows[0].after.toFixed(4), loss: scene.loss(state.rate).toFixed(4) });
}

/** @param {View} v */
function fillStrip(v) {
  const text = v.header.text ?? [];
  v.els.strip.replaceChildren(...text.map((word, k) => make("button", { type: "button", className: "word", textContent: word, title: `Predict “${word}”`, onclick: () => changed(v, { at: k }) })));
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const { height } = layoutOf(v, 1000);
  return figureOf(`tlmviz-training-step-${v.header.mode}`, { width: 1032, height: height + 80, theme }, (pen) => {
    pen.text(16, 18, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.text(16, 38, spoken(v), { color: theme.muted, size: 11 });
    pen.shifted(16, 60, () => draw(pen, v, theme, 1000));
  });
}

// --- the DOM, built once --------------------------------------------------------------------------

/**
 * The word at a place of the canvas.
 * @param {View} v
 * @param {PointerEvent | MouseEvent} event
 */
function dotAt(v, event) {
  const box = v.els.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const far = (/** @type {View["places"][number]} */ place) => Math.hypot(place.x - x, place.y - y);
  const nearest = [...(v.places ?? [])].sort((a, b) => far(a) - far(b))[0];
  return nearest && far(nearest) < 18 ? { ...nearest, dot: nearest.dot } : null;
}

/**
 * @param {View} v
 * @param {PointerEvent} event
 */
function point(v, event) {
  const found = dotAt(v, event);
  const { tip, canvas } = v.els;
  tip.hidden = !found;
  canvas.style.cursor = found && v.header.mode !== "cbow" ? "pointer" : "";
  if (!found) return;
  tip.textContent = found.dot.says;
  tip.style.left = `${Math.max(0, Math.min(found.x + 10, canvas.clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${canvas.offsetTop + found.y + 14}px`;
}

/**
 * A word that is clicked becomes the context word.
 * @param {View} v
 * @param {MouseEvent} event
 */
function choose(v, event) {
  const found = dotAt(v, event);
  if (!found || v.header.mode === "cbow" || found.dot.kind === "target") return;
  changed(v, { word: found.dot.name });
  send(v);
}

/** @param {View} v */
function makeElements(v) {
  const rate = make("input", { type: "range", min: RATES[0], max: RATES[1], step: 0.01, "aria-label": TEXTS.learningRatePower, testid: "slider-rate" });
  rate.addEventListener("input", () => changed(v, { rate: 10 ** Number(rate.value) }));
  const all = make("input", { type: "checkbox", testid: "all" });
  all.addEventListener("change", () => changed(v, { all: all.checked }));
  const canvas = make("canvas", { testid: "plane", role: "img", tabIndex: 0 });
  canvas.addEventListener("pointermove", (event) => point(v, event));
  canvas.addEventListener("pointerleave", () => Object.assign(v.els.tip, { hidden: true }));
  canvas.addEventListener("click", (event) => choose(v, event));
  pointByKeys(canvas);
  return {
    rate, all, canvas,
    rateName: make("output"),
    throwing: makeButton("⚄ Throw", TEXTS.drawOtherWords, () => throwDie(v)),
    strip: make("div", { className: "words-of-text", role: "group", "aria-label": TEXTS.textChooseWord, hidden: true }),
    tip: make("div", { className: "tip", role: "tooltip", hidden: true }),
    words: make("p", { className: "said", testid: "said", "aria-live": "polite" }),
  };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, unsent: false, rolled: -ROLL, frame: 0, places: [] });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "one-step", testid: "one-step" },
    make("div", { className: "bar" }, els.throwing, make("label", { className: "slider" }, els.rate, els.rateName), make("label", { className: "check" }, els.all, TEXTS.allVectorsMove), make("div", { className: "saves" }, ...saves)),
    els.strip,
    els.words,
    make("div", { className: "panel" }, els.canvas, els.tip));
  host.append(v.root);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  cancelAnimationFrame(v.frame);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
