// @ts-check
// One token's row through a layer: a click chooses a step and opens the cell where it lies.

import { decode } from "#canvas/decode.js";
import { make } from "#canvas/dom.js";
import { hoveredSpots, lightUp, onHovered } from "#canvas/hovered.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { digits, minus, visible } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { cellAt, drawStrips, heightOf, middleOf, tokenOf } from "./strips.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  Object.assign(v, decode(bytes));
  const { step, cell, seq } = v.header;
  if (seq >= v.seq) {
    const row = v.header.rows.findIndex(({ name }) => name === step);
    Object.assign(v, { step, seq, cell: row < 0 ? -1 : Math.min(cell, v.arrays[`values${row}`].length - 1) });
  }
  repaint(v);
}

/**
 * The user chooses a step and a cell of it; the server takes a product's cell apart.
 * @param {View} v
 * @param {number} number
 * @param {number} cell
 */
function choose(v, number, cell) {
  v.step = v.header.rows[number].name;
  v.cell = cell;
  v.seq += 1;
  repaint(v);
  v.component.setStateValue("place", { step: v.step, cell, seq: v.seq });
}

/** @param {View} v */
function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = v.canvas.parentElement.clientWidth;
  if (!width) return;
  drawStrips(canvasPen(fit(v.canvas, width, heightOf(v)), v.theme), v, v.theme, width);
  const number = Math.max(0, v.header.rows.findIndex(({ name }) => name === v.step));
  v.canvas.setAttribute("aria-label", TEXTS.stepStepChosen(v.header.title, v.step, v.cell < 0 ? "" : `, ${cellName(v, number, v.cell)}`));
  Object.assign(v.root.dataset, { step: v.step, cell: v.cell, rows: v.header.rows.length });
  openCard(v, number, width);
}

/**
 * What a cell is called, and its number.
 * @param {View} v
 * @param {number} number
 * @param {number} cell
 */
function cellName(v, number, cell) {
  const { labels, x } = v.header.rows[number];
  const value = v.arrays[`values${number}`][cell];
  const label = labels[cell] === undefined ? "" : ` “${visible(labels[cell])}”`;
  return TEXTS.hiddenMask(x, v.arrays[`places${number}`][cell], label, Number.isFinite(value), minus(digits(value, 5)));
}

/**
 * The chosen cell opened below itself: its name, and of a product the largest of its terms.
 * @param {View} v
 * @param {number} number
 * @param {number} width
 */
function openCard(v, number, width) {
  v.card.hidden = v.cell < 0 || v.header.rows[number].name !== v.step;
  if (v.card.hidden) return;
  const { opened } = v.header;
  const lines = [make("b", { textContent: cellName(v, number, v.cell) })];
  if (opened && opened.step === v.step && opened.cell === v.cell) {
    const sum = opened.terms.map(([name, left, right]) => `${name}: ${minus(digits(left, 3))} × ${minus(digits(right, 3))} = ${minus(digits(left * right, 3))}`);
    lines.push(make("div", { textContent: TEXTS.productsLargest(opened.count, opened.left, opened.right) }), ...sum.map((text) => make("div", { className: "term", textContent: text })));
    lines.push(make("div", { textContent: TEXTS.sumModelTensor(opened.bias, minus(digits(opened.bias, 3)), minus(digits(opened.total, 6)), minus(digits(opened.actual, 6))) }));
  }
  v.card.replaceChildren(...lines);
  const at = middleOf(v, width, number, v.cell);
  v.card.style.left = `${Math.max(0, Math.min(at.x - 40, width - v.card.offsetWidth - 2))}px`;
  const above = at.y + 8 + v.card.offsetHeight > heightOf(v) && at.y - 30 - v.card.offsetHeight > 0;
  v.card.style.top = `${v.canvas.offsetTop + (above ? at.y - 24 - v.card.offsetHeight : at.y + 6)}px`;
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function key(v, event) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (event.altKey || event.ctrlKey || event.metaKey || (!step && event.key !== "Escape")) return;
  event.preventDefault();
  const number = Math.max(0, v.header.rows.findIndex(({ name }) => name === v.step));
  if (!step) {
    v.cell = -1;
    repaint(v);
    return;
  }
  const [down, right] = step;
  const next = Math.max(0, Math.min(v.header.rows.length - 1, number + down));
  const last = v.arrays[`values${next}`].length - 1;
  choose(v, next, right ? Math.max(0, Math.min(last, v.cell + right)) : -1);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  return figureOf("tlmviz-inside-a-block", { width: 1000, height: heightOf(v) + 50, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => drawStrips(pen, v, theme, 968));
  });
}

/** @param {View} v */
function leave(v) {
  v.observer.disconnect();
  v.unhovered();
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ step: "", cell: -1, seq: 0, lit: hoveredSpots() });
  v.unhovered = onHovered(() => {
    v.lit = hoveredSpots();
    if (v.header) repaint(v);
  });
  v.canvas = make("canvas", { testid: "rows", role: "img", tabIndex: 0 });
  v.card = make("div", { className: "card", testid: "card", "aria-live": "polite", hidden: true });
  v.tip = make("div", { className: "tip", role: "tooltip", hidden: true });
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
  v.root = make("div", { className: "rows", testid: "block-rows" }, saves, v.canvas, v.card, v.tip);
  host.append(v.root);
  const found = (/** @type {MouseEvent} */ event) => {
    const box = v.canvas.getBoundingClientRect();
    return cellAt(v, box.width, event.clientX - box.x, event.clientY - box.y);
  };
  v.canvas.addEventListener("click", (event) => {
    const place = found(event);
    if (!place) return;
    lightUp(tokenOf(v, place.number, place.cell));
    choose(v, place.number, place.cell);
  });
  v.canvas.addEventListener("pointermove", (event) => {
    const place = event.pointerType === "mouse" ? found(event) : null;
    v.canvas.style.cursor = place ? "pointer" : "";
    v.tip.hidden = !place || place.cell < 0;
    lightUp(place ? tokenOf(v, place.number, place.cell) : []);
    if (v.tip.hidden) return;
    v.tip.textContent = cellName(v, place.number, place.cell);
    const frame = v.root.getBoundingClientRect();
    v.tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 12, frame.width - v.tip.offsetWidth))}px`;
    v.tip.style.top = `${event.clientY - frame.top - 34}px`;
  });
  v.canvas.addEventListener("pointerleave", () => {
    v.tip.hidden = true;
    lightUp([]);
  });
  v.canvas.addEventListener("keydown", (event) => key(v, event));
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

export default mounted({ create, receive, leave });
