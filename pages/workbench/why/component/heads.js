// @ts-check
// Composition scores of all pairs of heads: writer by reader, for keys, queries and values.

import { decode } from "#canvas/decode.js";
import { make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { largestSize, numbersImage } from "#canvas/numbers_image.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").HeadsView} HeadsView */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const KINDS = /** @type {const} */ ([["k", "Keys", "keys"], ["q", "Queries", "queries"], ["v", "Values", "values"]]);
const WIDEST = 560;

/**
 * @param {HeadsView} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  Object.assign(v, decode(bytes));
  const scores = v.arrays[v.header.kind];
  const best = scores.indexOf(largestSize(scores));
  const count = v.header.layers * v.header.heads;
  v.at = { row: Math.floor(best / count), col: best % count };
  v.els.kinds.replaceChildren(...KINDS.map(([kind, name]) => {
    const button = makeButton(name, `Through the reader's ${name.toLowerCase()}`, () => v.component.setTriggerValue("act", { do: "kind", kind }));
    button.setAttribute("aria-pressed", String(kind === v.header.kind));
    return button;
  }));
  paint(v);
  announcePicture(v.header.picture);
}

/**
 * @param {HeadsView} v
 * @param {number} index
 */
function nameOf(v, index) {
  return `L${Math.floor(index / v.header.heads)}H${index % v.header.heads}`;
}

/**
 * Writers from the first layer but the last, readers from the second on.
 * @param {Pen} pen
 * @param {HeadsView} v
 * @param {number} width
 * @param {Theme} theme
 */
function drawHeads(pen, v, width, theme) {
  const { layers, heads, kind } = v.header;
  const count = layers * heads;
  const box = { x: 66, y: 34, cell: (width - 70) / count };
  const size = box.cell * count;
  pen.image(numbersImage(theme, v.arrays[kind], count, count, false), box.x, box.y, size, size);
  pen.text(0, 8, "writer ↓", { color: theme.muted });
  pen.text(box.x + size, 8, "reader →", { color: theme.muted, align: "right" });
  const every = Math.ceil(26 / (box.cell * heads));
  for (let layer = 0; layer <= layers; layer++) {
    const at = layer * heads * box.cell;
    if (box.cell * heads > 12) {
      pen.line(box.x, box.y + at, box.x + size, box.y + at, theme.faint);
      pen.line(box.x + at, box.y, box.x + at, box.y + size, theme.faint);
    }
    if (layer === layers || layer % every) continue;
    const middle = at + (heads * box.cell) / 2;
    pen.text(box.x - 6, box.y + middle, every > 1 || heads * box.cell < 40 ? `L${layer}` : `layer ${layer}`, { color: theme.text, align: "right" });
    pen.text(box.x + middle, box.y - 10, `L${layer}`, { color: theme.text, align: "center" });
  }
  pen.rect(box.x + v.at.col * box.cell - 1, box.y + v.at.row * box.cell - 1, box.cell + 2, box.cell + 2, null, theme.primary, { width: 2 });
  return box;
}

/** @param {HeadsView} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = Math.min(WIDEST, v.root.clientWidth);
  v.box = drawHeads(canvasPen(fit(v.els.canvas, width, width - 32), v.theme), v, width, v.theme);
  v.els.pointed.textContent = sentence(v);
  v.els.canvas.setAttribute("aria-label", TEXTS.arrowKeysMove(sentence(v)));
  Object.assign(v.root.dataset, { kind: v.header.kind, writer: nameOf(v, v.at.row), reader: nameOf(v, v.at.col) });
}

/** @param {HeadsView} v */
function sentence(v) {
  const { layers, heads, kind, chance } = v.header;
  const { row, col } = v.at;
  if (Math.floor(row / heads) >= Math.floor(col / heads)) return TEXTS.doesNotCome(nameOf(v, col), nameOf(v, row));
  const through = KINDS.find(([each]) => each === kind)[2];
  return TEXTS.readMatricesWithout(nameOf(v, col), through, nameOf(v, row), v.arrays[kind][row * layers * heads + col].toFixed(2), chance);
}

/** @param {HeadsView} v */
function open(v) {
  if (Math.floor(v.at.row / v.header.heads) >= Math.floor(v.at.col / v.header.heads)) return;
  v.component.setTriggerValue("act", { do: "heads", writer: nameOf(v, v.at.row), reader: nameOf(v, v.at.col) });
}

/** @param {HeadsView} v */
function makeHeads(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "why-heads" });
  const point = (/** @type {MouseEvent} */ { offsetX, offsetY }) => {
    const count = v.header.layers * v.header.heads;
    const [col, row] = [(offsetX - v.box.x) / v.box.cell, (offsetY - v.box.y) / v.box.cell].map(Math.floor);
    if (row < 0 || col < 0 || row >= count || col >= count) return false;
    v.at = { row, col };
    paint(v);
    return true;
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("click", (event) => point(event) && open(v));
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [0, 0] }[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.key === "Enter") return open(v);
    const most = v.header.layers * v.header.heads - 1;
    v.at = { row: Math.max(0, Math.min(most, v.at.row + move[0])), col: Math.max(0, Math.min(most, v.at.col + move[1])) };
    paint(v);
  });
  return canvas;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {HeadsView} */ ({ at: { row: 0, col: 0 } });
  v.els = { kinds: make("div", { className: "tools", role: "group", "aria-label": "Composition through" }), canvas: makeHeads(v), pointed: make("p", { className: "said", testid: "why-pair" }) };
  const save = pictureButton(v, "this map", () => {
    const theme = paperTheme(v.theme, v.header.colors);
    return figureOf("tlmviz-composition", { width: WIDEST + 32, height: WIDEST, theme }, (pen) => pen.shifted(16, 16, () => drawHeads(pen, v, WIDEST, theme)));
  });
  v.root = make("div", { className: "why", testid: "why-heads-root" }, make("div", { className: "tools" }, v.els.kinds, save), v.els.pointed, v.els.canvas);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {HeadsView} v */
function leave(v) {
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
