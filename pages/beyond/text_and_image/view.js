// @ts-check
// Text and image: a picture laid out cell by cell, and who looks where: words at patches, and in the turned model patches at words.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, makeLegend, saving } from "#canvas/live.js";
import { makePad, writtenPixels } from "#canvas/pad.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { PATCHES, drawCells, drawHeads, drawScene, headPlaces, headsOf, shownOf, sideSentence, wordWeights, wordsOf } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */
/** @typedef {import("./drawing.js").Side} Side */

const GRID = 216; // pixels of the picture that is laid out
const PICTURE = 290; // of the largest picture with weights
const PAD = 132;
const SIDES = /** @type {Side[]} */ (["asks", "turned"]);
const MOST = (/** @type {number} */ at, /** @type {number} */ most) => Math.max(0, Math.min(most, at));

/** @param {View} v @param {number} place in `shown` @param {number} value chosen; once more is none */
function choose(v, place, value) {
  const shown = [...shownOf(v)];
  shown[place] = shown[place] === value && [0, 1, 3].includes(place) ? 0 : value; // of heads one is always chosen
  go(v, { shown });
}

/** @param {View} v @param {string} what goes into the chosen cell, as a link spells it */
function put(v, what) {
  ask(v, { grid: v.place.grid.map((cell, i) => (i === v.place.cell ? what : cell)), shown: [] });
}

/** @param {View} v @param {number} digit */
function putDigit(v, digit) {
  const before = v.place.grid[v.place.cell];
  put(v, `${digit}${before.startsWith("h") ? before : ""}`);
}

/**
 * Places of a canvas in a square, chosen by pointer and arrow keys.
 * @param {View} v
 * @param {HTMLCanvasElement} canvas
 * @param {number} side
 * @param {() => number} now the chosen place, from 0
 * @param {(place: number) => void} onChoose
 */
function squares(v, canvas, side, now, onChoose) {
  const at = (/** @type {number} */ row, /** @type {number} */ column) => MOST(row, side - 1) * side + MOST(column, side - 1);
  cells(v, canvas, {
    under: (x, y) => at(Math.floor((y / canvas.clientHeight) * side), Math.floor((x / canvas.clientWidth) * side)),
    choose: onChoose,
    beside: (dx, dy) => at(Math.floor(Math.max(0, now()) / side) + dy, (Math.max(0, now()) % side) + dx),
  });
  return canvas;
}

/** @param {string} testid */
const application = (testid) => make("canvas", { role: "application", testid });

/** @param {View} v */
function makeGrid(v) {
  const grid = squares(v, application("scene-grid"), 3, () => v.place.cell, (cell) => {
    go(v, { cell });
    fillPad(v);
  });
  grid.addEventListener("keydown", ({ key }) => {
    if (/^[0-9]$/.test(key)) putDigit(v, Number(key));
    if (key === "Delete" || key === "Backspace") put(v, "");
  });
  return grid;
}

/** What can be put into the chosen cell. @param {View} v */
function makeTray(v) {
  v.pad = makePad({ drawn: () => v.header && v.pad.paint(v.theme, PAD), finished: (values) => put(v, writtenPixels(values)), testid: "scene-pad" });
  v.ends.push(() => v.pad.end());
  const digits = Array.from({ length: 10 }, (__, digit) =>
    makeButton(String(digit), _("Put a held-out {digit} there; again for another", { digit }), () => putDigit(v, digit)));
  v.els.into = make("p");
  return make("div", {}, v.els.into, make("div", { className: "words", testid: "scene-digits" }, ...digits,
    makeButton(_("empty"), _("Empty this cell"), () => put(v, ""))), make("p", {}, _("or draw:")), v.pad.root);
}

/** One model's half: words, a picture, a sentence, small pictures of heads. @param {View} v @param {Side} side @param {string} title */
function makeSide(v, side, title) {
  const [id, at] = side === "asks" ? ["scene", 2] : ["scene-turned", 4];
  const line = (/** @type {string} */ className, /** @type {string} */ testid) => make("p", { className, testid, "aria-live": "polite" });
  const picture = squares(v, application(side === "asks" ? "scene-asks" : id), PATCHES, () => shownOf(v)[1] - 1, (patch) => choose(v, 1, patch + 1));
  picture.addEventListener("keydown", ({ key }) => key === "Escape" && choose(v, 1, 0));
  const heads = make("canvas", { role: "application", testid: `${id}-heads`, "aria-label": _("The mean and each head, small. Left and right choose one.") });
  cells(v, heads, {
    under: (x, y) => {
      const { places, size } = headPlaces(headsOf(v, side), heads.clientWidth);
      const hit = places.findIndex((place) => x >= place.x && x < place.x + size && y >= place.y - 14 && y < place.y + size);
      return hit < 0 ? null : hit;
    },
    choose: (head) => choose(v, at, head),
    beside: (dx) => MOST(shownOf(v)[at] + dx, headsOf(v, side)),
  });
  const parts = { words: make("div", { className: "words", testid: `${id}-words` }), picture, said: line("said", `${id}-said`), heads };
  v.els[side] = { ...parts, verdict: line("verdict", side === "asks" ? "scene-verdict" : "scene-marking"), answered: make("div", {}, ...Object.values(parts)) };
  return make("section", { className: "side", "aria-label": title }, make("h4", {}, title), v.els[side].verdict, v.els[side].answered);
}

/** @param {View} v @param {import("#canvas/theme.js").Theme} theme */
const swatches = (v, theme) => [
  { name: _("looked at (full: left the most, right all of a patch's weight)"), color: theme.heads[1] }, { name: _("marked"), color: theme.heads[0] },
];

/** @param {View} v */
function build(v) {
  const [grid, picks, tray] = [makeGrid(v), make("div", { className: "picks", testid: "scene-picks" }), makeTray(v)];
  const legend = makeLegend(v, () => swatches(v, v.theme));
  Object.assign(v.els, { grid, picks, legend });
  const save = saving(v, "tlmviz-text-and-image", {
    width: 2 * PICTURE + 72,
    height: () => PICTURE,
    draw: (pen, theme) => SIDES.forEach((side, i) => pen.shifted(i * (PICTURE + 36), 0, () => drawScene(pen, v, theme, PICTURE, side))),
    legend: (theme) => swatches(v, theme),
  });
  const halves = SIDES.map((side) => makeSide(v, side, side === "asks" ? _("The words ask the patches") : _("The patches ask the words")));
  return [picks, make("div", { className: "halves" }, make("section", { className: "layout", "aria-label": _("The picture") }, grid, tray), ...halves),
    make("div", { className: "bar" }, legend.root, save)];
}

/** New data: its words and questions as buttons. @param {View} v */
function fitWords(v) {
  const { els, header } = v;
  delete v.place.question; // it is told only where one is picked: another may have been typed meanwhile
  if (!v.unsent) v.place.shown = header.opens;
  els.picks.replaceChildren(_("Ask:"), ...header.picks.map((pick) => makeButton(pick, _("Ask this"), () => ask(v, { question: pick, shown: [] }))));
  if (header.seq >= v.seq) fillPad(v);
  if (header.problem) return;
  for (const side of SIDES) {
    els[side].words.replaceChildren(...wordsOf(v, side).map((word, i) => {
      const answer = side === "asks" ? i - header.asked.length : -1;
      const title = answer >= 0 ? _("Probability {p}", { p: header.probabilities[answer].toFixed(3) }) : _("Where it looked");
      const chip = makeButton(word === "⟨end⟩" ? _("end") : word, title, () => choose(v, side === "asks" ? 0 : 3, i + 1));
      chip.className = `word${answer >= 0 ? " answer" : ""}${answer === 0 ? " first" : ""}`;
      return chip;
    }));
  }
}

/** @param {View} v */
function fillPad(v) {
  const [top, left] = [Math.floor(v.place.cell / 3) * 8, (v.place.cell % 3) * 8];
  v.pad.fill(Array.from({ length: 64 }, (__, i) => v.arrays.pixels[(top + Math.floor(i / 8)) * 24 + left + (i % 8)]));
}

/** @param {View} v */
function paintGrid(v) {
  const { theme, els, place } = v;
  const [pen, step] = [canvasPen(fit(els.grid, GRID, GRID), theme), GRID / 3];
  drawCells(pen, theme, v.arrays.pixels, GRID);
  for (let i = 0; i < 9; i++) pen.rect((i % 3) * step + 0.5, Math.floor(i / 3) * step + 0.5, step - 1, step - 1, null, theme.faint);
  pen.rect((place.cell % 3) * step + 1.5, Math.floor(place.cell / 3) * step + 1.5, step - 3, step - 3, null, theme.primary, { width: 3 });
  const cell = v.header.names[place.cell];
  els.into.textContent = _("Put into the cell at the {cell}:", { cell });
  els.grid.setAttribute(
    "aria-label", _("The picture, three by three cells. Chosen: {cell}. Arrow keys choose another, a digit key puts that digit there, Delete empties it.",
    { cell }));
}

/** @param {View} v @param {Side} side */
function paintSide(v, side) {
  const { words, picture, said, heads } = v.els[side];
  const inner = v.els[side].answered.clientWidth;
  const size = Math.min(PICTURE, inner);
  drawScene(canvasPen(fit(picture, size, size), v.theme), v, v.theme, size, side);
  drawHeads(canvasPen(fit(heads, inner, headPlaces(headsOf(v, side), inner).height), v.theme), v, v.theme, inner, side);
  const [weights, chosen] = [wordWeights(v, side), shownOf(v)[side === "asks" ? 0 : 3]];
  const full = Math.max(...(weights ?? [1]));
  Array.from(words.children, (chip, i) => {
    chip.classList.toggle("chosen", chosen === i + 1);
    chip.setAttribute("aria-pressed", String(chosen === i + 1));
    chip.style.boxShadow = weights ? `inset 0 -${Math.round((16 * weights[i]) / full)}px 0 color-mix(in srgb, ${v.theme.heads[1]} 45%, transparent)` : "";
  });
  said.textContent = sideSentence(v, side);
  picture.setAttribute("aria-label", _("The picture in 36 patches. {said} Arrow keys choose a patch, Escape none.", { said: said.textContent }));
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  paintGrid(v);
  v.pad.paint(v.theme, PAD);
  els.legend.repaint();
  for (const side of SIDES) {
    const [text, wrong] = side === "asks" ? [header.problem || header.verdict, header.problem || header.wrong] : [header.marking ?? "", header.markedWrong];
    els[side].verdict.textContent = text;
    els[side].verdict.classList.toggle("wrong", Boolean(wrong));
    els[side].answered.hidden = Boolean(header.problem);
    if (!header.problem) paintSide(v, side);
  }
  Object.assign(v.root.dataset, { cell: String(place.cell), shown: shownOf(v).join("."), answer: (header.words ?? []).join(" "), seq: String(v.seq) });
}

export default live({ id: "scene", build, paint, fit: fitWords });
