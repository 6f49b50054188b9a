// @ts-check
// Two texts, shaded by what [CLS] reads of them in one layer and head; all heads as small tiles to choose from.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { fade, readTheme } from "#canvas/theme.js";
import { colorParts, layChips } from "./chips.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").ClsView} View */

const DELAY = 300; // milliseconds until a chosen head is sent

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const same = JSON.stringify(header.tokens) === JSON.stringify(v.header?.tokens);
  Object.assign(v, { header, row: arrays.row });
  if (!v.chips.length || !same) {
    v.chips = layChips(v.els.text, header.tokens);
    v.els.text.insertBefore(make("br"), v.chips[header.first + 1]);
  }
  v.chosen = [header.layer, header.head];
  v.hover = null;
  layHeads(v);
  paint(v);
  announcePicture(header.picture);
}

/**
 * [CLS]'s weights of one head.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
function weights(v, layer, head) {
  const [, heads, count] = v.header.arrays.row.shape;
  const start = (layer * heads + head) * count;
  return v.row.subarray(start, start + count);
}

/**
 * Weights on the first text, on the second, and on the special tokens.
 * @param {View} v
 * @param {Float32Array} row
 */
function shares(v, row) {
  const { first } = v.header;
  const sum = (/** @type {number} */ from, /** @type {number} */ to) => row.subarray(from, to).reduce((total, weight) => total + weight, 0);
  return { first: sum(1, first), second: sum(first + 1, row.length - 1), special: row[0] + row[first] + row[row.length - 1] };
}

/** @param {View} v */
function layHeads(v) {
  const [layers, heads] = v.header.arrays.row.shape;
  const cells = [];
  for (let layer = 0; layer < layers; layer++) {
    cells.push(make("span", { className: "layer" }, `layer ${layer}`));
    for (let head = 0; head < heads; head++) {
      const parts = shares(v, weights(v, layer, head));
      const cell = make("button", { className: "cell", title: TEXTS.layerHeadFirst(layer, head, percent(parts.first), percent(parts.second), percent(parts.special)) },
        ...["first", "second"].map((name) => {
          const part = make("i", { className: name });
          part.style.height = `${100 * parts[/** @type {"first" | "second"} */ (name)]}%`;
          return part;
        }));
      Object.assign(cell.dataset, { layer: String(layer), head: String(head) });
      cells.push(cell);
    }
  }
  v.els.heads.style.gridTemplateColumns = `auto repeat(${heads}, minmax(0, 1fr))`;
  v.els.heads.replaceChildren(...cells);
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  colorParts(v.root, v.theme);
  const [layer, head] = v.hover ?? v.chosen;
  const row = weights(v, layer, head);
  const most = row.reduce((a, b) => Math.max(a, b), 0) || 1;
  v.chips.forEach((chip, at) => {
    const color = v.theme.heads[at > v.header.first ? 1 : 0];
    chip.style.background = fade(color, (0.8 * row[at]) / most);
    chip.title = `[CLS] weighs it ${row[at].toFixed(4)}`;
  });
  for (const cell of /** @type {NodeListOf<HTMLElement>} */ (v.els.heads.querySelectorAll("button"))) {
    cell.classList.toggle("chosen", Number(cell.dataset.layer) === layer && Number(cell.dataset.head) === head);
  }
  const parts = shares(v, row);
  v.els.said.textContent = TEXTS.layerHeadCls(layer, head, percent(parts.first), percent(parts.second), percent(parts.special), most.toFixed(3));
  v.els.verdict.replaceChildren(...v.header.verdicts.flatMap(([question, p], at) => {
    const bar = make("i", { className: at ? "second" : "first" });
    bar.style.width = `${(100 * p).toFixed(1)}%`;
    return [make("span", {}, `${question}: `, make("b", {}, `${(100 * p).toFixed(1)} %`)), make("div", { className: "track wide" }, bar)];
  }));
  Object.assign(v.root.dataset, { head: `${layer}.${head}`, order: v.header.verdicts[0][1].toFixed(4) });
}

/** @param {Event} event */
function headAt(event) {
  const target = /** @type {HTMLElement} */ (event.target).closest("button");
  return target ? /** @type {[number, number]} */ ([Number(target.dataset.layer), Number(target.dataset.head)]) : null;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ chips: [], chosen: [0, 0], hover: null });
  v.sendSoon = debounce(() => v.component.setStateValue("head", v.chosen), DELAY);
  v.els = {
    text: make("div", { className: "text", testid: "cls-text" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "cls-said" }),
    heads: make("div", { className: "heads", testid: "cls-heads", role: "group", "aria-label": TEXTS.headsHowMuch }),
    verdict: make("div", { className: "verdict", testid: "cls-verdict" }),
  };
  v.root = make("div", { className: "encoder", testid: "cls-root" },
    make("div", { className: "page" }, v.els.verdict, v.els.text, v.els.said),
    make("div", { className: "side" }, make("h4", {}, TEXTS.whatClsReads, make("i", { className: "first" }), " first text ", make("i", { className: "second" }), " second"), v.els.heads));
  const { heads } = v.els;
  heads.addEventListener("pointerover", (event) => {
    v.hover = headAt(event);
    paint(v);
  });
  heads.addEventListener("pointerleave", () => {
    v.hover = null;
    paint(v);
  });
  heads.addEventListener("click", (event) => {
    const head = headAt(event);
    if (!head) return;
    v.chosen = head;
    v.hover = null;
    paint(v);
    v.sendSoon();
  });
  host.append(v.root);
  addMenu(v, TEXTS.readsOfTwo);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
