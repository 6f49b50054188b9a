// @ts-check
// The Huffman tree and one word's path: state, DOM and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { minus, short } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { movedScores } from "../../component/arithmetic.js";
import { RATES } from "../../component/drawing.js";
import { chance } from "../../component/scenes.js";
import { decisionsOf, layoutOfTree, leavesBelow, nodeAt, reachedBy, sharesOf, treeStep } from "./huffman.js";
import { HEAD, TREE_LEAST, drawPath, drawTree, pathHeight, rowHeight } from "./picture.js";
import { TREE_TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const DELAY = 400; // milliseconds at rest until the state is sent
const BESIDE = 640; // pixels from which tree and path stand side by side

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    const other = v.header?.title;
    v.bytes = new Uint8Array(bytes);
    Object.assign(v, decode(bytes));
    if (v.header.state.seq >= v.seq || other !== v.header.title) Object.assign(v, { state: { ...v.header.state }, seq: Math.max(v.header.state.seq, v.seq) });
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

// --- painting -------------------------------------------------------------------------------------

/** @param {View} v */
function compute(v) {
  const { header, arrays, state } = v;
  const { step, loss } = treeStep(header, arrays);
  const before = reachedBy(arrays.children, arrays.scores);
  v.reached = reachedBy(arrays.children, movedScores(step, state.rate, state.all));
  v.layout = layoutOfTree(arrays.children, state.widths === "model" ? v.reached : sharesOf(arrays.children, arrays.counts));
  v.decisions = decisionsOf(header, arrays, v.layout, before, v.reached);
  v.scene = { loss: (rate) => loss(rate, state.all) };
  const leaves = v.reached.subarray(0, header.words.length);
  return { before: before[header.target], after: v.reached[header.target], sum: leaves.reduce((total, p) => total + p, 0) };
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 */
function draw(pen, v, theme, width) {
  const beside = width >= BESIDE;
  const side = pathHeight(v);
  const tall = beside ? Math.max(TREE_LEAST, side) : TREE_LEAST;
  const tree = { x: 0, y: 0, width: beside ? Math.round(width * 0.55) : width, height: tall };
  const path = beside ? { x: tree.width + 18, y: 0, width: width - tree.width - 18, height: tall } : { x: 0, y: tall + 12, width, height: side };
  v.icicle = tree;
  drawTree(pen, v, theme, tree);
  drawPath(pen, v, theme, path);
}

/**
 * @param {View} v
 * @param {number} width
 */
function heightAt(v, width) {
  return width >= BESIDE ? Math.max(TREE_LEAST, pathHeight(v)) : TREE_LEAST + 12 + pathHeight(v);
}

/** @param {View} v */
function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = v.els.canvas.parentElement.clientWidth;
  if (!width) return;
  const found = compute(v);
  draw(canvasPen(fit(v.els.canvas, width, heightAt(v, width)), v.theme), v, v.theme, width);
  syncControls(v, found);
}

/**
 * @param {View} v
 * @param {{ before: number, after: number, sum: number }} found
 */
function syncControls(v, { before, after, sum }) {
  const { els, header, state, decisions } = v;
  els.rate.value = String(Math.log10(state.rate));
  els.rateName.textContent = `rate ${state.rate >= 0.1 ? state.rate.toFixed(2) : state.rate.toFixed(3)}`;
  els.all.checked = state.all;
  els.widths.value = state.widths;
  const said = minus(TREE_TEXTS.decisionsLeadTheir(decisions.length, header.context, header.center, chance(before), chance(after), header.words.length.toLocaleString("en"), sum.toFixed(6), short(v.scene.loss(0)), short(v.scene.loss(state.rate))));
  els.words.textContent = said;
  const way = decisions.map(({ turn, after: p }) => `${turn} ${p.toFixed(3)}`).join(", ");
  els.canvas.setAttribute("aria-label", `${header.title}. ${said} ${way}`);
  Object.assign(v.root.dataset, { step: state.rate.toFixed(3), after: after.toExponential(6), sum: sum.toFixed(9), decisions: decisions.length, widths: state.widths });
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  return figureOf("tlmviz-huffman-tree", { width: 1032, height: heightAt(v, 1000) + 56, theme }, (pen) => {
    pen.text(16, 18, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => draw(pen, v, theme, 1000));
  });
  repaint(v); // the places of the file are not those of the screen
}

// --- the DOM, built once --------------------------------------------------------------------------

/**
 * The node below the pointer, -1 for none.
 * @param {View} v
 * @param {MouseEvent} event
 */
function nodeUnder(v, event) {
  const box = v.els.canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const row = Math.floor((y - HEAD) / rowHeight(v, v.icicle));
  if (x < 0 || x >= v.icicle.width || row < 0 || y >= v.icicle.height) return -1;
  const at = nodeAt(v.arrays.children, v.layout, x / v.icicle.width, row);
  return v.layout.depth[at] === row ? at : -1;
}

/**
 * @param {View} v
 * @param {PointerEvent} event
 */
function point(v, event) {
  const { tip, canvas } = v.els;
  const at = v.layout ? nodeUnder(v, event) : -1;
  tip.hidden = at < 0;
  canvas.style.cursor = at >= 0 && at < v.header.words.length ? "pointer" : "";
  if (at < 0) return;
  const { count, best } = leavesBelow(v.arrays.children, v.reached, at, 4);
  const named = best.map((w) => `${v.header.words[w]} ${chance(v.reached[w])}`).join(", ");
  tip.textContent = count === 1 ? `Pr(${v.header.words[at]} | ${v.header.center}) ${chance(v.reached[at])}, ${v.layout.depth[at]} decisions` : TREE_TEXTS.wordsBelowTogether(count.toLocaleString("en"), chance(v.reached[at]), named);
  const box = canvas.getBoundingClientRect();
  tip.style.left = `${Math.max(0, Math.min(event.clientX - box.left + 12, canvas.clientWidth - tip.offsetWidth))}px`;
  tip.style.top = `${event.clientY - box.top + 16}px`;
}

/**
 * A leaf that is clicked becomes the context word.
 * @param {View} v
 * @param {MouseEvent} event
 */
function choose(v, event) {
  const at = nodeUnder(v, event);
  if (at < 0 || at >= v.header.words.length || at === v.header.target) return;
  changed(v, { word: v.header.words[at] });
  send(v);
}

/** @param {View} v */
function makeElements(v) {
  const rate = make("input", { type: "range", min: RATES[0], max: RATES[1], step: 0.01, "aria-label": TREE_TEXTS.learningRatePower, testid: "slider-rate" });
  rate.addEventListener("input", () => changed(v, { rate: 10 ** Number(rate.value) }));
  const all = make("input", { type: "checkbox", testid: "all" });
  all.addEventListener("change", () => changed(v, { all: all.checked }));
  const widths = make("select", { testid: "widths", "aria-label": TREE_TEXTS.widthsNodes }, make("option", { value: "model", textContent: "widths: probability" }), make("option", { value: "text", textContent: TREE_TEXTS.widthsShareText }));
  widths.addEventListener("change", () => changed(v, { widths: /** @type {"model" | "text"} */ (widths.value) }));
  const canvas = make("canvas", { testid: "tree", role: "img", tabIndex: 0 });
  canvas.addEventListener("pointermove", (event) => point(v, event));
  canvas.addEventListener("pointerleave", () => Object.assign(v.els.tip, { hidden: true }));
  canvas.addEventListener("click", (event) => choose(v, event));
  pointByKeys(canvas);
  return { rate, all, widths, canvas, rateName: make("output"), tip: make("div", { className: "tip", role: "tooltip", hidden: true }), words: make("p", { className: "said", testid: "said", "aria-live": "polite" }) };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, unsent: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "one-step", testid: "huffman" },
    make("div", { className: "bar" }, els.widths, make("label", { className: "slider" }, els.rate, els.rateName), make("label", { className: "check" }, els.all, TREE_TEXTS.allVectorsMove), make("div", { className: "saves" }, ...saves)),
    els.words,
    make("div", { className: "panel" }, els.canvas, els.tip));
  host.append(v.root);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
