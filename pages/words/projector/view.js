// @ts-check
// Vectors in a plane, tens of thousands of them: point, click, search, zoom; and the training as a film.

import { makeAxis, pause, placeOn } from "#canvas/axis.js";
import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go, live, saving } from "#canvas/live.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { homeOf, within } from "./camera.js";
import { drawMarks, neighboursOf, pointImage } from "./draw.js";
import { fillLegend, fillPanel } from "./panel.js";
import { wirePointer, zoomBy } from "./pointer.js";
import { onPoints, pointsHere } from "./points.js";

/**
 * `word` is what was asked for; `name`, `row` (-1: none), `place` (of a word without a row), `near` and `cosines` what was found.
 * `space` tells spaces apart; the first group is of points that belong to none; `large`: few points have a group, and are named.
 * @typedef {{ space: string, token: boolean, box: [number, number, number, number], groups: { name: string, light: string, dark: string }[], colour: string,
 *   large: boolean, film: { at: string[], losses: (number | null)[] } | null, word: string, name: string, row: number,
 *   place: [number, number] | null, near: number[], cosines: number[] }} Header
 * @typedef {{ x: number, y: number, zoom: number }} Camera its middle in the picture's own coordinates (0 to 1), and 1 for all of it
 * @typedef {{ row: number, name: string, place: [number, number] | null, near: number[], cosines: number[] }} Found
 * @typedef {import("#canvas/live.js").View<Header, {}, { word: string, camera: [number, number, number] | null, frame: number }> & {
 *   points: import("./points.js").Points, names: string[], found: Found, camera: Camera, only: Set<number>, xs: Float32Array, ys: Float32Array,
 *   hovered: number, order: Int32Array, ranked: Int32Array, height: number, pixels?: ImageData, asked: number, sorted?: string, at?: number }} View
 * `order` are rows as they are painted: grey ones first, frequent ones last; `ranked` as they are named.
 */

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const filmOf = (v) => ({
  end: () => Math.max(0, (v.header.film?.at.length ?? 1) - 1),
  step: () => 1,
  read: () => (v.place.frame < 0 ? filmOf(v).end() : v.place.frame),
  write: (frame) => ({ frame }),
  says: () => {
    const nearest = Math.round(placeOn(v, filmOf(v)));
    const { at, losses } = v.header.film ?? { at: [""], losses: [null] };
    return losses[nearest] == null ? at[nearest] : _("{read} · loss {loss}", { read: at[nearest], loss: losses[nearest].toFixed(3) });
  },
  label: _("How far the training was"),
  lasts: () => 450 * filmOf(v).end(),
});

/**
 * Frequent words come first in the file: they are painted last, and coloured ones over grey ones. Named first are the coloured
 * ones where there are few, then words with a space before them, then all others.
 * @param {View} v
 */
function sortPoints(v) {
  const { names, arrays } = v.points;
  const rows = Array.from(names.keys());
  const coloured = (/** @type {number} */ row) => (v.header.large && v.header.groups[arrays.groups[row]].light ? 2 : 0);
  const begins = (/** @type {number} */ row) => (v.header.token && names[row].startsWith("␣") ? 1 : 0);
  const [worth, weight] = [rows.map((row) => coloured(row) + begins(row)), rows.map(coloured)];
  v.ranked = Int32Array.from(rows.toSorted((a, b) => worth[b] - worth[a]));
  v.order = Int32Array.from(rows.toSorted((a, b) => weight[b] - weight[a])).reverse();
  [v.xs, v.ys] = [new Float32Array(rows.length), new Float32Array(rows.length)];
}

/**
 * Put every point where it is at a frame, a number with fractions.
 * @param {View} v
 * @param {number} frame
 */
function setPlaces(v, frame) {
  const size = v.names.length;
  const { places } = v.points.arrays;
  const last = places.length / (2 * size) - 1;
  const at = Math.max(0, Math.min(last, frame));
  const [one, two] = [2 * size * Math.floor(at), 2 * size * Math.min(last, Math.floor(at) + 1)];
  const share = at - Math.floor(at);
  for (let row = 0; row < size; row++) {
    v.xs[row] = (places[one + 2 * row] * (1 - share) + places[two + 2 * row] * share) / 65535;
    v.ys[row] = (places[one + 2 * row + 1] * (1 - share) + places[two + 2 * row + 1] * share) / 65535;
  }
  v.at = frame;
}

/**
 * What is chosen: what the server found of the word, or the point that was clicked since.
 * @param {View} v
 */
function findChosen(v) {
  const { header, place } = v;
  if (place.word === header.word) v.found = { row: header.row, name: header.name, place: header.place, near: header.near, cosines: header.cosines };
}

/**
 * @param {View} v
 * @param {number} row -1: none
 */
function choose(v, row) {
  if (row === v.found.row && row >= 0) return;
  const near = row < 0 ? [] : neighboursOf(v, row);
  const cosines = near.length ? Array.from(v.points.arrays.cosines.slice(row * near.length, (row + 1) * near.length)) : [];
  const name = v.names[row] ?? "";
  v.found = { row, name, place: null, near, cosines };
  // A token without a space before it is asked for by its very name where there is one with it.
  go(v, { word: v.header.token && !name.startsWith("␣") && v.names.includes(`␣${name}`) ? `=${name}` : name });
}

/**
 * @param {View} v
 * @param {number} row
 * @param {number} x
 * @param {number} y
 */
function showPoint(v, row, x, y) {
  const { canvas, tip } = v.els;
  canvas.style.cursor = row >= 0 ? "pointer" : "grab";
  tip.hidden = row < 0;
  if (row !== v.hovered) {
    v.hovered = row;
    soon(v);
  }
  if (row < 0) return;
  const group = v.header.groups[v.points.arrays.groups[row]];
  tip.textContent = [v.names[row], _("number {row}", { row: (row + 1).toLocaleString("en") }), ...(group.light ? [group.name] : [])].join(" · ");
  tip.style.left = `${Math.max(0, Math.min(x + 12, v.width - tip.offsetWidth))}px`;
  tip.style.top = `${Math.max(0, y - 30)}px`;
}

/**
 * Paint the points with the browser's next picture: a wheel turns faster than 50,000 points are painted.
 * @param {View} v
 */
function soon(v) {
  v.asked ||= requestAnimationFrame(() => {
    v.asked = 0;
    paintCanvas(v);
  });
}

/** @param {View} v */
function paintCanvas(v) {
  const { canvas, stage } = v.els;
  if (!v.points || !stage.clientWidth) return;
  const begun = performance.now();
  v.width = stage.clientWidth;
  v.height = Math.max(300, Math.min(440, Math.round(v.width * 0.66)));
  const ratio = window.devicePixelRatio || 1;
  const context = fit(canvas, v.width, v.height, ratio);
  v.pixels = pointImage(v, v.theme, v.width, v.height, ratio, v.pixels);
  context.putImageData(v.pixels, 0, 0);
  drawMarks(canvasPen(context, v.theme), v, v.theme, v.width, v.height);
  const near = v.found.near.map((row) => v.names[row]).join(", ");
  const said = v.found.row >= 0 ? _("Chosen: {name}; nearest: {near}.", { name: v.found.name, near }) : _("None is chosen.");
  canvas.setAttribute("aria-label", `${v.header.title}. ${said} ${_("Arrow keys move, plus and minus zoom, 0 shows all.")}`);
  const frame = Math.round(placeOn(v, filmOf(v)));
  Object.assign(v.root.dataset, { points: v.names.length, row: v.found.row, near: v.found.near.length, zoom: v.camera.zoom.toFixed(2), frame,
    paint: (performance.now() - begun).toFixed(1) });
}

/** @param {View} v */
function paint(v) {
  const here = pointsHere();
  const { axis, player, title } = v.els;
  title.textContent = v.header.title;
  player.hidden = !v.header.film;
  if (!here || here.space !== v.header.space) return; // they are on their way
  const sorted = `${here.space}|${v.header.colour}`;
  if (v.points !== here || v.sorted !== sorted) {
    Object.assign(v, { points: here, names: here.names, sorted, at: undefined, hovered: -1 });
    v.only.clear();
    sortPoints(v);
  }
  findChosen(v);
  v.camera = v.place.camera ? within({ x: v.place.camera[0], y: v.place.camera[1], zoom: v.place.camera[2] }) : homeOf(v.header.box);
  const frame = v.header.film ? placeOn(v, filmOf(v)) : 0;
  if (frame !== v.at) setPlaces(v, frame);
  axis.repaint();
  if (!v.frame) { // while it plays only the points move
    fillPanel(v, (row) => choose(v, row));
    fillLegend(v, () => v.paint());
  }
  soon(v);
}

/** @param {View} v */
function build(v) {
  Object.assign(v, { only: new Set(), hovered: -1, asked: 0, height: 0, found: { row: -1, name: "", place: null, near: [], cosines: [] } });
  const acts = {
    choose: (/** @type {number} */ row) => choose(v, row),
    point: (/** @type {number} */ row, /** @type {number} */ x, /** @type {number} */ y) => showPoint(v, row, x, y),
    move: (/** @type {Camera} */ camera) => {
      const home = JSON.stringify(camera) === JSON.stringify(homeOf(v.header.box));
      v.els.tip.hidden = true;
      v.hovered = -1;
      go(v, { camera: home ? null : [camera.x, camera.y, camera.zoom] });
    },
  };
  const axis = makeAxis(v, filmOf(v));
  const canvas = make("canvas", { testid: "points", role: "img", tabIndex: 0 });
  const tip = make("div", { className: "tip", role: "tooltip", testid: "tip", hidden: true });
  const tools = make("div", { className: "tools" },
    makeButton("+", _("Zoom in (or click the picture and turn the wheel)"), () => zoomBy(v, acts, 1.6)),
    makeButton("−", _("Zoom out"), () => zoomBy(v, acts, 1 / 1.6)),
    makeButton(_("All"), _("Show all"), () => acts.move(homeOf(v.header.box))),
    saving(v, "tlmviz-projector", { height: (width) => (width * v.height) / v.width, draw: (pen, theme, width) => drawSaved(v, pen, theme, width) }));
  const stage = make("div", { className: "stage" }, canvas, tip, tools);
  const player = make("div", { className: "bar", hidden: true }, ...axis.parts);
  const [side, legend] = [make("div", { className: "side", testid: "panel", "aria-live": "polite" }), make("div", { className: "chips", testid: "legend" })];
  const title = make("div", { className: "soft" });
  Object.assign(v.els, { axis, canvas, tip, stage, player, side, legend, title });
  wirePointer(v, acts);
  v.ends.push(onPoints(() => v.paint()), () => cancelAnimationFrame(v.asked), () => pause(v));
  return [make("div", { className: "left" }, title, stage, player, legend), side];
}

/**
 * @param {View} v
 * @param {import("#canvas/pens.js").Pen} pen
 * @param {import("#canvas/theme.js").Theme} theme
 * @param {number} width
 */
function drawSaved(v, pen, theme, width) {
  const height = (width * v.height) / v.width;
  const sheet = document.createElement("canvas");
  const image = pointImage(v, theme, width, height, 2);
  [sheet.width, sheet.height] = [image.width, image.height];
  sheet.getContext("2d").putImageData(image, 0, 0);
  pen.image(sheet, 0, 0, width, height);
  drawMarks(pen, v, theme, width, height);
}

export default live({ id: "projector", build, paint });
