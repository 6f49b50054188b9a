// @ts-check
// One score source by source: the head's map, the matrix of sources, the path of what was followed, and what the head writes.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, live, penOf, saving, widthOf } from "#canvas/live.js";
import { figureOf } from "#canvas/pens.js";
import { named, short } from "#canvas/text.js";
import { paperTheme } from "#canvas/theme.js";
import { cellOf, drawMap, drawSources, mapBox, margins, rowHeight, sourcesBox, two } from "./maps.js";
import { drawPath, fillPath } from "./path.js";
import { fillWritten } from "./written.js";

/** @typedef {import("./maps.js").View} View */
/** @typedef {{ row: number, col: number }} Cell */

const HEAD = /^L(\d+)H(\d+)$/;
const LONGEST = 12; // steps of a path

/**
 * Follow a head back: to the position at which it wrote, and the key that it reads most from there.
 * @param {View} v
 * @param {string} source
 * @param {"query" | "key"} side
 */
function follow(v, source, side) {
  const { steps, at, reads } = v.header;
  const [, layer, head] = HEAD.exec(source) ?? [];
  const position = steps[at].place[side === "key" ? 3 : 2];
  const step = /** @type {import("./maps.js").Place} */ ([Number(layer), Number(head), position, reads[side][source][0]]);
  ask(v, { path: [...steps.slice(1, at + 1).map(({ place }) => place), step].slice(-LONGEST), at: Math.min(at + 1, LONGEST), every: false });
}

/** Follow the head that is pointed at: the key's, else the query's. @param {View} v @param {Cell} cell */
function followPointed(v, { row, col }) {
  const [atKey, atQuery] = [v.header.columns[col] ?? "", v.header.rows[row] ?? ""];
  if (HEAD.test(atKey)) follow(v, atKey, "key");
  else if (HEAD.test(atQuery)) follow(v, atQuery, "query");
}

/** Pin a cell of the map; behind the first step only the key can be chosen. @param {View} v @param {Cell} cell */
function pin(v, { row, col }) {
  const { places, steps, at } = v.header;
  const [layer, head, own] = steps[at].place;
  const query = at ? own : places[row];
  if (!(v.arrays.weights[places.indexOf(query) * places.length + col] > 0)) return;
  const place = [layer, head, query, places[col]];
  ask(v, at ? { path: [...steps.slice(1, at).map((step) => step.place), place] } : { pin: place, path: [], at: 0 });
}

/** @param {View} v */
function makeMap(v) {
  const canvas = make("canvas", { role: "img", testid: "why-map" });
  const clip = (/** @type {number} */ x) => Math.max(0, Math.min(v.header.places.length - 1, x));
  cells(v, canvas, {
    under: (x, y) => {
      const count = v.header.places.length;
      const found = v.layout && cellOf(v.layout.map, count, count, v.layout.map.cell, x, y);
      return found && found.row >= 0 && found.col >= 0 ? { ...found, map: true } : null;
    },
    choose: (cell) => pin(v, cell),
    beside: (dx, dy) => {
      const [row, col] = v.header.steps[v.header.at].place.slice(2).map((place) => v.header.places.indexOf(place));
      return { row: clip(row + dy), col: Math.min(clip(row + dy), clip(col + dx)), map: true };
    },
  });
  return canvas;
}

/** @param {View} v */
function makeSources(v) {
  const canvas = make("canvas", { role: "img", testid: "why-sources" });
  const clip = (/** @type {number} */ at, /** @type {string[]} */ names) => Math.max(0, Math.min(names.length - 1, at));
  cells(v, canvas, {
    under: (x, y) => v.layout && cellOf(v.layout.sources, v.header.rows.length, v.header.columns.length, rowHeight(v.layout.sources, v.header), x, y),
    choose: (cell) => followPointed(v, cell),
    /** @returns {any} */
    beside: (dx, dy) => {
      const { row, col } = v.hover && !v.hover.map ? v.hover : { row: 0, col: 0 };
      v.hover = { row: clip(row + dy, v.header.rows), col: clip(col + dx, v.header.columns) };
      v.paint();
      return null; // Enter follows it
    },
  });
  canvas.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && v.hover) followPointed(v, v.hover);
  });
  return canvas;
}

/** @param {View} v */
function build(v) {
  v.taken = [];
  const [map, sources] = [makeMap(v), makeSources(v)];
  const every = makeButton("", _("Show every source, or the largest and the sum of all others"), () => ask(v, { every: !v.place.every }));
  const [path, written] = ["path", "written"].map((name) => make("div", { className: name, testid: `why-${name}` }));
  const pointed = make("p", { className: "pointed", testid: "why-pointed" });
  Object.assign(v.els, { map, sources, path, written, pointed, every });
  const save = saving(v, "tlmviz-why", {
    height: (width) => sourcesBox(width, v.header).y + rowHeight(sourcesBox(width, v.header), v.header) * v.header.rows.length + 24,
    draw: (pen, theme, width) => drawSources(pen, v.header, v.arrays.values, sourcesBox(width, v.header), theme, null),
    width: 700,
    main: true,
  });
  return [make("div", { className: "parts" },
    make("div", {}, make("div", { className: "panel" }, map), path),
    make("div", {}, make("div", { className: "panel" }, sources), pointed, make("div", { className: "bar" }, every, save)),
    written)];
}

/** @param {View} v @param {any} before */
function fitPath(v, before) {
  if (before && String(v.header.steps[0].place) !== String(before.steps[0].place)) v.taken = []; // it led back from another weight
  fillPath(v, (change) => ask(v, change), () => {
    const theme = paperTheme(v.theme, v.header.colors);
    return figureOf("tlmviz-path", { width: 580, height: 12 + 44 * v.header.steps.length, theme }, (pen) => drawPath(pen, v.header.steps, theme));
  });
  fillWritten(v, (source) => (HEAD.test(source) ? () => follow(v, source, "key") : null));
}

/** What is pointed at, in a sentence. @param {View} v @returns {string} */
function pointedSentence(v) {
  const { rows, columns, reads, tokens, places, score, weight } = v.header;
  if (!v.hover) return _("All {count} numbers add up to the score, {score}; softmax makes a weight of {weight} of it.",
    { count: rows.length * columns.length, score, weight });
  const { row, col, map } = v.hover;
  if (map) return _("{query} looks at {key}: {share}%", {
    query: named(tokens, places[row]), key: named(tokens, places[col]), share: short(100 * v.arrays.weights[row * places.length + col]) });
  const read = (/** @type {"query" | "key"} */ side, /** @type {string} */ name) =>
    (reads[side][name] ? _("; {head} read {token} there ({weight}): click to follow",
    { head: name, token: named(tokens, reads[side][name][0]), weight: reads[side][name][1] }) : "");
  const sums = margins(v.header, v.arrays.values);
  if (row < 0) return _("{source} at the key gives {total} in all{read}.",
    { source: columns[col], total: two(sums.down[col]), read: read("key", columns[col]) });
  if (col < 0) return _("{source} at the query gives {total} in all{read}.",
    { source: rows[row], total: two(sums.across[row]), read: read("query", rows[row]) });
  const value = two(v.arrays.values[row * columns.length + col]);
  return _("{row} at the query × {column} at the key = {value}{read}.",
    { row: rows[row], column: columns[col], value, read: read("key", columns[col]) || read("query", rows[row]) });
}

/** @param {View} v */
function paint(v) {
  const { header, els, arrays } = v;
  const [left, middle] = [els.map, els.sources].map(widthOf);
  v.layout = { map: mapBox(left, header.places.length), sources: sourcesBox(middle, header) };
  drawMap(penOf(v, els.map, v.layout.map.y + v.layout.map.cell * header.places.length + 4), header, arrays.weights, v.layout.map, v.theme);
  const height = v.layout.sources.y + rowHeight(v.layout.sources, header) * header.rows.length + 20;
  drawSources(penOf(v, els.sources, height), header, arrays.values, v.layout.sources, v.theme, v.hover?.map ? null : v.hover);
  els.pointed.textContent = pointedSentence(v);
  els.every.hidden = !header.few && !v.place.every;
  els.every.textContent = v.place.every ? _("Only the largest") : _("All {n} sources", { n: header.total });
  els.map.setAttribute("aria-label", _("Attention of {head}. Arrow keys move the pin.", { head: header.steps[header.at].name }));
  els.sources.setAttribute("aria-label", _("{title}: the score by its sources. {pointed} Arrow keys choose a pair of sources, Enter follows a head.",
    { title: header.title, pointed: pointedSentence(v) }));
  Object.assign(v.root.dataset, { head: header.steps[header.at].name, steps: String(header.steps.length), at: String(header.at), score: header.score,
    rows: String(header.rows.length) });
}

export default live({ id: "why", build, paint, fit: fitPath });
