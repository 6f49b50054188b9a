// @ts-check
// All heads: the scatter, and the table of those that were found; what is pointed at in one is marked in the other.

import { download, make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, go, live, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { columnOf, dotAt, dotsOf, drawScatter, headCount, headName, plotBox } from "./scatter.js";
import { asCsv, cellText, fillTable, nextSort, sortedHeads } from "./table.js";

/** @typedef {import("./table.js").View} View */

const BELOW = 46; // pixels below the axes
const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, Enter: 0 });

/** @param {View} v @param {number | null} n */
function point(v, n) {
  if (v.hover === n) return;
  v.hover = n;
  v.paint();
}

/** @param {View} v @param {number | null} n */
function open(v, n) {
  if (n !== null && v.header.opens) ask(v, { open: [columnOf(v, "layer")[n], columnOf(v, "head")[n]] });
}

/** @param {View} v */
function fill(v) {
  const found = sortedHeads(v, v.place.sort).length;
  const all = headCount(v);
  v.els.count.textContent = found === all ? _("All {all} heads", { all }) : found ? _("{found} of {all} heads", { found, all }) : _("No head is like this");
  fillTable(v, {
    point: (n) => point(v, n),
    open: (n) => open(v, n),
    sortBy: (column) => {
      go(v, { sort: nextSort(v.place.sort, column) });
      fill(v);
    },
  });
}

/** @param {View} v */
function sentence(v) {
  if (v.hover === null) return v.header.opens ? _("Point at a dot to see its numbers; click it to open the head.") : _("Point at a dot to see its numbers.");
  const { x, y, names } = v.header;
  const said = [x, ...(x === y ? [] : [y])].map((column) => `${names[column]} ${cellText(column, columnOf(v, column)[v.hover])}`);
  const found = { head: headName(v, v.hover), values: said.join(", ") };
  return v.header.opens ? _("{head}: {values}. Click to open it.", found) : _("{head}: {values}.", found);
}

/** @param {View} v */
function makeScatter(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "atlas-scatter" });
  const under = (/** @type {number} */ x, /** @type {number} */ y) => (v.layout ? dotAt(dotsOf(v, v.layout).dots, x, y) : null);
  pointing(v, canvas, under);
  canvas.addEventListener("click", ({ offsetX, offsetY }) => open(v, under(offsetX, offsetY)));
  canvas.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (!step) return open(v, v.hover);
    const order = sortedHeads(v, v.place.sort);
    const next = v.hover === null ? (step > 0 ? 0 : order.length - 1) : order.indexOf(v.hover) + step;
    if (order.length) point(v, order[Math.max(0, Math.min(next, order.length - 1))]);
  });
  return canvas;
}

export default live({
  id: "atlas",
  build(v) {
    v.els = {
      canvas: makeScatter(v),
      said: make("p", { className: "said", testid: "atlas-said" }),
      table: make("div", { className: "heads", testid: "atlas-table" }),
      count: make("b", { testid: "atlas-count" }),
    };
    const csv = makeButton(_("Data as CSV"), _("The heads of the table with all digits"),
      () => download(new Blob([asCsv(v, v.place.sort)], { type: "text/csv" }), `${v.header.file}.csv`));
    const save = saving(v, () => v.header.file, {
      height: (width) => plotBox(width).y + plotBox(width).height + BELOW,
      draw: (pen, theme, width) => drawScatter(pen, v, null, plotBox(width), theme),
      width: 760,
    });
    const bar = make("div", { className: "bar" }, v.els.count, csv, save);
    return [make("div", { className: "both" }, make("div", { className: "panel" }, v.els.said, v.els.canvas), make("div", {}, bar, v.els.table))];
  },
  fit: fill,
  paint(v) {
    v.layout = plotBox(widthOf(v.els.canvas));
    drawScatter(penOf(v, v.els.canvas, v.layout.y + v.layout.height + BELOW), v, v.hover, v.layout, v.theme);
    v.els.table.style.maxHeight = `${v.layout.y + v.layout.height - 4}px`;
    const [said, { x, y, names }] = [sentence(v), v.header];
    v.els.said.textContent = said;
    const label = v.header.opens ? _("{y} over {x} of every head. {said} Arrow keys go from head to head, Enter opens one.",
      { y: names[y], x: names[x], said }) : _("{y} over {x} of every head. {said} Arrow keys go from head to head.", { y: names[y], x: names[x], said });
    v.els.canvas.setAttribute("aria-label", label);
    for (const row of v.els.table.querySelectorAll("tbody tr")) row.classList.toggle("lit", row.dataset.index === String(v.hover));
    Object.assign(v.root.dataset, { at: v.hover === null ? "" : headName(v, v.hover), found: String(sortedHeads(v, "").length), sort: v.place.sort });
  },
});
