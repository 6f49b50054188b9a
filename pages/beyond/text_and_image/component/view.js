// @ts-check
// Text and image: the state of the view, its DOM, and what is sent when picture, question or choice change.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { makePad, writtenPixels } from "#canvas/pad.js";
import { announcePicture } from "#canvas/painted.js";
import { pictureButton } from "#canvas/picture.js";
import { PATCHES } from "./maps.js";
import { paint, saved } from "./paint.js";
import { headCanvas, patchCanvas, wirePlaces } from "./pointer.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Shown} Shown */

const DELAY = 400; // milliseconds without a choice until it is sent, for the link

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  if (header.seq >= v.seq) {
    const other = header.cells.join() !== v.header?.cells.join() || header.question !== v.header?.question;
    Object.assign(v, { header, seq: header.seq, pixels: arrays.pixels, marks: arrays.marks });
    v.asks = { maps: arrays.maps, rows: header.asked.length + header.words.length, columns: PATCHES * PATCHES, layers: header.layers, heads: header.heads };
    v.turned = { maps: arrays.turned, rows: PATCHES * PATCHES, columns: header.read.length, layers: header.turnedLayers, heads: header.turnedHeads };
    if (other) Object.assign(v, { shown: header.shown, cell: header.cell });
    fillPad(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function fillPad(v) {
  const [top, left] = [Math.floor(v.cell / 3) * 8, (v.cell % 3) * 8];
  v.pad.fill(Array.from({ length: 64 }, (_, i) => v.pixels[(top + Math.floor(i / 8)) * 24 + left + (i % 8)]));
}

/**
 * Send a change of picture or question at once; what is shown goes with it.
 * @param {View} v
 * @param {Record<string, unknown>} message
 */
export function send(v, message = {}) {
  v.sendSoon.cancel();
  v.seq += 1;
  const { word, patch, head, turnedWord, turnedHead } = v.shown;
  v.component.setStateValue("scene", { ...message, shown: [word, patch, head, turnedWord, turnedHead], cell: v.cell, seq: v.seq });
}

/**
 * Put something into the chosen cell.
 * @param {View} v
 * @param {Record<string, unknown>} what `digit`: the next held-out picture of one; `drawn`: pixels; neither empties it
 */
function put(v, what) {
  send(v, { put: what });
}

/**
 * @param {View} v
 * @param {Partial<Shown>} change
 */
export function show(v, change) {
  Object.assign(v.shown, change);
  paint(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {number} cell
 */
function choose(v, cell) {
  v.cell = cell;
  fillPad(v);
  paint(v);
  v.sendSoon();
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, cell: 0, shown: { word: 0, patch: 0, head: 0, turnedWord: 0, turnedHead: 0 } });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.pad = makePad({ drawn: () => v.header && v.pad.paint(v.theme, 144), finished: (values) => put(v, { drawn: writtenPixels(values) }), testid: "scene-pad" });
  const grid = make("canvas", { role: "application", tabIndex: 0, testid: "scene-grid" });
  wirePlaces(grid, 3, () => v.cell, (cell) => choose(v, cell), (key) => typed(v, key));
  const line = (/** @type {string} */ className, /** @type {string} */ testid) => make("p", { className, testid, "aria-live": "polite" });
  const words = (/** @type {string} */ testid) => make("div", { className: "words", testid });
  v.els = {
    grid, asks: patchCanvas(v, "scene-asks"), turned: patchCanvas(v, "scene-turned"),
    heads: headCanvas(v, "scene-heads", "asks", "head"), turnedHeads: headCanvas(v, "scene-turned-heads", "turned", "turnedHead"),
    words: words("scene-words"), turnedWords: words("scene-turned-words"), picks: make("div", { className: "picks", testid: "scene-picks" }),
    verdict: line("verdict", "scene-verdict"), marking: line("verdict", "scene-marking"),
    said: line("said", "scene-said"), turnedSaid: line("said", "scene-turned-said"), cellName: make("strong"), answered: [],
  };
  const { els } = v;
  els.answered = [
    make("div", {}, els.words, els.asks, els.said, els.heads),
    make("section", { className: "side", "aria-label": TEXTS.pictureAsksText }, make("h4", {}, TEXTS.patchesAskWords), els.marking, els.turnedWords, els.turned, els.turnedSaid, els.turnedHeads),
  ];
  v.root = make("div", { className: "scene", testid: "scene-root" },
    els.picks,
    make("section", { className: "layout", "aria-label": "The picture" }, els.grid, tray(v)),
    make("section", { className: "side", "aria-label": TEXTS.textAsksPicture }, make("h4", {}, TEXTS.wordsAskPatches), els.verdict, els.answered[0]),
    els.answered[1]);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/**
 * What can be put into the chosen cell.
 * @param {View} v
 */
function tray(v) {
  const digits = Array.from({ length: 10 }, (_, digit) => makeButton(String(digit), TEXTS.putHeldOut(digit), () => put(v, { digit })));
  return make("div", { className: "tray" },
    make("p", {}, "Put into ", v.els.cellName, ":"),
    make("div", { className: "digits", testid: "scene-digits" }, ...digits, makeButton("empty", "Empty this cell", () => put(v, {}))),
    make("p", {}, "or draw:"), v.pad.root,
    make("div", { className: "saves" }, pictureButton(v, "both pictures", () => saved(v))));
}

/**
 * A key on the picture that is laid out. Returns whether it meant something.
 * @param {View} v
 * @param {string} key
 */
function typed(v, key) {
  if (/^[0-9]$/.test(key)) put(v, { digit: Number(key) });
  else if (key === "Delete" || key === "Backspace") put(v, {});
  else return false;
  return true;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.pad.end();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
