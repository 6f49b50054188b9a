// @ts-check
// Composition scores of all pairs of heads: writer by reader, for keys, queries and values.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { largestSize, numbersImage } from "#canvas/numbers_image.js";

/** @typedef {"q" | "k" | "v"} Kind */
/** @typedef {import("#canvas/live.js").View<{ layers: number, heads: number, chance: string }, Record<Kind, Float32Array>, { kind: Kind, pair: [string,
 * string] | null }> & { at: { row: number, col: number } }} View `at`: the pair that is pointed at */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const WIDEST = 560;
const nameOf = (/** @type {View} */ v, /** @type {number} */ index) => `L${Math.floor(index / v.header.heads)}H${index % v.header.heads}`;
const comesAfter = (/** @type {View} */ v) => Math.floor(v.at.col / v.header.heads) > Math.floor(v.at.row / v.header.heads);

/** Where the matrix lies. @param {View} v @param {number} width */
function boxOf(v, width) {
  return { x: 66, y: 34, cell: (Math.min(width, WIDEST) - 70) / (v.header.layers * v.header.heads) };
}

/**
 * Writers from the first layer on, readers behind them.
 * @param {Pen} pen
 * @param {View} v
 * @param {number} width
 * @param {Theme} theme
 */
function drawHeads(pen, v, width, theme) {
  const { layers, heads } = v.header;
  const box = boxOf(v, width);
  const count = layers * heads;
  const size = box.cell * count;
  pen.image(numbersImage(theme, v.arrays[v.place.kind], count, count, false), box.x, box.y, size, size);
  pen.text(0, 8, _("writer ↓"), { color: theme.muted });
  pen.text(box.x + size, 8, _("reader →"), { color: theme.muted, align: "right" });
  const every = Math.ceil(26 / (box.cell * heads));
  for (let layer = 0; layer <= layers; layer++) {
    const at = layer * heads * box.cell;
    if (box.cell * heads > 12) {
      pen.line(box.x, box.y + at, box.x + size, box.y + at, theme.faint);
      pen.line(box.x + at, box.y, box.x + at, box.y + size, theme.faint);
    }
    if (layer === layers || layer % every) continue;
    const middle = at + (heads * box.cell) / 2;
    pen.text(box.x - 6, box.y + middle, every > 1 || heads * box.cell < 40 ? `L${layer}` : _("layer {n}", { n: layer }), { color: theme.text, align: "right" });
    pen.text(box.x + middle, box.y - 10, `L${layer}`, { color: theme.text, align: "center" });
  }
  pen.rect(box.x + v.at.col * box.cell - 1, box.y + v.at.row * box.cell - 1, box.cell + 2, box.cell + 2, null, theme.primary, { width: 2 });
}

/** Point at the largest score. @param {View} v */
function pointAtLargest(v) {
  const scores = v.arrays[v.place.kind];
  const count = v.header.layers * v.header.heads;
  const best = scores.indexOf(largestSize(scores));
  v.at = { row: Math.floor(best / count), col: best % count };
}

/** @param {View} v */
function sentence(v) {
  const [writer, reader] = [nameOf(v, v.at.row), nameOf(v, v.at.col)];
  if (!comesAfter(v)) return _("{reader} does not come after {writer}, and so reads nothing of it.", { reader, writer });
  const value = v.arrays[v.place.kind][v.at.row * v.header.layers * v.header.heads + v.at.col].toFixed(2);
  const said = {
    k: _("{reader}’s keys read {writer}: {value} (matrices without relation: about {chance}).", { reader, writer, value, chance: v.header.chance }),
    q: _("{reader}’s queries read {writer}: {value} (matrices without relation: about {chance}).", { reader, writer, value, chance: v.header.chance }),
    v: _("{reader}’s values read {writer}: {value} (matrices without relation: about {chance}).", { reader, writer, value, chance: v.header.chance }),
  };
  return said[v.place.kind];
}

/** @param {View} v */
function open(v) {
  if (comesAfter(v)) ask(v, { pair: [nameOf(v, v.at.row), nameOf(v, v.at.col)] });
}

/** @param {View} v */
function build(v) {
  v.at = { row: 0, col: 0 };
  const canvas = make("canvas", { role: "img", testid: "why-heads" });
  const said = make("p", { className: "said", testid: "why-pair" });
  const most = () => v.header.layers * v.header.heads - 1;
  const point = (/** @type {View["at"]} */ at) => {
    v.at = at;
    v.paint();
  };
  cells(v, canvas, {
    under: (x, y) => {
      const box = boxOf(v, widthOf(canvas));
      const [col, row] = [(x - box.x) / box.cell, (y - box.y) / box.cell].map(Math.floor);
      if (Math.min(row, col) < 0 || Math.max(row, col) > most()) return null;
      v.at = { row, col };
      return v.at;
    },
    choose: () => open(v),
    /** @returns {any} */
    beside: (dx, dy) => {
      point({ row: Math.max(0, Math.min(most(), v.at.row + dy)), col: Math.max(0, Math.min(most(), v.at.col + dx)) });
      return null; // Enter opens it
    },
  });
  canvas.addEventListener("keydown", ({ key }) => key === "Enter" && open(v));
  const kinds = segments(() => [["k", _("Keys")], ["q", _("Queries")], ["v", _("Values")]], () => v.place.kind, (kind) => {
    go(v, { kind });
    pointAtLargest(v);
    v.paint();
  }, _("Composition through"));
  Object.assign(v.els, { canvas, said, kinds });
  const save = saving(v, "tlmviz-composition", { height: () => WIDEST - 32, draw: (pen, theme, width) => drawHeads(pen, v, width, theme), width: WIDEST + 32 });
  return [make("div", { className: "bar" }, kinds.root, save), said, make("div", { className: "panel" }, canvas)];
}

/** @param {View} v */
function paint(v) {
  const width = Math.min(WIDEST, widthOf(v.els.canvas));
  drawHeads(penOf(v, v.els.canvas, width - 32), v, width, v.theme);
  v.els.kinds.repaint();
  v.els.said.textContent = sentence(v);
  v.els.canvas.setAttribute("aria-label", _("{sentence} Arrow keys move, Enter opens the reader.", { sentence: sentence(v) }));
  Object.assign(v.root.dataset, { kind: v.place.kind, writer: nameOf(v, v.at.row), reader: nameOf(v, v.at.col) });
}

export default live({ id: "why-heads", build, paint, fit: pointAtLargest });
