// @ts-check
// One token's row through a layer: a click chooses a step and opens the cell where it lies.

import { make } from "#canvas/dom.js";
import { hoveredSpots, lightUp, onHovered } from "#canvas/hovered.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { digits, minus, visible } from "#canvas/text.js";
import { cellAt, drawStrips, heightOf, middleOf, tokenOf } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */
/** @typedef {import("./drawing.js").Place} Place */

/** @param {View} v */
const numberOf = (v) => Math.max(0, v.header.rows.findIndex(({ name }) => name === v.place.step));

/** @param {View} v @param {Place} to */
function choose(v, { number, cell }) {
  ask(v, { step: v.header.rows[number].name, cell: cell < 0 ? null : cell });
}

/**
 * The cell that an arrow key leads to.
 * @param {View} v
 * @param {number} right
 * @param {number} down
 */
function beside(v, right, down) {
  const number = Math.max(0, Math.min(v.header.rows.length - 1, numberOf(v) + down));
  const last = v.arrays[`values${number}`].length - 1;
  return { number, cell: right ? Math.max(0, Math.min(last, (v.place.cell ?? -1) + right)) : -1 };
}

/**
 * What a cell is called, and its number.
 * @param {View} v
 * @param {Place} place
 */
function cellName(v, { number, cell }) {
  const { labels, x } = v.header.rows[number];
  const value = v.arrays[`values${number}`][cell];
  const name = `${x} ${v.arrays[`places${number}`][cell]}${labels[cell] === undefined ? "" : ` “${visible(labels[cell])}”`}`;
  return Number.isFinite(value) ? `${name}: ${minus(digits(value, 5))}` : _("{name}: hidden by the mask", { name });
}

/**
 * The chosen cell opened below itself: its name, and of a product the largest of its terms.
 * @param {View} v
 * @param {Place} place
 */
function openCard(v, place) {
  const { card, canvas } = v.els;
  card.hidden = v.place.cell === null || v.header.rows[place.number].name !== v.place.step;
  if (card.hidden) return;
  const { opened } = v.header;
  const lines = [make("b", { textContent: cellName(v, place) })];
  const say = (/** @type {string} */ textContent, className = "") => lines.push(make("div", { textContent, className }));
  if (opened && opened.step === v.place.step && opened.cell === v.place.cell) {
    const short = (/** @type {number} */ value, figures = 3) => minus(digits(value, figures));
    say(_("Σ of {count} products, {left} × {right}; the largest:", { count: opened.count, left: opened.left, right: opened.right }));
    for (const [name, left, right] of opened.terms) say(`${name}: ${short(left)} × ${short(right)} = ${short(left * right)}`, "term");
    if (opened.bias) say(_("bias {bias}", { bias: short(opened.bias) }), "term");
    say(_("sum {total}; in the model's tensor {actual}", { total: short(opened.total, 6), actual: short(opened.actual, 6) }));
  }
  card.replaceChildren(...lines);
  const at = middleOf(v, place);
  const above = at.y + 8 + card.offsetHeight > heightOf(v) && at.y - 30 - card.offsetHeight > 0;
  card.style.left = `${Math.max(0, Math.min(at.x - 40, v.width - card.offsetWidth - 2))}px`;
  card.style.top = `${canvas.offsetTop + (above ? at.y - 24 - card.offsetHeight : at.y + 6)}px`;
}

/**
 * What is pointed at, beside the pointer; its token lights up in the other views.
 * @param {View} v
 */
function showTip(v) {
  const { tip, canvas } = v.els;
  tip.hidden = !v.hover || v.hover.cell < 0;
  canvas.style.cursor = v.hover ? "pointer" : "";
  if (tip.hidden) return;
  const at = middleOf(v, v.hover);
  tip.textContent = cellName(v, v.hover);
  tip.style.left = `${Math.max(0, Math.min(at.x + 12, v.width - tip.offsetWidth))}px`;
  tip.style.top = `${canvas.offsetTop + at.y - 46}px`;
}

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { testid: "rows", role: "img", tabIndex: 0 });
  const card = make("div", { className: "tip card", testid: "card", "aria-live": "polite", hidden: true });
  const tip = make("div", { className: "tip", role: "tooltip", hidden: true });
  const heading = make("p", { className: "heading" });
  Object.assign(v.els, { heading, canvas, card, tip });
  const under = (/** @type {number} */ x, /** @type {number} */ y) => cellAt(v, x, y);
  cells(v, canvas, { under, choose: (place) => choose(v, place), beside: (right, down) => beside(v, right, down) });
  canvas.addEventListener("keydown", ({ key }) => key === "Escape" && go(v, { cell: null }));
  const light = () => lightUp(v.hover ? tokenOf(v, v.hover) : []);
  for (const event of ["pointermove", "pointerleave", "click"]) canvas.addEventListener(event, light);
  v.ends.push(onHovered(() => v.paint()));
  const save = saving(v, "tlmviz-inside-a-block", { height: () => heightOf(v), draw: (pen, theme, width) => drawStrips(pen, v, theme, width, []) });
  return [make("div", { className: "bar" }, heading, save), make("div", { className: "panel" }, canvas), card, tip];
}

/** @param {View} v */
function paint(v) {
  const { heading, canvas } = v.els;
  heading.textContent = v.header.title;
  const place = { number: numberOf(v), cell: v.place.cell ?? -1 };
  drawStrips(penOf(v, canvas, heightOf(v)), v, v.theme, widthOf(canvas), hoveredSpots());
  const chosen = place.cell < 0 ? "" : `, ${cellName(v, place)}`;
  canvas.setAttribute("aria-label", _("{title}, step by step. Chosen: {step}{cell}. Up and down arrow keys choose a step, left and right a cell.",
    { title: v.header.title, step: v.place.step, cell: chosen }));
  Object.assign(v.root.dataset, { step: v.place.step, cell: String(place.cell), rows: String(v.header.rows.length) });
  openCard(v, place);
  showTip(v);
}

/** @param {View} v */
function fitPlace(v) {
  v.place.step = v.header.step;
  const row = v.header.rows.findIndex(({ name }) => name === v.place.step);
  const { cell } = v.place;
  v.place.cell = cell === null || row < 0 ? null : Math.min(cell, v.arrays[`values${row}`].length - 1);
}

export default live({ id: "block", build, paint, fit: fitPlace });
