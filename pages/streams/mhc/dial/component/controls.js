// @ts-check
// The DOM of the dial, built once: slider, menus, pictures.

import { visible } from "#canvas/text.js";
import { make, makeButton } from "#canvas/dom.js";
import { pictureButton } from "#canvas/picture.js";
import { logitsText, resize, sendText } from "./cells.js";
import { savedDial } from "./figure.js";
import { ITERATIONS } from "./sinkhorn.js";
import { act, paint } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const LAST = 2 * ITERATIONS; // half steps
const FRAME = 260; // milliseconds of a half step while playing
const SVG = "http://www.w3.org/2000/svg";

/**
 * Every part of the view that changes.
 * @param {View} v
 */
export function makeElements(v) {
  const words = () => make("p", { className: "words" });
  const temperature = (/** @type {number} */ value) => act(v, { temperature: value === 0 ? 1 : 10 ** (value / 100) });
  return {
    dial: slider(TEXTS.halfStepsSinkhorn, 0, LAST, (step) => act(v, { step })),
    play: button("▶", "Play or pause", () => (v.playing ? pause(v) : play(v))),
    at: make("output", { className: "at" }),
    heat: Object.assign(slider("Temperature", -130, 130, temperature), { title: TEXTS.dividesLogitsEntries }),
    degrees: make("output", { className: "degrees" }),
    token: menu("Token", (token) => act(v, { token })),
    sublayer: menu("Sublayer", (sublayer) => act(v, { sublayer })),
    forModel: make("span", { className: "group" }),
    size: make("b", { className: "size" }),
    forOwn: make("span", { className: "group" }),
    matrix: panel("matrix"),
    cell: words(),
    residual: panel("residual"),
    speed: words(),
    gain: panel("gain"),
    depth: words(),
    toggle: button("|gain − 1|", TEXTS.showDistanceLogarithmic, () => {
      v.distance = !v.distance;
      paint(v);
    }),
    gains: make("div", { className: "gains" }),
    cells: make("div", { className: "cells" }),
    edit: make("div", { className: "editor" }),
    verdict: make("p", { className: "verdict", "aria-live": "polite" }),
  };
}

/**
 * The elements in their places.
 * @param {View} v
 */
export function assemble(v) {
  const { els } = v;
  const pair = (/** @type {(Node | string)[]} */ ...parts) => make("span", { className: "pair" }, ...parts);
  els.forModel.append(
    pair("Token", button("‹", "Previous token", () => shift(v, "token", -1)), els.token, button("›", "Next token", () => shift(v, "token", 1))),
    pair("Sublayer", button("‹", "Previous sublayer", () => shift(v, "sublayer", -1)), els.sublayer, button("›", "Next sublayer", () => shift(v, "sublayer", 1))),
    button("Edit", TEXTS.takeTheseLogits, () => sendText(v, "taken", logitsText(v))));
  els.forOwn.append(pair("Size", button("−", TEXTS.rowColumnFewer, () => resize(v, -1)), els.size, button("+", TEXTS.rowColumnMore, () => resize(v, 1))));
  els.gains.append(els.gain, els.depth, els.toggle);
  els.edit.append(make("p", { className: "title" }, TEXTS.matrixEdit), els.cells);
  return make("div", { className: "dial" },
    make("div", { className: "bar" }, els.forModel, els.forOwn,
      make("label", { className: "pair" }, "Temperature", els.heat, els.degrees),
      button("T = 1", "Temperature back to 1", () => act(v, { temperature: 1 })),
      pictureButton(v, "these pictures", () => savedDial(v))),
    make("div", { className: "bar turn" }, els.play, button("‹", TEXTS.halfStepBack, () => move(v, -1)), els.dial, button("›", TEXTS.halfStep, () => move(v, 1)), els.at),
    els.verdict,
    make("div", { className: "panels" }, els.edit, make("div", {}, els.matrix, els.cell), make("div", {}, els.residual, els.speed), els.gains));
}

/**
 * A button named by its tooltip: its text is a sign.
 * @param {string} text
 * @param {string} title
 * @param {() => void} action
 */
function button(text, title, action) {
  const element = makeButton(text, title, action);
  element.setAttribute("aria-label", title);
  return element;
}

/**
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @param {(value: number) => void} onmove
 */
function slider(name, min, max, onmove) {
  const input = make("input", { type: "range", min, max, step: 1, "aria-label": name });
  input.addEventListener("input", () => onmove(Number(input.value)));
  return input;
}

/**
 * @param {string} name
 * @param {(value: number) => void} onchoice
 */
function menu(name, onchoice) {
  const select = make("select", { "aria-label": name });
  select.addEventListener("change", () => onchoice(Number(select.value)));
  return select;
}

/** @param {string} name */
function panel(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("width", "100%");
  svg.setAttribute("role", "img");
  if (name === "matrix") svg.setAttribute("tabindex", "0");
  return make("div", { className: `picture ${name}` }, svg);
}

/**
 * The model's tokens and sublayers as options, when they have changed.
 * @param {View} v
 */
export function fillMenus(v) {
  const { tokens, sublayers } = v.data.model;
  const menus = JSON.stringify([tokens, sublayers]);
  if (menus === v.menus) return;
  v.menus = menus;
  const options = (/** @type {string[]} */ names) => names.map((textContent, value) => make("option", { textContent, value }));
  v.els.token.replaceChildren(...options(tokens.map((token, i) => `${i + 1} · ${visible(token)}`)));
  v.els.sublayer.replaceChildren(...options(sublayers));
}

/**
 * @param {View} v
 * @param {number} change
 */
function move(v, change) {
  act(v, { step: Math.min(LAST, Math.max(0, v.step + change)) });
}

/**
 * @param {View} v
 * @param {"token" | "sublayer"} name
 * @param {number} change
 */
function shift(v, name, change) {
  const { tokens, sublayers } = v.data.model;
  const count = (name === "token" ? tokens : sublayers).length;
  act(v, { [name]: Math.min(count - 1, Math.max(0, v[name] + change)) });
}

/** @param {View} v */
function play(v) {
  if (v.step === LAST) v.step = 0;
  v.els.play.textContent = "❚❚";
  v.playing = setInterval(() => {
    act(v, { step: v.step + 1 });
    if (v.step >= LAST) pause(v);
  }, FRAME);
}

/** @param {View} v */
function pause(v) {
  clearInterval(v.playing);
  v.playing = null;
  v.els.play.textContent = "▶";
}

/**
 * Pointing at an entry reads it; so do the arrow keys.
 * @param {View} v
 */
export function wireMatrix(v) {
  const svg = v.els.matrix.querySelector("svg");
  const read = (/** @type {Event} */ event) => {
    const { cell } = /** @type {HTMLElement} */ (event.target).dataset;
    if (cell === undefined || Number(cell) === v.cursor) return;
    v.cursor = Number(cell);
    paint(v);
  };
  svg.addEventListener("pointermove", read);
  svg.addEventListener("click", read);
  svg.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (!step) return;
    event.preventDefault();
    const inside = (/** @type {number} */ x) => Math.min(v.n - 1, Math.max(0, x));
    const [i, j] = [Math.floor(v.cursor / v.n), v.cursor % v.n];
    v.cursor = v.cursor === null ? 0 : inside(i + step[0]) * v.n + inside(j + step[1]);
    paint(v);
  });
}
