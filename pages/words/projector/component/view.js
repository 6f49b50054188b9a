// @ts-check
// Vectors in a plane, tens of thousands of them: point, click, search, zoom; and the training as a film.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { homeOf, within } from "./camera.js";
import { drawMarks, neighboursOf, pointImage } from "./draw.js";
import { playFilm, setPlaces, showFrame, stopFilm } from "./film.js";
import { lastMarks, onMarks } from "./marked.js";
import { fillLegend, fillPanel } from "./panel.js";
import { wirePointer, zoomBy } from "./pointer.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const REST = 350; // milliseconds without a movement until the server is told

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  if (v.bytes && sameBytes(v.bytes, bytes)) { // every rerun of the page sends the same points again
    refresh(v);
    return;
  }
  v.bytes = bytes;
  stopFilm(v);
  const before = v.header?.space;
  Object.assign(v, decode(bytes));
  v.names = v.header.names.split("\n");
  const size = v.names.length;
  const { groups } = v.arrays;
  [v.xs, v.ys] = [new Float32Array(size), new Float32Array(size)];
  // Frequent words come first in the file: they are painted last, and coloured ones over grey ones.
  const coloured = (/** @type {number} */ row) => (v.header.groups[groups[row]].light ? 1 : 0);
  const rows = Array.from({ length: size }, (_, row) => row);
  v.ranked = v.header.large ? Int32Array.from([...rows.filter(coloured), ...rows.filter((row) => !coloured(row))]) : Int32Array.from(rows);
  v.order = Int32Array.from(v.ranked).reverse();
  v.only.clear();
  v.frame = v.header.film ? v.header.film.at.length - 1 : 0;
  v.player.hidden = !v.header.film;
  if (before !== v.header.space) Object.assign(v, { row: -1, near: [], cosines: [], hovered: -1, camera: homeOf(v.header.box), moved: false });
  setPlaces(v);
  if (v.header.film) {
    v.slider.max = String(v.header.film.at.length - 1);
    showFrame(v, v.frame, () => {});
  }
  hear(v);
  refresh(v);
}

/**
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
function sameBytes(one, other) {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let k = 0; k < one.length; k++) if (one[k] !== other[k]) return false;
  return true;
}

/**
 * The server said what is chosen; it is passed over where the user has gone on since.
 * @param {View} v
 */
function hear(v) {
  const marks = lastMarks();
  if (!marks || !v.header || marks.space !== v.header.space || marks.seq < v.seq) return;
  const first = v.marks?.space !== marks.space;
  Object.assign(v, { marks, seq: marks.seq, row: marks.row, near: marks.near, cosines: marks.cosines });
  if (first && marks.camera) {
    const [x, y, zoom] = marks.camera;
    Object.assign(v, { camera: within({ x, y, zoom }), moved: true });
  }
  if (first && v.header.film && marks.frame >= 0) showFrame(v, Math.min(marks.frame, v.header.film.at.length - 1), () => {});
}

/** @param {View} v */
function refresh(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  fillPanel(v, (row) => choose(v, row));
  fillLegend(v, () => refresh(v));
  repaint(v);
}

/** @param {View} v */
function repaint(v) {
  v.asked ||= requestAnimationFrame(() => {
    v.asked = 0;
    paint(v);
  });
}

/** @param {View} v */
function paint(v) {
  const width = v.stage.clientWidth;
  if (!width || !v.header) return;
  const begun = performance.now();
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.width = width;
  v.height = Math.max(300, Math.min(470, Math.round(width * 0.72)));
  const ratio = window.devicePixelRatio || 1;
  const context = fit(v.canvas, width, v.height, ratio);
  v.pixels = pointImage(v, v.theme, width, v.height, ratio, v.pixels);
  context.putImageData(v.pixels, 0, 0);
  drawMarks(canvasPen(context, v.theme), v, v.theme, width, v.height);
  const said = v.row >= 0 ? `Chosen: ${v.names[v.row]}; nearest: ${v.near.map((row) => v.names[row]).join(", ")}.` : "None is chosen.";
  v.canvas.setAttribute("aria-label", TEXTS.arrowKeysMove(v.header.title, said));
  Object.assign(v.root.dataset, { points: v.names.length, row: v.row, near: v.near.length, zoom: v.camera.zoom.toFixed(2), paint: (performance.now() - begun).toFixed(1) });
}

/**
 * @param {View} v
 * @param {number} row -1: none
 */
function choose(v, row) {
  if (row === v.row && row >= 0) return;
  const near = row < 0 ? [] : neighboursOf(v, row);
  const count = near.length;
  const cosines = count ? Array.from(v.arrays.cosines.slice(row * count, (row + 1) * count)) : [];
  Object.assign(v, { row, near, cosines, marks: v.marks && { ...v.marks, place: null, name: "" } });
  refresh(v);
  tell(v);
}

/** @param {View} v */
function tell(v) {
  v.tell.cancel();
  v.seq += 1;
  const { x, y, zoom } = v.camera;
  const frame = v.header.film ? Math.round(v.frame) : -1;
  v.component.setStateValue("place", { space: v.header.space, word: v.row >= 0 ? v.names[v.row] : v.marks?.name ?? "", camera: v.moved ? [x, y, zoom] : null, frame, seq: v.seq });
}

/**
 * @param {View} v
 * @param {number} row
 * @param {number} x
 * @param {number} y
 */
function point(v, row, x, y) {
  v.canvas.style.cursor = row >= 0 ? "pointer" : "grab";
  v.tip.hidden = row < 0;
  if (row !== v.hovered) {
    v.hovered = row;
    repaint(v);
  }
  if (row < 0) return;
  const group = v.header.groups[v.arrays.groups[row]];
  v.tip.textContent = `${v.names[row]} · number ${(row + 1).toLocaleString("en")}${group.light ? ` · ${group.name}` : ""}`;
  v.tip.style.left = `${Math.max(0, Math.min(x + 12, v.width - v.tip.offsetWidth))}px`;
  v.tip.style.top = `${Math.max(0, y - 30)}px`;
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const [width, height, scale] = [v.width, v.height, 2];
  const sheet = document.createElement("canvas");
  const image = pointImage(v, theme, width, height, scale);
  [sheet.width, sheet.height] = [image.width, image.height];
  sheet.getContext("2d").putImageData(image, 0, 0);
  return figureOf(v.header.file, { width: width + 32, height: height + 48, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => {
      pen.image(sheet, 0, 0, width, height);
      drawMarks(pen, v, theme, width, height);
    });
  });
}

/** @param {View} v */
function leave(v) {
  v.observer.disconnect();
  v.unmarked();
  v.tell.cancel();
  stopFilm(v);
  cancelAnimationFrame(v.asked);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, row: -1, near: [], cosines: [], hovered: -1, only: new Set(), frame: 0, running: 0, asked: 0, marks: null, height: 0 });
  v.tell = debounce(() => tell(v), REST);
  const acts = {
    choose: (/** @type {number} */ row) => choose(v, row),
    point: (/** @type {number} */ row, /** @type {number} */ x, /** @type {number} */ y) => point(v, row, x, y),
    move: (/** @type {import("./types").Camera} */ camera) => {
      const home = homeOf(v.header.box);
      Object.assign(v, { camera, moved: JSON.stringify(camera) !== JSON.stringify(home), hovered: -1 });
      v.tip.hidden = true;
      repaint(v);
      v.tell();
    },
  };
  v.canvas = make("canvas", { testid: "points", role: "img", tabIndex: 0 });
  v.tip = make("div", { className: "tip", role: "tooltip", testid: "tip", hidden: true });
  const buttons = make("div", { className: "tools" },
    makeButton("+", TEXTS.zoomClickPicture, () => zoomBy(v, acts, 1.6)),
    makeButton("−", "Zoom out", () => zoomBy(v, acts, 1 / 1.6)),
    makeButton("All", "Show all", () => acts.move(homeOf(v.header.box))),
    pictureButton(v, "this figure", () => saved(v)));
  v.stage = make("div", { className: "stage" }, v.canvas, v.tip, buttons);
  v.play = makeButton("▶", "Play the training", () => playFilm(v, () => repaint(v), () => tell(v)));
  v.play.dataset.testid = "play";
  v.slider = make("input", { type: "range", min: "0", step: "0.05", testid: "frame", "aria-label": TEXTS.howFarTraining });
  v.slider.addEventListener("input", () => {
    stopFilm(v);
    showFrame(v, Number(v.slider.value), () => repaint(v));
    v.tell();
  });
  v.said = make("span", { className: "said", testid: "said" });
  v.player = make("div", { className: "player", hidden: true }, v.play, v.slider, v.said);
  v.panel = make("div", { className: "panel", testid: "panel", "aria-live": "polite" });
  v.legend = make("div", { className: "legend", testid: "legend" });
  v.root = make("div", { className: "projector", testid: "projector" }, make("div", { className: "left" }, v.stage, v.player, v.legend), v.panel);
  host.append(v.root);
  wirePointer(v, acts);
  v.unmarked = onMarks(() => {
    hear(v);
    if (v.header) refresh(v);
  });
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

export default mounted({ create, receive, leave });
