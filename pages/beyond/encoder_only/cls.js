// @ts-check
// Two texts, shaded by what [CLS] reads of them in one layer and head; all heads as small tiles to choose from.

import { make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { _ } from "#canvas/language.js";
import { go, live } from "#canvas/live.js";
import { BEHIND_TEXT, fade } from "#canvas/theme.js";
import { colorParts, layChips } from "./chips.js";

/**
 * `first` is the place of the [SEP] between the texts; `verdicts` a question and a probability each, `moved` the places that
 * say of themselves that they are exchanged.
 * @typedef {{ tokens: string[], first: number, head: [number, number], verdicts: [string, number][], moved: number[],
 *   arrays: { row: { shape: number[] } } }} Header
 */
/** @typedef {import("#canvas/live.js").View<Header, { row: Float32Array }, { head: [number, number] }> & { chips: HTMLElement[] }} View */

const TEXTS = /** @type {("first" | "second")[]} */ (["first", "second"]);

/**
 * [CLS]'s weights of one head.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
function weightsOf(v, layer, head) {
  const [, heads, count] = v.header.arrays.row.shape;
  const start = (layer * heads + head) * count;
  return v.arrays.row.subarray(start, start + count);
}

/**
 * Weights on the first text, on the second, and on the special tokens, as numbers and in percent.
 * @param {View} v
 * @param {Float32Array} row
 */
function shares({ header: { first } }, row) {
  const sum = (/** @type {number} */ from, /** @type {number} */ to) => row.subarray(from, to).reduce((total, weight) => total + weight, 0);
  const parts = { first: sum(1, first), second: sum(first + 1, row.length - 1) };
  const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(0)}%`;
  return { parts, said: { first: percent(parts.first), second: percent(parts.second), special: percent(row[0] + row[first] + row[row.length - 1]) } };
}

/** @param {View} v */
function layHeads(v) {
  const [layers, heads] = v.header.arrays.row.shape;
  const cells = [];
  for (let layer = 0; layer < layers; layer++) {
    cells.push(make("span", { className: "layer" }, _("layer {n}", { n: layer })));
    for (let head = 0; head < heads; head++) {
      const { parts, said } = shares(v, weightsOf(v, layer, head));
      const title = _("L{layer}H{head}: {first} on the first text, {second} on the second, {special} on special tokens", { layer, head, ...said });
      const cell = make("button", { className: "cell", title }, ...TEXTS.map((name) => {
        const part = make("i", { className: name });
        part.style.height = `${100 * parts[name]}%`;
        return part;
      }));
      cell.dataset.head = `${layer}.${head}`;
      cells.push(cell);
    }
  }
  v.els.heads.style.gridTemplateColumns = `auto repeat(${heads}, minmax(0, 1fr))`;
  v.els.heads.replaceChildren(...cells);
}

/** @param {View} v */
function paint(v) {
  colorParts(v.root, v.theme);
  const [layer, head] = v.hover ?? v.place.head;
  const row = weightsOf(v, layer, head);
  const most = row.reduce((a, b) => Math.max(a, b), 0) || 1;
  v.chips.forEach((chip, at) => {
    chip.style.background = fade(v.theme.heads[at > v.header.first ? 1 : 0], (BEHIND_TEXT * row[at]) / most);
    chip.title = _("[CLS] weighs it {weight}", { weight: row[at].toFixed(4) });
  });
  for (const cell of v.els.heads.querySelectorAll("button")) cell.classList.toggle("chosen", cell.dataset.head === `${layer}.${head}`);
  v.els.said.textContent =
    _("L{layer}H{head}: [CLS] has {first} of its weight on the first text, {second} on the second, {special} on [CLS] and [SEP]; the darkest token gets " +
    "{most}.", { layer, head, ...shares(v, row).said, most: most.toFixed(3) });
  v.els.verdict.replaceChildren(...v.header.verdicts.flatMap(([question, p], at) => {
    const bar = make("i", { className: TEXTS[at] });
    bar.style.width = `${(100 * p).toFixed(1)}%`;
    return [make("span", {}, `${question}: `, make("b", {}, `${(100 * p).toFixed(1)}%`)), make("div", { className: "track wide" }, bar)];
  }));
  Object.assign(v.root.dataset, { head: `${layer}.${head}`, exchanged: v.header.verdicts[0][1].toFixed(4) });
}

/** @param {Event} event @returns {[number, number] | null} */
function headAt({ target }) {
  const cell = /** @type {HTMLElement} */ (target).closest("button");
  const [layer, head] = (cell?.dataset.head ?? "").split(".").map(Number);
  return cell ? [layer, head] : null;
}

/** @param {View} v */
function build(v) {
  const [text, said] = [make("div", { className: "text", testid: "cls-text" }), make("p", { className: "said", "aria-live": "polite", testid: "cls-said" })];
  const heads = make("div", { className: "heads", testid: "cls-heads", role: "group", "aria-label": _("Heads: how much of [CLS]'s weight lies on each text") });
  const verdict = make("div", { className: "verdict", testid: "cls-verdict" });
  Object.assign(v.els, { text, said, heads, verdict });
  const point = (/** @type {[number, number] | null} */ hover) => {
    v.hover = hover;
    v.paint();
  };
  heads.addEventListener("pointerover", (event) => point(headAt(event)));
  heads.addEventListener("pointerleave", () => point(null));
  heads.addEventListener("click", (event) => {
    const head = headAt(event);
    if (head) go(v, { head });
  });
  addMenu(v, _("What [CLS] reads of two texts"));
  const title = make("h4", {}, _("What [CLS] reads, head by head:"), " ", make("i", { className: "first" }), ` ${_("first text")} `,
    make("i", { className: "second" }), ` ${_("second")}`);
  return [make("div", { className: "sides" }, make("div", { className: "page" }, verdict, text, said), make("div", { className: "side" }, title, heads))];
}

/** @param {View} v */
function fitTexts(v) {
  v.place.head = v.header.head;
  v.chips = layChips(v.els.text, v.header.tokens);
  for (const at of v.header.moved) v.chips[at].classList.add("moved");
  v.els.text.insertBefore(make("br"), v.chips[v.header.first + 1]);
  layHeads(v);
}

export default live({ id: "cls", build, paint, fit: fitTexts });
