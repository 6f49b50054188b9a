// @ts-check
// The latents: nine cells and a pad to draw on, what is read, and every latent's map.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { makePad, readPixels, writtenPixels } from "#canvas/pad.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { CELLS, PIXELS, beside, drawCells, drawMaps, focus, layOut, pointedAt, pointedSentence } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */
/** @typedef {import("./drawing.js").Latent} Latent */
/** @typedef {import("./drawing.js").Pointed} Pointed */

const GRID_SIZE = 201;
const PAD_SIZE = 112;
const NOTHING = 10;

/**
 * @param {View} v
 * @param {number} latent
 */
function toggleMute(v, latent) {
  const { muted } = v.place;
  go(v, { muted: muted.includes(latent) ? muted.filter((each) => each !== latent) : [...muted, latent].sort((a, b) => a - b) });
}

/** What is in the chosen cell from now on; "" is the picture's own digit. @param {View} v @param {string} letters */
function put(v, letters) {
  ask(v, { drawn: v.place.drawn.map((each, cell) => (cell === v.place.cell ? letters : each)) });
}

/** @param {View} v */
function fillHeads({ els, header }) {
  const names = [_("mean of heads"), ...Array.from({ length: header.heads }, (__, n) => _("head {n}", { n }))];
  els.head.replaceChildren(...names.map((name, i) => make("option", { value: String(i) }, name)));
}

/** @param {View} v */
function makeGrid(v) {
  const grid = make("canvas", { role: "application", testid: "latents-cells", className: "cells" });
  const clipped = (/** @type {number} */ at) => Math.max(0, Math.min(CELLS - 1, at));
  cells(v, grid, {
    under: (x, y) => {
      const [column, row] = [x, y].map((at) => Math.min(PIXELS - 1, Math.max(0, Math.floor((PIXELS * at) / GRID_SIZE))));
      return /** @type {Pointed} */ ({ at: null, pixel: PIXELS * row + column });
    },
    choose: ({ pixel }) => {
      const [row, column] = [Math.floor(Number(pixel) / PIXELS), Number(pixel) % PIXELS].map((at) => Math.floor((CELLS * at) / PIXELS));
      ask(v, { cell: row * CELLS + column });
      fillPad(v);
    },
    beside: (right, down) => {
      const [row, column] = [clipped(Math.floor(v.place.cell / CELLS) + down), clipped((v.place.cell % CELLS) + right)];
      return /** @type {Pointed} */ ({ at: null, pixel: (PIXELS / CELLS) * (PIXELS * row + column) });
    },
  });
  grid.addEventListener("keydown", ({ key }) => (key === "Delete" || key === "Backspace") && v.pad.clear());
  return grid;
}

/** @param {View} v */
function makeMaps(v) {
  const maps = make("canvas", { role: "application", tabIndex: 0, testid: "latents-maps" });
  const keep = (/** @type {Latent | null} */ at) => go(v, { pin: at && v.place.pin?.join() === at.join() ? null : at });
  const under = (/** @type {number} */ x, /** @type {number} */ y) => pointedAt(v.layout, x, y);
  const next = (/** @type {number} */ right, /** @type {number} */ down) => /** @type {Pointed} */ ({ at: beside(v, right, down), pixel: null });
  cells(v, maps, { under, choose: ({ at }) => keep(at), beside: next });
  maps.addEventListener("dblclick", ({ offsetX, offsetY }) => {
    const found = under(offsetX, offsetY);
    if (found?.at) toggleMute(v, found.at[1]);
  });
  maps.addEventListener("keydown", ({ key }) => {
    if (key.toLowerCase() === "m" && v.place.pin) toggleMute(v, v.place.pin[1]);
    if (key === "Escape") go(v, { pin: null });
  });
  return maps;
}

/** The pad, and what can be done with it. @param {View} v */
function makeDrawing(v) {
  v.pad = makePad({ drawn: () => v.header && v.paint(), finished: (values) => put(v, writtenPixels(values)), testid: "latents-pad" });
  v.ends.push(() => v.pad.end());
  const erase = makeButton(_("Erase"), _("Draw with paper in place of ink"), () => {
    v.pad.erasing = !v.pad.erasing;
    v.paint();
  });
  const clear = makeButton(_("Clear"), _("Empty the cell, to draw a digit of your own"), () => v.pad.clear());
  const back = makeButton(_("Put back"), _("The held-out digit that was there"), () => put(v, ""));
  Object.assign(v.els, { erase, back });
  return make("div", { className: "draw" }, v.pad.root, make("div", { className: "bar" }, clear, erase, back));
}

/** @param {View} v */
function build(v) {
  v.images = new Map();
  const [grid, drawing] = [makeGrid(v), makeDrawing(v)];
  const mute = makeButton(_("Mute a latent"), _("Take the chosen latent out: neither another one nor an answer sees it"),
    () => toggleMute(v, /** @type {Latent} */ (focus(v))[1]));
  const unmute = makeButton(_("Unmute all"), _("Let all latents take part"), () => go(v, { muted: [] }));
  const said = make("p", { className: "said", "aria-live": "polite", testid: "latents-said" });
  const [bars, spoken] = [make("div", { testid: "latents-bars" }), make("p", { className: "said", testid: "latents-pointed" })];
  const head = make("select", { "aria-label": _("Head"), testid: "latents-head" });
  head.addEventListener("change", () => go(v, { head: Number(head.value) }));
  Object.assign(v.els, { head, grid, maps: makeMaps(v), bars, said, spoken, mute, unmute });
  const save = saving(v, "tlmviz-latents", {
    height: (width) => layOut(width, v.header.layers, v.header.latents).height,
    draw: (pen, theme, width) => drawMaps(pen, { ...v, hover: null }, theme, layOut(width, v.header.layers, v.header.latents)),
  });
  const left = make("div", { className: "left" }, make("div", {}, grid, drawing), make("div", { className: "answer" }, said, bars));
  const right = make("div", { className: "right" }, make("div", { className: "bar" }, head, mute, unmute, save),
    make("div", { className: "panel" }, v.els.maps), spoken);
  return [make("div", { className: "sides" }, left, right)];
}

/**
 * A digit's share of the answer for the chosen cell.
 * @param {View} v
 * @param {number} digit
 */
function makeShare(v, digit) {
  const share = v.arrays.probabilities[v.place.cell * (NOTHING + 1) + digit];
  const fill = make("i");
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  const name = make("span", { className: digit === v.header.truth[v.place.cell] ? "truth" : "" }, digit === NOTHING ? _("nothing") : String(digit));
  return make("div", { className: v.header.error ? "weight stale" : "weight" }, name, make("div", { className: "track" }, fill),
    make("output", {}, share.toFixed(3)));
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  v.pad.paint(v.theme, PAD_SIZE);
  drawCells(canvasPen(fit(els.grid, GRID_SIZE, GRID_SIZE), v.theme), v, v.theme, GRID_SIZE, readPixels);
  v.layout = layOut(widthOf(els.maps), header.layers, header.latents);
  drawMaps(penOf(v, els.maps, v.layout.height), v, v.theme, v.layout);
  els.head.value = String(place.head);
  const chosen = focus(v)?.[1] ?? null;
  els.mute.disabled = chosen === null;
  els.mute.textContent = chosen === null ? _("Mute a latent") : place.muted.includes(chosen)
    ? _("Unmute latent {n}", { n: chosen }) : _("Mute latent {n}", { n: chosen });
  els.unmute.hidden = !place.muted.length;
  els.erase.setAttribute("aria-pressed", String(v.pad.erasing));
  els.back.disabled = !place.drawn[place.cell];
  els.said.textContent = header.error || header.said;
  els.said.classList.toggle("error", Boolean(header.error));
  els.bars.replaceChildren(...Array.from({ length: NOTHING + 1 }, (__, digit) => makeShare(v, digit)));
  els.spoken.textContent = pointedSentence(v) || _("Point at a map, or at a pixel of the picture. Click a map to keep it.");
  els.grid.setAttribute("aria-label", _("The picture, three by three cells. Chosen: {cell}. Arrow keys choose another, Delete empties it.",
    { cell: header.names[place.cell] }));
  els.maps.setAttribute("aria-label", _("Maps of {latents} latents in {layers} layers. {said} Arrow keys choose a map, M mutes its latent.",
    { latents: header.latents, layers: header.layers, said: header.said }));
  Object.assign(v.root.dataset, { pixels: writtenPixels(v.pad.values), boxes: JSON.stringify(v.layout) });
}

/** @param {View} v */
function fillPad(v) {
  v.pad.fill(readPixels(v.header.pixels[v.place.cell]));
  v.paint();
}

/**
 * What is not read leaves the maps of before.
 * @param {View} v
 */
function fitRead(v) {
  const { error, seq, heads, pixels } = v.header;
  if (v.els.head.options.length !== heads + 1) fillHeads(v);
  if (!error || !v.kept || v.kept.reading.length !== v.arrays.reading.length) {
    v.kept = v.arrays;
    v.images.clear();
  }
  if (seq >= v.seq) v.pad.fill(readPixels(pixels[v.place.cell])); // else it was drawn on since
}

export default live({ id: "latents", build, paint, fit: fitRead });
