// @ts-check
// The heads that were found, as a table that sorts and as CSV.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { columnOf, headCount, headName } from "./scatter.js";

/** @typedef {import("./scatter.js").Data} Data */
/** @typedef {import("#canvas/live.js").View<import("./scatter.js").Header, Data["arrays"], { sort: string }>} View */

const DECIMALS = { layer: 0, head: 0, entropy: 2, distance: 1 };

/**
 * @param {string} column
 * @param {number} value
 */
export function cellText(column, value) {
  return Number.isNaN(value) ? "–" : value.toFixed(DECIMALS[/** @type {keyof typeof DECIMALS} */ (column)] ?? 3);
}

/**
 * The heads that are lit, as `sort` says: a column, "-" before it for the largest first; as they come without one.
 * @param {Data} data
 * @param {string} sort
 */
export function sortedHeads(data, sort) {
  const found = Array.from({ length: headCount(data) }, (_, n) => n).filter((n) => data.arrays.lit[n]);
  const column = sort.replace(/^-/, "");
  if (!column) return found;
  const values = columnOf(data, column);
  const sign = sort.startsWith("-") ? -1 : 1;
  const key = (/** @type {number} */ n) => (Number.isNaN(values[n]) ? Infinity : sign * values[n]);
  return found.sort((a, b) => (key(a) === key(b) ? a - b : key(a) < key(b) ? -1 : 1));
}

/**
 * What a click on a column's head makes of the sorting: largest first, then smallest first.
 * @param {string} sort
 * @param {string} column
 */
export function nextSort(sort, column) {
  return sort === `-${column}` ? column : `-${column}`;
}

/**
 * All values of the heads that are lit.
 * @param {Data} data
 * @param {string} sort
 */
export function asCsv(data, sort) {
  const { columns } = data.header;
  const lines = sortedHeads(data, sort).map((n) => columns.map(
    (column) => (Number.isNaN(columnOf(data, column)[n]) ? "" : Number(columnOf(data, column)[n].toPrecision(7)))).join());
  return `${[columns.join(), ...lines].join("\n")}\n`;
}

/**
 * @param {View} v
 * @param {{ point: (n: number) => void, open: (n: number) => void, sortBy: (column: string) => void }} acts
 */
export function fillTable(v, { point, open, sortBy }) {
  const { brief, helps } = v.header;
  const columns = v.header.columns.filter((column) => column !== "head"); // a head's name says both
  const heads = columns.map((column) => {
    const sorted = v.place.sort.replace(/^-/, "") === column;
    const button =
      make("button",
      { type: "button", textContent: `${brief[column === "layer" ? "head" : column]}${sorted ? (v.place.sort.startsWith("-") ? " ↓" : " ↑") : ""}`,
      title: helps[column], onclick: () => sortBy(column) });
    return make("th", { scope: "col", "aria-sort": sorted ? (v.place.sort.startsWith("-") ? "descending" : "ascending") : "none" }, button);
  });
  const rows = sortedHeads(v, v.place.sort).map((n) => {
    const row = make("tr", { tabIndex: 0, title: _("Open this head") },
      ...columns.map((column) => make("td", { textContent: column === "layer" ? headName(v, n) : cellText(column, columnOf(v, column)[n]) })));
    row.dataset.index = String(n);
    row.addEventListener("pointerenter", () => point(n));
    row.addEventListener("focus", () => point(n));
    row.addEventListener("click", () => open(n));
    row.addEventListener("keydown", ({ key }) => key === "Enter" && open(n));
    return row;
  });
  v.els.table.replaceChildren(make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
}
