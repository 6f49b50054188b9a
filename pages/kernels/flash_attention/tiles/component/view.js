// @ts-check
// HBM and SRAM step by step: state, DOM, playing and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { readTheme } from "#canvas/theme.js";
import { savedMachines } from "./figure.js";
import { MACHINE, drawKernel, drawStandard } from "./machines.js";
import { drawLit, joinTokens } from "./pointed.js";
import { firstStep, movedAt, standardMoves, stepCount } from "./standard.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const PACE = 600; // milliseconds of a step while playing
const DELAY = 500; // milliseconds at rest until the step is sent
const BESIDE = 560; // pixels from which the machines stand side by side

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    const other = v.header?.title;
    v.bytes = new Uint8Array(bytes);
    Object.assign(v, decode(bytes), { images: undefined });
    const { step, seq } = v.header.state;
    if (seq >= v.seq || other !== v.header.title) {
      rest(v);
      Object.assign(v, { step: step ?? firstStep(v.header), seq: Math.max(seq, v.seq), share: 1 });
    }
    buildCode(v);
  }
  v.step = Math.max(0, Math.min(v.step, stepCount(v.header) - 1));
  v.hovered.look();
  repaint(v);
}

/**
 * The user goes to a step, which stops the playing.
 * @param {View} v
 * @param {number} step
 */
function go(v, step) {
  rest(v);
  v.step = Math.max(0, Math.min(step, stepCount(v.header) - 1));
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
  v.component.setStateValue("place", { step: v.step, seq: v.seq });
}

// --- playing --------------------------------------------------------------------------------------

/** @param {View} v */
function rest(v) {
  cancelAnimationFrame(v.frame);
  Object.assign(v, { frame: 0, share: 1 });
}

/** @param {View} v */
function toggle(v) {
  if (v.frame) {
    rest(v);
    changed(v);
    return;
  }
  v.sendSoon.cancel();
  v.step = v.step >= stepCount(v.header) - 1 ? 0 : v.step + 1;
  Object.assign(v, { share: 0, since: performance.now(), began: performance.now(), painted: 0 });
  v.frame = requestAnimationFrame((now) => tick(v, now));
}

/**
 * One frame: as many as the browser draws, and no more.
 * @param {View} v
 * @param {number} now
 */
function tick(v, now) {
  const passed = Math.max(0, now - v.since);
  v.painted += 1;
  v.share = Math.min(1, passed / PACE);
  if (passed >= PACE) {
    if (v.step >= stepCount(v.header) - 1) {
      rest(v);
      changed(v);
      return;
    }
    v.step += 1;
    Object.assign(v, { share: 0, since: now });
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
  const beside = width >= BESIDE;
  const each = beside ? (width - 16) / 2 : width;
  const pen = canvasPen(fit(v.els.canvas, width, beside ? MACHINE : 2 * MACHINE), v.theme);
  v.box = { x: 0, y: 0, width: each, height: MACHINE };
  drawKernel(pen, v, v.theme, v.box);
  drawLit(pen, v, v.theme);
  drawStandard(pen, v, v.theme, { x: beside ? each + 16 : 0, y: beside ? 0 : MACHINE, width: each, height: MACHINE });
  syncControls(v);
}

/** @param {View} v */
function syncControls(v) {
  const { els, header } = v;
  const count = stepCount(header);
  const step = header.steps[v.step];
  const said = step ? step.words.join(". ") : TEXTS.kernelDoneStandard;
  Object.assign(els.step, { max: count - 1, value: v.step });
  els.name.textContent = `step ${v.step + 1} of ${count}`;
  els.play.textContent = v.frame ? "❚❚" : "▶";
  els.play.setAttribute("aria-label", v.frame ? "Pause" : "Play");
  const last = v.step >= header.steps.length - 1 ? TEXTS.resultSoftmaxQk(header.error.toExponential(1)) : "";
  els.words.textContent = `${said}.${last}`;
  const running = new Set(step?.when);
  header.code.forEach(({ when }, k) => els.code.children[k].classList.toggle("lit", running.has(when)));
  if (step && !v.frame) scrollToLit(els.code);
  const bytes = Math.round(movedAt(header, v.step, 1) * header.bytes);
  els.canvas.setAttribute("aria-label", TEXTS.stepBytesMoved(header.title, v.step + 1, count, said, bytes, header.steps.at(-1).moved * header.bytes, standardMoves(header) * header.bytes));
  const seconds = (performance.now() - v.began) / 1000;
  Object.assign(v.root.dataset, { step: v.step, steps: count, playing: String(Boolean(v.frame)), fps: v.frame && v.painted > 1 ? (v.painted / seconds).toFixed(1) : v.root.dataset.fps ?? "" });
}

/**
 * Bring the first running line into the part of the code that is seen.
 * @param {HTMLElement} code
 */
function scrollToLit(code) {
  const lit = /** @type {HTMLElement} */ (code.querySelector(".lit"));
  if (lit) code.scrollTop = lit.offsetTop - code.clientHeight / 3;
}

// --- the DOM, built once --------------------------------------------------------------------------

/** @param {View} v */
function buildCode(v) {
  v.els.code.replaceChildren(...v.header.code.map(({ number, text }) => make("div", { className: "line" }, make("span", { className: "number", textContent: String(number) }), make("span", { textContent: text }))));
}

/** @param {View} v */
function makeElements(v) {
  const step = make("input", { type: "range", min: 0, step: 1, "aria-label": "Step", testid: "slider-step" });
  step.addEventListener("input", () => go(v, Number(step.value)));
  const canvas = make("canvas", { testid: "machines", role: "img", tabIndex: 0 });
  canvas.addEventListener("keydown", (event) => {
    const target = { ArrowLeft: v.step - 1, ArrowRight: v.step + 1, Home: 0, End: Infinity }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (target === undefined && event.key !== " ")) return;
    event.preventDefault();
    if (target === undefined) toggle(v);
    else go(v, target);
  });
  return {
    play: makeButton("▶", "Play or pause", () => toggle(v)),
    step,
    name: make("output"),
    canvas,
    code: make("div", { className: "code", testid: "code", tabIndex: 0, role: "region", "aria-label": TEXTS.linesTritonKernel }),
    words: make("p", { className: "words" }),
  };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, step: 0, share: 1, frame: 0, since: 0, began: 0, painted: 0, unsent: false, lit: [] });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  const saves = [pictureButton(v, "this figure", () => savedMachines(v))];
  v.root = make("div", { className: "memory", testid: "memory" },
    make("div", { className: "bar" }, v.els.play, make("label", { className: "slider" }, v.els.step, v.els.name), make("div", { className: "saves" }, ...saves)),
    v.els.words,
    make("div", { className: "body" }, make("div", { className: "panel" }, v.els.canvas), v.els.code));
  joinTokens(v, repaint);
  host.append(v.root);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  rest(v);
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.hovered.end();
}

export default mounted({ create, receive, leave });
