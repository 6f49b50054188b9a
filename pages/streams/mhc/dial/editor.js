// @ts-check
// A matrix of the user's own as cells to edit. What they hold is the text of the place, which the server reads as well.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask } from "#canvas/live.js";

/** @typedef {import("./view.js").View} View */

/** @param {string[][]} words */
const joined = (words) => words.map((row) => row.join(" ")).join("\n");

/** The cells, and what changes their number. @param {View} v */
export function makeEditor(v) {
  const [grid, size] = [make("div", { className: "cells" }), make("b")];
  const sizes = make("div", { className: "bar" }, _("Size"), makeButton("−", _("One row and column fewer"), () => resize(v, -1)), size,
    makeButton("+", _("One row and column more"), () => resize(v, 1)));
  for (const button of sizes.querySelectorAll("button")) button.setAttribute("aria-label", button.title);
  return { grid, size, sizes, root: make("div", {}, make("p", { className: "said" }, _("Your matrix, to edit")), grid) };
}

/** Take over the server's words, unless the text is that of the cells: the next one may be half typed. @param {View} v */
export function fitCells(v) {
  if (v.words && joined(v.words) === v.place.matrix) return;
  const words = v.header.own.words.map((row) => [...row]);
  if (v.words && joined(words) === joined(v.words)) return;
  v.words = words;
  buildCells(v);
}

/** @param {View} v */
function buildCells(v) {
  const { editor: { grid, size } } = v.els;
  const n = v.words.length;
  size.textContent = `${n} × ${n}`;
  grid.style.setProperty("--n", String(n));
  grid.classList.toggle("tiny", n > 8);
  grid.replaceChildren(...v.words.flatMap((row, i) => row.map((word, j) => makeCell(v, word, i, j))));
}

/** @param {View} v @param {string} word @param {number} i @param {number} j */
function makeCell(v, word, i, j) {
  const input = make("input", { value: word, title: word, spellcheck: false, autocomplete: "off",
    "aria-label": _("Row {row}, column {column}", { row: i + 1, column: j + 1 }) });
  input.addEventListener("change", () => {
    v.words[i][j] = input.title = input.value = input.value.trim().replace(/[\s,;[\]]+/g, "_") || "0";
    ask(v, { matrix: joined(v.words) });
  });
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text");
    if (!/\S[\s,;]+\S/.test(text)) return; // several numbers replace the whole matrix
    event.preventDefault();
    ask(v, { matrix: text });
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const row = Math.min(v.words.length - 1, Math.max(0, i + step));
    /** @type {HTMLElement} */ (v.els.editor.grid.children[row * v.words.length + j]).focus();
  });
  return input;
}

/** @param {View} v @param {number} change */
function resize(v, change) {
  const n = v.words.length + change;
  if (n < 2 || n > 16) return;
  v.words = Array.from({ length: n }, (__, i) => Array.from({ length: n }, (___, j) => v.words[i]?.[j] ?? (i === j ? "1" : "0")));
  buildCells(v);
  ask(v, { matrix: joined(v.words) });
}
