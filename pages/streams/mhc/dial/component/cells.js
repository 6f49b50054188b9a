// @ts-check
// A matrix of the user's own: cells to edit, and the texts that go to the server.

import { make } from "#canvas/dom.js";
import { paint } from "./view.js";

/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").View} View */

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Take over the server's matrix, unless it is behind the user's edits: the next cell may be half typed.
 * @param {View} v
 * @param {Data["own"]} own
 */
export function receiveOwn(v, { typed, words }) {
  const echo = v.pending.lastIndexOf(typed);
  if (echo >= 0) {
    v.pending.splice(0, echo + 1);
  } else if (typed === v.typed || (typed === v.confirmed && v.pending.length)) {
    return; // the server has not yet seen the last edit
  } else {
    Object.assign(v, { typed, pending: [], words: words.map((row) => [...row]) });
    buildCells(v);
  }
  v.confirmed = typed;
}

/**
 * The typed words as logits; null where the server will say what is wrong.
 * @param {View} v
 */
export function ownLogits(v) {
  const logits = v.data.own.kind === "logits";
  const values = v.words.flat().map((word) => {
    const text = word.replace("−", "-").replace("∞", "inf");
    if (/^-inf$/i.test(text) && logits) return -Infinity;
    const value = NUMBER.test(text) ? Number(text) : NaN;
    if (logits) return value;
    return value >= 0 ? Math.log(value) : NaN;
  });
  return values.some((value) => Number.isNaN(value) || value === Infinity) ? null : Float64Array.from(values);
}

/** @param {View} v */
function buildCells(v) {
  const n = v.words.length;
  v.els.size.textContent = `${n} × ${n}`;
  v.els.cells.style.setProperty("--n", String(n));
  v.els.cells.classList.toggle("tiny", n > 8);
  v.els.cells.replaceChildren(...v.words.flatMap((row, i) => row.map((word, j) => makeCell(v, word, i, j))));
}

/**
 * @param {View} v
 * @param {string} word
 * @param {number} i
 * @param {number} j
 */
function makeCell(v, word, i, j) {
  const input = make("input", { value: word, title: word, spellcheck: false, autocomplete: "off", "aria-label": `Row ${i + 1}, column ${j + 1}` });
  input.addEventListener("change", () => {
    v.words[i][j] = input.title = input.value = input.value.trim().replace(/[\s,;[\]]+/g, "_") || "0";
    sendWords(v);
  });
  input.addEventListener("paste", (event) => paste(v, event));
  input.addEventListener("keydown", (event) => moveFocus(v, event, i, j));
  return input;
}

/**
 * Several numbers replace the whole matrix.
 * @param {View} v
 * @param {ClipboardEvent} event
 */
function paste(v, event) {
  const text = event.clipboardData.getData("text");
  if (!/\S[\s,;]+\S/.test(text)) return;
  event.preventDefault();
  sendText(v, "edited", text);
}

/**
 * Up, down and Enter go from cell to cell.
 * @param {View} v
 * @param {KeyboardEvent} event
 * @param {number} i
 * @param {number} j
 */
function moveFocus(v, event, i, j) {
  const steps = { ArrowUp: -1, ArrowDown: 1, Enter: 1 };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (!step) return;
  event.preventDefault();
  const row = Math.min(v.words.length - 1, Math.max(0, i + step));
  /** @type {HTMLElement} */ (v.els.cells.children[row * v.words.length + j]).focus();
}

/**
 * One row and column more or fewer.
 * @param {View} v
 * @param {number} change
 */
export function resize(v, change) {
  const n = v.words.length + change;
  if (n < 2 || n > 16) return;
  v.words = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => v.words[i]?.[j] ?? (i === j ? "1" : "0")));
  buildCells(v);
  sendWords(v);
}

/** @param {View} v */
function sendWords(v) {
  v.typed = v.words.map((row) => row.join(" ")).join("\n");
  v.pending.push(v.typed);
  paint(v);
  sendText(v, "edited", v.typed);
}

/**
 * The chosen sublayer's logits as text.
 * @param {View} v
 */
export function logitsText(v) {
  const words = Array.from(v.raw, (value) => String(Number(value.toPrecision(7))));
  return Array.from({ length: v.n }, (_, i) => words.slice(i * v.n, (i + 1) * v.n).join(" ")).join("\n");
}

/**
 * Send a matrix as text: `edited` by the user, or `taken` over from the model.
 * @param {View} v
 * @param {"edited" | "taken"} name
 * @param {string} text
 */
export function sendText(v, name, text) {
  v.triggers += 1;
  v.component.setTriggerValue(name, { text, count: v.triggers });
}
