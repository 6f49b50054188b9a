// @ts-check
// One score source by source: the head's map, the matrix of sources, the path of what was followed, and what the head writes.

import { decode } from "#canvas/decode.js";
import { make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { named, short } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { cellOf, drawMap, drawSources, mapBox, margins, rowHeight, sourcesBox, two } from "./maps.js";
import { drawPath, fillPath } from "./path.js";
import { TEXTS } from "./words.js";
import { fillWritten } from "./written.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Side} Side */

const HEAD = /^L\d+H\d+$/;

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const pinned = v.header?.steps[0].path;
  Object.assign(v, decode(bytes), { hover: null });
  if (v.header.steps[0].path !== pinned) v.taken = ""; // it led back from another weight
  fillPath(v, (act) => send(v, act), () => savedPath(v));
  fillWritten(v, (source) => (HEAD.test(source) ? () => send(v, { do: "follow", source, side: "key" }) : null));
  paint(v);
  announcePicture(v.header.picture);
}

/**
 * @param {View} v
 * @param {object} act
 */
function send(v, act) {
  v.component.setTriggerValue("act", act);
}

/** @param {View} v */
function paint(v) {
  const { header, els, arrays } = v;
  if (!header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, header.colors, v.theme);
  const widths = [els.map, els.sources].map((canvas) => /** @type {HTMLElement} */ (canvas.parentElement).clientWidth);
  v.boxes = { map: mapBox(widths[0], header.places.length), sources: sourcesBox(widths[1], header) };
  const size = v.boxes.map.cell * header.places.length;
  drawMap(canvasPen(fit(els.map, widths[0], v.boxes.map.y + size + 4), v.theme), header, arrays.weights, v.boxes.map, v.theme);
  const height = v.boxes.sources.y + rowHeight(v.boxes.sources, header) * header.rows.length + 20;
  drawSources(canvasPen(fit(els.sources, widths[1], height), v.theme), header, arrays.values, v.boxes.sources, v.theme, v.hover);
  els.said.textContent = header.said;
  els.pointed.textContent = v.hover ? pointedSentence(v) : TEXTS.allNumbersAdd(header.rows.length * header.columns.length, header.score, header.weight);
  els.every.hidden = !header.more;
  els.every.textContent = header.all ? "Only the largest" : `All ${header.total} sources`;
  els.map.setAttribute("aria-label", TEXTS.attentionArrowKeys(header.steps[header.at].name));
  els.sources.setAttribute("aria-label", TEXTS.arrowKeysChoose(header.said));
  Object.assign(v.root.dataset, { head: header.steps[header.at].name, steps: String(header.steps.length), at: String(header.at), score: header.score, rows: String(header.rows.length) });
}

/** @param {View} v */
function pointedSentence(v) {
  const { header, arrays, hover } = v;
  const { rows, columns, reads, tokens } = header;
  const sums = margins(header, arrays.values);
  const { row, col } = hover;
  const of = (/** @type {Side} */ side, /** @type {string} */ name) => {
    const read = reads[side][name];
    return read ? TEXTS.readThereClick(name, named(tokens, read[0]), read[1]) : "";
  };
  if (row < 0) return TEXTS.keyGivesAll(columns[col], two(sums.down[col]), of("key", columns[col]));
  if (col < 0) return TEXTS.queryGivesAll(rows[row], two(sums.across[row]), of("query", rows[row]));
  return TEXTS.queryKey(rows[row], columns[col], two(arrays.values[row * columns.length + col]), of("key", columns[col]), of("query", rows[row]));
}

/**
 * Follow the head that is pointed at: the key's, else the query's.
 * @param {View} v
 */
function followPointed(v) {
  if (!v.hover) return;
  const { row, col } = v.hover;
  const [atKey, atQuery] = [v.header.columns[col], v.header.rows[row]];
  if (HEAD.test(atKey ?? "")) send(v, { do: "follow", source: atKey, side: "key" });
  else if (HEAD.test(atQuery ?? "")) send(v, { do: "follow", source: atQuery, side: "query" });
}

/**
 * Pin a cell of the map; behind the first step only the key can be chosen.
 * @param {View} v
 * @param {number} row
 * @param {number} col
 */
function pin(v, row, col) {
  const { places, steps, at } = v.header;
  const query = at ? steps[at].query : places[row];
  const weight = v.arrays.weights[places.indexOf(query) * places.length + col];
  if (weight > 0) send(v, { do: "pin", query, key: places[col] });
}

/** @param {View} v */
function makeMap(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "why-map" });
  const cell = (/** @type {MouseEvent} */ { offsetX, offsetY }) => {
    const count = v.header.places.length;
    const found = cellOf(v.boxes.map, count, count, v.boxes.map.cell, offsetX, offsetY);
    return found && found.row >= 0 && found.col >= 0 ? found : null;
  };
  canvas.addEventListener("click", (event) => {
    const at = cell(event);
    if (at) pin(v, at.row, at.col);
  });
  canvas.addEventListener("pointermove", (event) => {
    const at = cell(event);
    if (!at) return;
    const { places, tokens } = v.header;
    v.els.pointed.textContent = `${named(tokens, places[at.row])} looks at ${named(tokens, places[at.col])}: ${short(100 * v.arrays.weights[at.row * places.length + at.col])} %`;
  });
  canvas.addEventListener("pointerleave", () => paint(v));
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const { places, steps, at } = v.header;
    const clip = (/** @type {number} */ x) => Math.max(0, Math.min(places.length - 1, x));
    const row = clip(places.indexOf(steps[at].query) + move[0]);
    pin(v, row, Math.min(row, clip(places.indexOf(steps[at].key) + move[1])));
  });
  return canvas;
}

/** @param {View} v */
function makeSources(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "why-sources" });
  const point = (/** @type {MouseEvent} */ { offsetX, offsetY }) => {
    const { rows, columns } = v.header;
    v.hover = cellOf(v.boxes.sources, rows.length, columns.length, rowHeight(v.boxes.sources, v.header), offsetX, offsetY);
    paint(v);
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerleave", () => {
    v.hover = null;
    paint(v);
  });
  canvas.addEventListener("click", (event) => {
    point(event);
    followPointed(v);
  });
  canvas.addEventListener("keydown", (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Enter: [0, 0] }[event.key];
    if (!move || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    if (event.key === "Enter") return followPointed(v);
    const { rows, columns } = v.header;
    const { row, col } = v.hover ?? { row: 0, col: 0 };
    v.hover = { row: Math.max(0, Math.min(rows.length - 1, row + move[0])), col: Math.max(0, Math.min(columns.length - 1, col + move[1])) };
    paint(v);
  });
  return canvas;
}

/** @param {View} v */
function savedPath(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  return figureOf("tlmviz-path", { width: 580, height: 12 + 44 * v.header.steps.length, theme }, (pen) => drawPath(pen, v.header.steps, theme));
}

/** @param {View} v */
function savedSources(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const box = sourcesBox(640, v.header);
  const height = box.y + rowHeight(box, v.header) * v.header.rows.length + 60;
  return figureOf("tlmviz-why", { width: 672, height, theme }, (pen) => {
    pen.text(16, 16, v.header.steps.map(({ name, from, to }) => `${name}: ${from} → ${to}`)[v.header.at], { color: theme.text, size: 13, weight: 600 });
    pen.shifted(16, 34, () => drawSources(pen, v.header, v.arrays.values, box, theme, null));
  });
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ hover: null, taken: "" });
  v.els = {
    map: makeMap(v),
    sources: makeSources(v),
    path: make("div", { className: "path", testid: "why-path" }),
    written: make("div", { className: "written", testid: "why-written" }),
    said: make("p", { className: "said", testid: "why-said" }),
    pointed: make("p", { className: "pointed" }),
    every: makeButton("", TEXTS.showEverySource, () => send(v, { do: "all", all: !v.header.all })),
  };
  const tools = make("div", { className: "tools" }, v.els.every, pictureButton(v, "this matrix", () => savedSources(v), true));
  v.root = make("div", { className: "why", testid: "why-root" }, v.els.said,
    make("div", { className: "parts" },
      make("div", { className: "left" }, make("div", { className: "holder" }, v.els.map), v.els.path),
      make("div", { className: "middle" }, make("div", { className: "holder" }, v.els.sources), v.els.pointed, tools),
      make("div", { className: "right" }, v.els.written)));
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
