// @ts-check
// Two texts under each other and the grid of patches between them: pointed at here, chosen for the server.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { clip, visible } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { cellAt, drawPatches, gridOf, twoDigits } from "./drawing.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 120; // milliseconds that a key may follow on another until the server learns of a cell
const SAVED = 900; // pixels of a saved figure

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  Object.assign(v, { header, preview: arrays.preview, exact: arrays.exact });
  if (fresh || !v.chosen) v.chosen = header.chosen;
  v.hover = null;
  fillTokens(v);
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function fillTokens(v) {
  const { clean, corrupted } = v.header;
  const told = JSON.stringify([clean, corrupted]);
  if (told === v.told) return;
  v.told = told;
  const word = (/** @type {string} */ token, /** @type {string} */ className) => make("span", { className, textContent: clip(visible(token), 20) });
  const columns = clean.map((token, i) => {
    const exchanged = token !== corrupted[i];
    return make("span", { className: exchanged ? "pair exchanged" : "pair" }, word(token, "clean"), word(corrupted[i], exchanged ? "corrupted" : "same"));
  });
  const names = make("span", { className: "pair names" }, make("span", { textContent: "clean" }), make("span", { textContent: "corrupted" }));
  v.els.tokens.replaceChildren(names, ...columns);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  const width = /** @type {HTMLElement} */ (els.grid.parentElement).clientWidth;
  v.layout = gridOf(header, width);
  drawPatches(canvasPen(fit(els.grid, width, v.layout.height), v.theme), v.theme, { ...v, grid: v.layout });
  els.said.textContent = v.hover ? sentence(v, v.hover) : header.said;
  els.grid.setAttribute("aria-label", TEXTS.patchesLayerChosen(header.heads, sentence(v, v.chosen)));
  Object.assign(v.root.dataset, { cell: v.chosen.join("."), exact: String(Array.from(v.exact).every((value) => !Number.isNaN(value))) });
}

/**
 * @param {View} v
 * @param {number[]} cell
 */
function sentence({ header, preview, exact }, [row, column]) {
  const at = row * header.columns + column;
  const place = header.heads ? `head ${row}.${column}` : `layer ${row}, position ${column}, ⁨${visible(header.clean[column])}⁩`;
  const known = Number.isNaN(exact[at]) ? "" : `exact ${twoDigits(exact[at])}, `;
  return `${header.part} of ${place}: ${known}preview ${twoDigits(preview[at])}.`;
}

/**
 * @param {View} v
 * @param {number[]} cell
 */
function choose(v, cell) {
  v.chosen = cell;
  paint(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function typed(v, event) {
  const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!way) return;
  event.preventDefault();
  const { rows, columns } = v.header;
  choose(v, [Math.max(0, Math.min(rows - 1, v.chosen[0] + way[0])), Math.max(0, Math.min(columns - 1, v.chosen[1] + way[1]))]);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const grid = gridOf(v.header, SAVED - 16);
  return figureOf("tlmviz-patch", { width: SAVED, height: grid.height + 36, theme }, (pen) => {
    pen.text(16, 16, `Patched: ${v.header.part}`, { color: theme.text, size: 13, weight: 600 });
    pen.shifted(8, 30, () => drawPatches(pen, theme, { ...v, grid, hover: null }));
  });
}

/** @param {View} v */
function makeGrid(v) {
  const grid = make("canvas", { testid: "patch-grid", role: "application", tabIndex: 0 });
  const cellOf = (/** @type {PointerEvent | MouseEvent} */ { offsetX, offsetY }) => (v.layout ? cellAt(v.header, v.layout, offsetX, offsetY) : null);
  const point = (/** @type {number[] | null} */ cell) => {
    if (String(cell) === String(v.hover)) return;
    v.hover = cell;
    paint(v);
  };
  grid.addEventListener("pointermove", (event) => point(cellOf(event)));
  grid.addEventListener("pointerleave", () => point(null));
  grid.addEventListener("click", (event) => {
    const cell = cellOf(event);
    if (cell) choose(v, cell);
  });
  grid.addEventListener("keydown", (event) => typed(v, event));
  return grid;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ hover: null, told: "" });
  v.sendSoon = debounce(() => v.component.setStateValue("cell", { cell: v.chosen, origin: v.header.origin }), DELAY);
  v.els = { tokens: make("div", { className: "tokens", testid: "patch-tokens" }), said: make("p", { className: "said", testid: "patch-said" }), grid: makeGrid(v) };
  const saves = [pictureButton(v, "this grid", () => saved(v))];
  v.root = make("div", { className: "patch", testid: "patch-root" }, v.els.tokens, make("div", { className: "bar" }, v.els.said, make("div", { className: "menu" }, ...saves)), make("div", { className: "cells" }, v.els.grid));
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
