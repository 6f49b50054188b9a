// @ts-check
// The ribbons: their state, their DOM, and what is sent when a step is made to read another word.

import { decode } from "#canvas/decode.js";
import { make, makeButton } from "#canvas/dom.js";
import { joinHover } from "#canvas/hovered.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { readTheme } from "#canvas/theme.js";
import { drawRibbons, lookedAt, nameWidths } from "./drawing.js";
import { savedRibbons } from "./figure.js";
import { layout, repinned } from "./layout.js";
import { wire } from "./pointer.js";
import { line, sentence } from "./words.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Pin} Pin */

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  if (header.seq >= v.seq) {
    if (header.origin !== v.header?.origin) Object.assign(v, { past: [], held: null, cursor: null });
    v.seq = header.seq;
    v.pending = null;
    v.header = header;
    v.weights = arrays.weights;
    v.hover = { step: null, token: null };
    arrange(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function arrange(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const names = { source: nameWidths(v.theme, v.header.source), target: nameWidths(v.theme, v.header.target) };
  v.plan = layout(v.weights, names, v.root.clientWidth);
}

/**
 * Make a step read one source token, or freely with null: shown at once, and sent.
 * @param {View} v
 * @param {number} step
 * @param {number | null} token
 */
export function pin(v, step, token) {
  v.held = null;
  v.hover = { step: null, token: null };
  if (v.cursor) v.cursor = { side: "target", index: step };
  const pins = repinned(v.header.pins, step, token);
  if (JSON.stringify(pins) === JSON.stringify(v.header.pins)) return paint(v);
  v.past.push(v.header.pins);
  send(v, pins, token === null ? null : [step, token]);
}

/**
 * Take the last pin back; of pins that came with a link, the last one.
 * @param {View} v
 */
export function undo(v) {
  if (v.header.pins.length || v.past.length) send(v, v.past.pop() ?? v.header.pins.slice(0, -1), null);
}

/**
 * @param {View} v
 * @param {Pin[]} pins
 * @param {Pin | null} pending
 */
function send(v, pins, pending) {
  v.seq += 1;
  v.pending = pending;
  v.header.pins = pending ? pins.slice(0, -1) : pins;
  paint(v);
  v.component.setStateValue("pins", { pins, origin: v.header.origin, seq: v.seq });
}

/** @param {View} v */
export function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header, plan } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  drawRibbons(canvasPen(fit(els.canvas, plan.width, plan.height), v.theme), v, v.theme);
  const said = sentence(v, lookedAt(v));
  if (els.said.textContent !== said) els.said.textContent = said;
  const rewritten = header.was.text !== header.now.text || header.pins.length > 0;
  els.now.textContent = line(header.now);
  els.was.textContent = rewritten ? `Looking freely: ${line(header.was)}` : "";
  els.undo.disabled = !header.pins.length && !v.past.length;
  els.free.disabled = !header.pins.length;
  els.canvas.style.cursor = v.drag?.moved ? "grabbing" : v.hover.step !== null ? "grab" : v.hover.token !== null ? "pointer" : "";
  els.canvas.setAttribute("aria-label", TEXTS.ribbonsWrittenTokens(header.now.text, header.target.length, header.source.length));
  Object.assign(v.root.dataset, { plan: JSON.stringify({ source: plan.source, target: plan.target, near: plan.near, far: plan.far, upright: plan.upright }), now: header.now.text, pending: String(!!v.pending) });
}

/**
 * One row's tokens, tied to those of the page's other views.
 * @param {View} v
 * @param {import("./types").Side} side
 */
function joined(v, side) {
  const light = (/** @type {number[]} */ indices) => {
    v.lit[side] = indices;
    v.root.dataset[side === "source" ? "litSource" : "litTarget"] = indices.join();
    paint(v);
  };
  return joinHover({ text: side, tokens: () => v.header?.[side] ?? [], light });
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, past: [], pending: null, hover: { step: null, token: null }, held: null, cursor: null, drag: null, lit: { source: [], target: [] } });
  v.joined = { source: joined(v, "source"), target: joined(v, "target") };
  v.els = {
    canvas: make("canvas", { role: "application", tabIndex: 0, testid: "ribbons" }),
    now: make("strong", { testid: "now" }),
    was: make("span", { className: "was", testid: "was" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "said" }),
    undo: makeButton("Undo", TEXTS.takeLastPin, () => undo(v)),
    free: makeButton("Look freely", "Remove all pins", () => {
      v.past.push(v.header.pins);
      send(v, [], null);
    }),
  };
  const saves = [pictureButton(v, "this figure", () => savedRibbons(v))];
  v.root = make("div", { className: "ribbons" },
    make("div", { className: "bar" }, make("div", { className: "texts" }, v.els.now, v.els.was),
      make("div", { className: "buttons" }, v.els.undo, v.els.free, ...saves)),
    v.els.canvas, v.els.said);
  host.append(v.root);
  wire(v);
  v.observer = watchWidth(v, () => { arrange(v); paint(v); }, () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.joined.source.end();
  v.joined.target.end();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
