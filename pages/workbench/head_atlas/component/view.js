// @ts-check
// All heads: the scatter, and the table of those that were found; what is pointed at in one is marked in the other.

import { decode } from "#canvas/decode.js";
import { download, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { columnOf, dotAt, dotsOf, drawScatter, headCount, headName, plotBox } from "./scatter.js";
import { asCsv, cellText, fillTable, nextSort, sortedHeads } from "./table.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").AtlasView} AtlasView */

const BELOW = 46; // pixels below the axes
const SAVED = 760;

/**
 * @param {AtlasView} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  Object.assign(v, decode(bytes), { at: -1 });
  if (v.sent !== v.header.sort) v.sort = v.sent = v.header.sort;
  refill(v);
  paint(v);
  announcePicture(v.header.picture);
}

/** @param {AtlasView} v */
function refill(v) {
  const found = sortedHeads(v, v.sort).length;
  v.els.count.textContent = found === headCount(v) ? `All ${found} heads` : found ? `${found} of ${headCount(v)} heads` : TEXTS.noHeadLike;
  fillTable(v, {
    point: (n) => point(v, n),
    open: (n) => open(v, n),
    sortBy: (column) => {
      v.sort = nextSort(v.sort, column);
      v.sent = v.sort;
      v.component.setTriggerValue("act", { do: "sort", by: v.sort });
      refill(v);
      mark(v);
    },
  });
}

/** @param {AtlasView} v */
function paint(v) {
  const width = v.els.canvas.parentElement?.clientWidth ?? 0;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.box = plotBox(width);
  drawScatter(canvasPen(fit(v.els.canvas, width, v.box.y + v.box.height + BELOW), v.theme), v, v.at, v.box, v.theme);
  v.els.table.style.maxHeight = `${v.box.y + v.box.height - 4}px`;
  mark(v);
}

/** @param {AtlasView} v */
function mark(v) {
  const said = sentence(v);
  v.els.said.textContent = said;
  v.els.canvas.setAttribute("aria-label", TEXTS.overEveryHead(v.header.names[v.header.y], v.header.names[v.header.x], said));
  for (const row of Array.from(v.els.table.querySelectorAll("tbody tr"))) row.classList.toggle("lit", /** @type {HTMLElement} */ (row).dataset.index === String(v.at));
  Object.assign(v.root.dataset, { at: v.at < 0 ? "" : headName(v, v.at), found: String(sortedHeads(v, "").length), sort: v.sort });
}

/** @param {AtlasView} v */
function sentence(v) {
  const { x, y, names } = v.header;
  if (v.at < 0) {
    const without = Array.from({ length: headCount(v) }, (_, n) => n).filter((n) => Number.isNaN(columnOf(v, x)[n] + columnOf(v, y)[n])).length;
    return without ? TEXTS.pointDotHeads(without) : TEXTS.pointDotSee;
  }
  const said = [x, ...(x === y ? [] : [y])].map((column) => `${names[column]} ${cellText(column, columnOf(v, column)[v.at])}`);
  return TEXTS.clickOpen(headName(v, v.at), said.join(", "));
}

/**
 * @param {AtlasView} v
 * @param {number} n
 */
function point(v, n) {
  if (v.at === n) return;
  v.at = n;
  paint(v);
}

/**
 * @param {AtlasView} v
 * @param {number} n
 */
function open(v, n) {
  if (n >= 0) v.component.setTriggerValue("act", { do: "open", head: [columnOf(v, "layer")[n], columnOf(v, "head")[n]] });
}

/** @param {AtlasView} v */
function makeScatter(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "atlas-scatter" });
  const under = (/** @type {MouseEvent} */ { offsetX, offsetY }) => dotAt(dotsOf(v, v.box).dots, offsetX, offsetY);
  canvas.addEventListener("pointermove", (event) => point(v, under(event)));
  canvas.addEventListener("pointerleave", () => point(v, -1));
  canvas.addEventListener("click", (event) => open(v, under(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Enter: 0 }[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!step) return open(v, v.at);
    const order = sortedHeads(v, v.sort);
    const next = v.at < 0 ? (step > 0 ? 0 : order.length - 1) : order.indexOf(v.at) + step;
    if (order.length) point(v, order[Math.max(0, Math.min(next, order.length - 1))]);
  });
  return canvas;
}

/**
 * @param {AtlasView} v
 */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const box = plotBox(SAVED - 32);
  return figureOf(v.header.file, { width: SAVED, height: box.y + box.height + BELOW + 32, theme }, (pen) => pen.shifted(16, 16, () => drawScatter(pen, v, -1, box, theme)));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {AtlasView} */ ({ at: -1, sort: "", sent: "" });
  v.els = {
    canvas: makeScatter(v),
    said: make("p", { className: "said", testid: "atlas-said" }),
    table: make("div", { className: "heads", testid: "atlas-table" }),
    count: make("b", { testid: "atlas-count" }),
  };
  const tools = make("span", { className: "tools" },
    makeButton("Data as CSV", TEXTS.headsTableAll, () => download(new Blob([asCsv(v, v.sort)], { type: "text/csv" }), `${v.header.file}.csv`)),
    pictureButton(v, "this figure", () => saved(v)));
  const table = make("div", {}, make("div", { className: "bar" }, v.els.count, tools), v.els.table);
  v.root = make("div", { className: "atlas", testid: "atlas-root" }, make("div", { className: "both" }, make("div", {}, v.els.said, make("div", { className: "holder" }, v.els.canvas)), table));
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {AtlasView} v */
function leave(v) {
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
