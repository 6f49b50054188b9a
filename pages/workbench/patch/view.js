// @ts-check
// Two texts under each other and the grid of patches between them: pointed at, and a cell chosen.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { cells, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { clip, visible } from "#canvas/text.js";
import { cellAt, drawPatches, gridOf, twoDigits } from "./drawing.js";

/** @typedef {import("#canvas/live.js").View<import("./drawing.js").Header, import("./drawing.js").Arrays, { cell: [string, number, number] | null }>} View */

/** The layer and column that are chosen. @param {View} v @returns {number[]} */
function chosen({ header, place }) {
  const [kind, layer, index] = place.cell ?? header.best;
  return (kind === header.kind && layer < header.rows && index < header.columns ? [layer, index] : header.best.slice(1)).map(Number);
}

/** @param {View} v */
function fillTokens(v) {
  const { clean, corrupted } = v.header;
  const word = (/** @type {string} */ token, className = "") => make("span", { className, textContent: clip(visible(token), 20) });
  const columns = clean.map((token, i) => (token === corrupted[i]
    ? make("span", { className: "pair" }, word(token), word(token, "same")) : make("span", { className: "pair exchanged" }, word(token), word(corrupted[i]))));
  const names = make("span", { className: "pair names" }, make("span", { textContent: _("clean") }), make("span", { textContent: _("corrupted") }));
  v.els.tokens.replaceChildren(names, ...columns);
}

/** @param {View} v @param {number[]} cell */
function sentence({ header, arrays }, [row, column]) {
  const at = row * header.columns + column;
  const place = header.heads ? `L${row}H${column}` : _("layer {layer}, position {position}, {token}",
    { layer: row, position: column, token: `\u2068${visible(header.clean[column])}\u2069` });
  const values = { part: header.part, place, exact: twoDigits(arrays.exact[at]), preview: twoDigits(arrays.preview[at]) };
  return Number.isNaN(arrays.exact[at]) ? _("{part} of {place}: preview {preview}.", values) : _(
    "{part} of {place}: exact {exact}, preview {preview}.", values);
}

/** @param {View} v */
function build(v) {
  const tokens = make("div", { className: "strip", testid: "patch-tokens" });
  const grid = make("canvas", { testid: "patch-grid", role: "application" });
  const said = make("p", { className: "said", testid: "patch-said" });
  cells(v, grid, {
    under: (x, y) => v.layout && cellAt(v.header, v.layout, x, y),
    choose: ([layer, index]) => go(v, { cell: [v.header.kind, layer, index] }),
    beside: (dx, dy) => {
      const [layer, index] = chosen(v);
      return [Math.max(0, Math.min(v.header.rows - 1, layer + dy)), Math.max(0, Math.min(v.header.columns - 1, index + dx))];
    },
  });
  Object.assign(v.els, { tokens, grid, said });
  const save = saving(v, "tlmviz-patch", {
    height: (width) => gridOf(v.header, width).height,
    draw: (pen, theme, width) => drawPatches(pen, theme, { header: v.header, ...v.arrays, grid: gridOf(v.header, width), chosen: chosen(v), hover: null }),
  });
  return [tokens, make("div", { className: "panel" }, grid), make("div", { className: "bar" }, said, save)];
}

/** @param {View} v */
function paint(v) {
  const { grid, said } = v.els;
  const at = chosen(v);
  v.layout = gridOf(v.header, widthOf(grid));
  drawPatches(penOf(v, grid, v.layout.height), v.theme, { header: v.header, ...v.arrays, grid: v.layout, chosen: at, hover: v.hover });
  said.textContent = `${sentence(v, v.hover ?? at)} ${v.hover ? "" : v.header.said}`;
  grid.setAttribute("aria-label", _("{title}. Patches by layer and {columns}. Chosen: {chosen} Arrow keys move.",
    { title: v.header.title, columns: v.header.heads ? _("head") : _("position"), chosen: sentence(v, at) }));
  Object.assign(v.root.dataset, { cell: at.join("."), exact: String(v.arrays.exact.every((value) => !Number.isNaN(value))) });
}

export default live({ id: "patch", build, paint, fit: fillTokens });
