// @ts-check
// A generation with a cache: the map that grows row by row between the keys and values that are kept, and every layer's memory.

import { _ } from "#canvas/language.js";
import { largestSize, numbersImage } from "#canvas/numbers_image.js";
import { visible } from "#canvas/text.js";
import { shade } from "#canvas/theme.js";
import { capacityOf, lastRead, widestOf } from "./told.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./told.js").View} View */
/** @typedef {Pick<View, "header" | "arrays">} Data */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ width: number, height: number, map: Box, q: Box, keys: Box, values: Box | null }} Layout */

const NAMES = 70; // pixels of the queries' names
const QUERY = 54; // of the query's strip
const STRIP = 58; // of keys, and of values
const LATENT = 104; // of latents, where there are no values
const HEAD = 19; // of a heading
const BELOW = 62; // of the keys' names
const WIDE = 350; // of a map whose heading has room for all
const HIGH = 262; // of the map at most
const LEAST = 11; // pixels from which a name has room
const THICK = 8; // of a single query's row
const [LAYER, ROW, TICKS] = [24, 17, 20]; // left of, of, and below a layer's memory

/** Allocated, held, and written in the step. @param {Theme} theme */
export const memoryColors = (theme) => [theme.faint, shade(theme.diverging, 0.86), shade(theme.diverging, 0.14)];

/**
 * @param {Data["header"]} header
 * @param {number} width
 * @returns {Layout}
 */
export function layoutOf({ latent }, width) {
  const x = NAMES + QUERY + 8;
  const across = width - x - 2;
  const strip = latent ? LATENT : STRIP;
  const keys = { x, y: HEAD, width: across, height: strip };
  const map = { x, y: keys.y + strip + HEAD + 4, width: across, height: Math.min(HIGH - (latent ? LATENT - STRIP : 0), across) };
  const q = { x: NAMES, y: map.y, width: QUERY, height: map.height };
  const values = latent ? null : { x, y: map.y + map.height + HEAD + 4, width: across, height: strip };
  const last = values ?? map;
  return { width, height: last.y + last.height + BELOW, map, q, keys, values };
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {number} step
 */
export function drawDecoding(pen, { header, arrays }, layout, theme, step) {
  const { first, prompt, tokens, latent } = header;
  const [shown, window] = [tokens.length - first, header.windows[header.layer]];
  const { map, q, keys, values } = layout;
  const now = lastRead(header, step) - first; // among those that are drawn
  const read = (/** @type {Float32Array} */ all, /** @type {number} */ size, /** @type {(row: number) => boolean} */ there) =>
    all.map((value, i) => (there(Math.floor(i / size)) ? value : NaN));
  const cell = { width: map.width / shown, height: map.height / shown };
  pen.text(q.x, q.y - 10, "q", { color: theme.muted });
  const name = map.width < WIDE ? _("softmax(q Kᵀ): no row changes again") : _("softmax(q Kᵀ), probability, √ colours: no row changes again");
  pen.text(map.x, map.y - 10, name, { color: theme.muted });
  pen.image(numbersImage(theme, read(arrays.weights, shown, (row) => row <= now), shown, shown, false), map.x, map.y, map.width, map.height);
  drawQueries(pen, { header, arrays }, q, theme, step);
  const seen = Math.max(0, now + 1 - (window ?? Infinity));
  const told = seen ? _("kept, but for the pale ones") : _("kept");
  const kept = /** @type {[Float32Array, Box, string][]} */ (
    [[arrays.k, keys, latent ? _("c_KV and, under the line, k^R: {told}", { told }) : _("Kᵀ: {told}", { told })],
    ...(values ? [[arrays.v, values, _("Vᵀ: {told}", { told })]] : [])]);
  for (const [all, box, name] of kept) {
    const size = all.length / shown;
    const turned = read(all, size, (row) => row <= now);
    const columns = Float32Array.from({ length: all.length }, (_value, i) => turned[(i % shown) * size + Math.floor(i / shown)]);
    pen.text(box.x, box.y - 10, name, { color: theme.muted });
    pen.image(numbersImage(theme, columns, size, shown, true, largestSize(all)), box.x, box.y, box.width, box.height);
    if (seen) pen.rect(box.x, box.y, seen * cell.width, box.height, theme.background, null, { alpha: 0.82 });
    if (step) pen.rect(box.x + now * cell.width, box.y, cell.width, box.height, null, memoryColors(theme)[2], { width: 1.5 });
  }
  if (latent) pen.line(keys.x, keys.y + (keys.height * latent) / (arrays.k.length / shown), keys.x + keys.width,
    keys.y + (keys.height * latent) / (arrays.k.length / shown), theme.muted, { dash: "2 3" });
  for (const box of [map, keys, ...(values ? [values] : [])]) pen.rect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, null, theme.faint);
  if (step) {
    const high = Math.max(cell.height, THICK);
    pen.rect(map.x + seen * cell.width, map.y + (now + 0.5) * cell.height - high / 2, (now + 1 - seen) * cell.width, high, null, memoryColors(theme)[2],
      { width: 1.5 });
  }
  if (first < prompt) pen.line(map.x, map.y + (prompt - first) * cell.height, map.x + map.width, map.y + (prompt - first) * cell.height, theme.faint,
    { dash: "4 3" });
  drawNames(pen, header, layout, theme, cell);
}

/**
 * The queries of the prompt, or the one of a step: it is gone after it.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Box} box
 * @param {Theme} theme
 * @param {number} step
 */
function drawQueries(pen, { header, arrays: { q } }, box, theme, step) {
  const shown = header.tokens.length - header.first;
  const [size, most] = [q.length / shown, largestSize(q)];
  const [now, high] = [lastRead(header, step) - header.first, box.height / shown];
  if (step) {
    const thick = Math.max(high, THICK);
    pen.image(numbersImage(theme, q.subarray(now * size, (now + 1) * size), 1, size, true, most), box.x, box.y + (now + 0.5) * high - thick / 2, box.width,
      thick);
  } else if (now >= 0) {
    pen.image(numbersImage(theme, q.subarray(0, (now + 1) * size), now + 1, size, true, most), box.x, box.y, box.width, (now + 1) * high);
  }
  pen.rect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, null, theme.faint);
}

/**
 * @param {Pen} pen
 * @param {Data["header"]} header
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {{ width: number, height: number }} cell
 */
function drawNames(pen, { tokens, first, prompt }, { map, q, values }, theme, cell) {
  const last = values ?? map;
  tokens.slice(first).forEach((token, i) => {
    const style = { token: NAMES - 8, color: first + i < prompt ? theme.muted : theme.text, size: 10 };
    const every = (/** @type {number} */ size) => i % Math.ceil(LEAST / size) === 0;
    if (every(cell.height)) pen.text(q.x - 6, map.y + (i + 0.5) * cell.height, visible(token), { ...style, align: "right" });
    if (every(cell.width)) pen.text(map.x + (i + 0.5) * cell.width, last.y + last.height + 6, visible(token),
      { ...style, align: "right", rotate: -Math.PI / 3 });
  });
}

/** @param {Data["header"]} header */
export const memoryHeight = ({ windows }) => HEAD + windows.length * ROW + TICKS;

/**
 * Every layer's buffer in bytes: allocated, held, and written in this step.
 * @param {Pen} pen
 * @param {Data["header"]} header
 * @param {number} width
 * @param {Theme} theme
 * @param {number} step
 */
export function drawMemory(pen, header, width, theme, step) {
  const { windows, prompt, each } = header;
  const [room, held, written] = memoryColors(theme);
  const unit = (width - LAYER - 2) / widestOf(header);
  const now = prompt + step;
  const bar = (/** @type {number} */ y, /** @type {number} */ from, /** @type {number} */ count, /** @type {string} */ color) =>
    pen.rect(LAYER + from * unit, y + 2, Math.max(count * unit, 1), ROW - 4, color);
  pen.text(LAYER, 9, _("bytes of each layer"), { color: theme.muted });
  windows.forEach((window, layer) => {
    const y = HEAD + layer * ROW;
    const capacity = capacityOf(header, step, layer);
    pen.text(LAYER - 6, y + ROW / 2, layer, { color: theme.muted, align: "right", size: 10 });
    bar(y, 0, capacity, room);
    bar(y, 0, Math.min(now, capacity), held);
    if (step) bar(y, window ? (now - 1) % window : now - 1, 1, written);
    else bar(y, 0, Math.min(now, capacity), written);
  });
  const reach = (widestOf(header) * each) / 1000;
  const bottom = HEAD + windows.length * ROW + 9;
  for (const share of [0, 0.5, 1]) pen.text(LAYER + share * (width - LAYER - 2), bottom, `${Number((share * reach).toPrecision(3))} kB`,
    { color: theme.muted, size: 10, align: share === 1 ? "right" : share ? "center" : "left" });
}

/**
 * What lies under a point of the map, its queries, keys or values, in words; null for nothing.
 * @param {Data} data
 * @param {Layout} layout
 * @param {number} step
 * @param {number} x
 * @param {number} y
 */
export function cellAt({ header, arrays }, { map, q, keys, values }, step, x, y) {
  const { tokens, first } = header;
  const shown = tokens.length - first;
  const place = (/** @type {Box | null} */ box, /** @type {number} */ columns, /** @type {number} */ rows) =>
    box && x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height
      ? { col: Math.floor(((x - box.x) / box.width) * columns), row: Math.floor(((y - box.y) / box.height) * rows) } : null;
  const named = (/** @type {number} */ at) => `${first + at} “${visible(tokens[first + at])}”`;
  const now = lastRead(header, step) - first;
  const here = place(map, shown, shown);
  if (here) {
    if (here.row > now) return null;
    const p = arrays.weights[here.row * shown + here.col];
    return Number.isFinite(p) ? _("Query {query}, key {key}: probability {p}", { query: named(here.row), key: named(here.col), p: p.toFixed(5) }) : _(
      "Query {query} does not see key {key}", { query: named(here.row), key: named(here.col) });
  }
  for (const [all, box, what] of /** @type {[Float32Array, Box | null, string][]} */ ([[arrays.k, keys, _("key")], [arrays.v, values, _("value")]])) {
    const size = all ? all.length / shown : 0;
    const at = all && place(box, shown, size);
    if (at) return at.col > now ? null : _("{what} of {token}, dimension {dimension}: {value}",
      { what, token: named(at.col), dimension: at.row, value: all[at.col * size + at.row].toFixed(5) });
  }
  const size = arrays.q.length / shown;
  const at = place(q, size, shown);
  if (!at || at.row > now || (step && at.row !== now)) return null;
  return _("{what} of {token}, dimension {dimension}: {value}",
    { what: _("query"), token: named(at.row), dimension: at.col, value: arrays.q[at.row * size + at.col].toFixed(5) });
}
