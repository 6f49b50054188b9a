// @ts-check
// One step of training: every answer to the rate and to a throw is computed here, from vectors that were sent once.

import { make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { ask, go, live, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { minus, short } from "#canvas/text.js";
import { movedScores } from "./arithmetic.js";
import { LINE, PLANE, RATES, drawLine, drawPlane, drawSide, sideHeight, spoken } from "./drawing.js";
import { decisionsOf, layoutOfTree, leavesBelow, nodeAt, reachedBy, sharesOf, treeStep } from "./huffman.js";
import { chance, sceneOf } from "./scenes.js";
import { HEAD, TREE_LEAST, drawPath, drawTree, pathHeight, rowHeight } from "./tree.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const BESIDE = 640; // pixels from which plane and rows stand side by side
const ROLL = 700; // milliseconds that the numbers fall for

/** @param {View} v */
const isTree = (v) => v.header.mode === "tree";

/** @param {View} v */
function throwDie(v) {
  const seed = (v.place.seed + 1) % 1000000;
  v.rolled = performance.now();
  (seed >= v.header.first + v.header.throws ? ask : go)(v, { seed }); // beyond the throws that are here, the server has the next ones
  cancelAnimationFrame(v.rolling);
  const roll = () => {
    v.paint();
    if (performance.now() - v.rolled < ROLL) v.rolling = requestAnimationFrame(roll);
  };
  v.rolling = requestAnimationFrame(roll);
}

/** @param {View} v */
function build(v) {
  v.rolled = -ROLL;
  v.ends.push(() => cancelAnimationFrame(v.rolling));
  const rate = make("input", { type: "range", min: RATES[0], max: RATES[1], step: 0.01, "aria-label": _("Learning rate, as a power of ten"),
    testid: "slider-rate" });
  rate.addEventListener("input", () => go(v, { rate: 10 ** Number(rate.value) }));
  const all = make("input", { type: "checkbox", testid: "all" });
  all.addEventListener("change", () => go(v, { all: all.checked }));
  const widths = make("select", { testid: "widths", "aria-label": _("Widths of the nodes") }, make("option", { value: "model" }, _("widths: probability")),
    make("option", { value: "text" }, _("widths: share of the text")));
  widths.addEventListener("change", () => go(v, { widths: widths.value }));
  const throwing = makeButton("", _("Draw other words: the next seed"), () => throwDie(v));
  const strip = make("div", { className: "words-of-text", role: "group", "aria-label": _("The text; choose the word that is predicted") });
  const canvas = make("canvas", { testid: "plane", role: "img", tabIndex: 0 });
  pointing(v, canvas, (x, y) => under(v, x, y));
  canvas.addEventListener("click", ({ offsetX, offsetY }) => {
    const found = under(v, offsetX, offsetY);
    if (found?.word) ask(v, { context: found.word });
  });
  pointByKeys(canvas);
  const tip = make("div", { className: "tip", role: "tooltip" });
  const [reading, allName] = [make("output"), make("span")];
  const said = make("p", { className: "said", testid: "said", "aria-live": "polite" });
  Object.assign(v.els, { rate, all, allName, widths, throwing, strip, canvas, tip, reading, said });
  const save = saving(v, "tlmviz-one-step", {
    said: () => said.textContent, height: (width) => heightAt(v, width), draw: (pen, theme, width) => draw(pen, { ...v }, theme, width),
  });
  return [
    make("div", { className: "bar" }, throwing, widths, make("label", { className: "slider" }, rate, reading),
      make("label", { className: "check" }, all, allName), save),
    strip, said, make("div", { className: "panel" }, canvas, tip),
  ];
}

/** @param {View} v */
function fill(v) {
  v.els.strip.replaceChildren(...(v.header.text ?? []).map(
    (word, at) => make("button", { type: "button", className: "word", textContent: word, title: _("Predict “{word}”", { word }),
    onclick: () => go(v, { at }) })));
}

// --- painting -------------------------------------------------------------------------------------

/** @param {View} v */
function compute(v) {
  const { header, arrays, place } = v;
  if (!isTree(v)) {
    v.scene = sceneOf(header, arrays, place);
    return;
  }
  const { step, loss } = treeStep(header, arrays);
  const before = reachedBy(arrays.children, arrays.scores);
  v.reached = reachedBy(arrays.children, movedScores(step, place.rate, place.all));
  v.tree = layoutOfTree(arrays.children, place.widths === "model" ? v.reached : sharesOf(arrays.children, arrays.counts));
  v.decisions = decisionsOf(header, arrays, v.tree, before, v.reached);
  v.scene = /** @type {any} */ ({ loss: (/** @type {number} */ rate) => loss(rate, place.all),
    rows: [{ after: v.reached[header.target], before: before[header.target] }] });
}

/** @param {View} v */
function sentence(v) {
  const { header, scene, place, decisions } = v;
  if (!isTree(v)) return spoken(v);
  const sum = v.reached.subarray(0, header.words.length).reduce((total, p) => total + p, 0);
  const values = { n: decisions.length, context: header.context, center: header.center, before: chance(scene.rows[0].before),
    after: chance(scene.rows[0].after), count: header.words.length.toLocaleString("en"), sum: sum.toFixed(6), start: short(scene.loss(0)),
    now: short(scene.loss(place.rate)) };
  v.root.dataset.sum = sum.toFixed(9);
  return minus(
    _("{n} decisions lead to “{context}”; their product is Pr({context} | {center}): {before}, after the step {after}. All {count} leaves sum to {sum}. Loss " +
    "{start} → {now} nats.", values));
}

/**
 * Where the parts lie, for a width in pixels: the line of the die, the plane or the tree, and the rows beside or below it.
 * @param {View} v
 * @param {number} width
 */
function partsOf(v, width) {
  const top = v.header.mode === "softmax" || isTree(v) ? 0 : LINE;
  const beside = width >= BESIDE;
  const [least, side] = isTree(v) ? [TREE_LEAST, pathHeight(v)] : [PLANE, sideHeight(v.scene)];
  const tall = Math.max(least, side);
  const plane = { x: 0, y: top, width: beside ? Math.round(width * 0.56) : width, height: beside ? tall : least };
  const rows = beside ? { x: plane.width + 18, y: top, width: width - plane.width - 18, height: tall } : { x: 0, y: top + least + 12, width, height: side };
  return { line: { x: 0, y: 0, width, height: top }, plane, rows };
}

/** @param {View} v @param {number} width */
function heightAt(v, width) {
  const { rows } = partsOf(v, width);
  return rows.y + rows.height;
}

/** @param {Pen} pen @param {View} v @param {Theme} theme @param {number} width */
function draw(pen, v, theme, width) {
  const { line, plane, rows } = partsOf(v, width);
  if (isTree(v)) {
    drawTree(pen, v, theme, plane);
    drawPath(pen, v, theme, rows);
    return;
  }
  if (line.height) drawLine(pen, v, theme, line, Math.min(1, (performance.now() - v.rolled) / ROLL));
  drawPlane(pen, v, theme, plane);
  drawSide(pen, v, theme, rows);
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  compute(v);
  draw(penOf(v, els.canvas, heightAt(v, widthOf(els.canvas))), v, v.theme, widthOf(els.canvas));
  els.rate.value = String(Math.log10(place.rate));
  els.reading.textContent = _("rate {rate}", { rate: place.rate >= 0.1 ? place.rate.toFixed(2) : place.rate.toFixed(3) });
  els.all.checked = place.all;
  els.allName.textContent = header.mode === "cbow" ? _("all vectors move, not the window's alone") : _("all vectors move, not v alone");
  els.throwing.hidden = header.mode === "softmax" || isTree(v);
  els.throwing.textContent = _("⚄ Throw ({seed})", { seed: place.seed });
  els.widths.hidden = !isTree(v);
  els.widths.value = place.widths;
  els.strip.hidden = !header.text;
  const at = Math.min((header.text?.length ?? 1) - 1, place.at ?? header.place ?? 0);
  Array.from(els.strip.children).forEach((child, k) => {
    const word = /** @type {HTMLElement} */ (child);
    word.classList.toggle("chosen", k === at);
    word.classList.toggle("read", k !== at && Math.abs(k - at) <= header.radius);
    word.setAttribute("aria-pressed", String(k === at));
  });
  els.said.textContent = sentence(v);
  const way = isTree(v) ? v.decisions.map(({ turn, after }) => `${turn} ${after.toFixed(3)}`) : v.scene.rows.map(({ says }) => says);
  els.canvas.setAttribute("aria-label", `${header.title}. ${els.said.textContent} ${way.join("; ")}`);
  showTip(v);
  Object.assign(v.root.dataset, { mode: header.mode, step: place.rate.toFixed(3), seed: place.seed, at, after: v.scene.rows[0].after.toFixed(4),
    loss: v.scene.loss(place.rate).toFixed(4) });
}

/** @param {View} v */
function showTip({ hover, els }) {
  els.tip.hidden = !hover;
  els.canvas.style.cursor = hover?.word ? "pointer" : "default";
  if (!hover) return;
  els.tip.textContent = hover.says;
  els.tip.style.left = `${Math.max(0, Math.min(hover.x + 12, els.canvas.clientWidth - els.tip.offsetWidth))}px`;
  els.tip.style.top = `${hover.y + 16}px`;
}

/**
 * What lies at a place of the picture: what it says, and the word that a click chooses, if any.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @returns {{ x: number, y: number, says: string, word: string } | null}
 */
function under(v, x, y) {
  const { header } = v;
  if (isTree(v)) return nodeUnder(v, x, y);
  const far = (/** @type {View["places"][number]} */ spot) => Math.hypot(spot.x - x, spot.y - y);
  const nearest = [...v.places].sort((a, b) => far(a) - far(b))[0];
  if (!nearest || far(nearest) >= 18) return null;
  const { name, kind, says } = nearest.dot;
  return { x: nearest.x, y: nearest.y, says, word: header.mode === "cbow" || kind === "target" ? "" : name };
}

/** @param {View} v @param {number} x @param {number} y */
function nodeUnder(v, x, y) {
  const { header, arrays, tree } = v;
  const { plane } = partsOf(v, widthOf(v.els.canvas));
  const row = Math.floor((y - HEAD) / rowHeight(v, plane));
  if (x < 0 || x >= plane.width || row < 0 || y >= plane.height) return null;
  const at = nodeAt(arrays.children, tree, x / plane.width, row);
  if (tree.depth[at] !== row) return null;
  const { count, best } = leavesBelow(arrays.children, v.reached, at, 4);
  const named = best.map((w) => `${header.words[w]} ${chance(v.reached[w])}`).join(", ");
  const values = { count: count.toLocaleString("en"), p: chance(v.reached[at]), named, word: header.words[at], center: header.center, depth: tree.depth[at] };
  const says = count === 1 ? _("Pr({word} | {center}) {p}, {depth} decisions", values) : _("{count} words below, together {p}; the likeliest: {named}", values);
  return { x, y, says, word: at < header.words.length && at !== header.target ? header.words[at] : "" };
}

export default live({ id: "one-step", build, paint, fit: (v, before) => v.header !== before && fill(v) });
