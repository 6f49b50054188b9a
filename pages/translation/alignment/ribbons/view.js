// @ts-check
// The ribbons: what is pinned and asked for, and what stands around them.

import { make, makeButton } from "#canvas/dom.js";
import { joinHover } from "#canvas/hovered.js";
import { _ } from "#canvas/language.js";
import { ask, live, penOf, saving } from "#canvas/live.js";
import { NOWHERE, drawRibbons, lookedAt, nameWidths } from "./drawing.js";
import { layout, repinned } from "./layout.js";
import { wire } from "./pointer.js";
import { sentence, writtenLine } from "./said.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Pin} Pin */

/** Where all lies in `width` pixels. @param {View} v @param {number} width */
function planned(v, width) {
  return layout(v.arrays.weights, { source: nameWidths(v.theme, v.header.source), target: nameWidths(v.theme, v.header.target) }, width);
}

/** The pin that was asked for and is not decoded yet. @param {View} v @returns {Pin | null} */
function pendingPin({ place, header }) {
  const asked = place.pins.at(-1);
  return asked && !header.pins.some((pin) => String(pin) === String(asked)) ? asked : null;
}

/**
 * Make a step read one source token, or freely with null: shown at once, and sent.
 * @param {View} v
 * @param {number} step
 * @param {number | null} token
 */
export function pin(v, step, token) {
  Object.assign(v, { held: null, hover: null });
  if (v.cursor) v.cursor = { side: "target", index: step };
  const pins = repinned(v.place.pins, step, token);
  if (JSON.stringify(pins) === JSON.stringify(v.place.pins)) return v.paint();
  keepPins(v, pins, [...v.past, v.place.pins]);
}

/** Take the last pin back; of pins that came with a link, the last one. @param {View} v */
export function undo(v) {
  if (v.place.pins.length || v.past.length) keepPins(v, v.past.at(-1) ?? v.place.pins.slice(0, -1), v.past.slice(0, -1));
}

/** @param {View} v @param {Pin[]} pins @param {Pin[][]} past */
function keepPins(v, pins, past) {
  v.past = past;
  ask(v, { pins });
}

/** One row's tokens, tied to those of the page's other views. @param {View} v @param {import("./types").Side} side */
function joined(v, side) {
  const light = (/** @type {number[]} */ indices) => {
    v.lit[side] = indices;
    v.root.dataset[side === "source" ? "litSource" : "litTarget"] = indices.join();
    v.paint();
  };
  const tie = joinHover({ text: side, tokens: () => v.header?.[side] ?? [], light });
  v.ends.push(tie.end);
  return tie;
}

/** @param {View} v */
function build(v) {
  Object.assign(v, { past: [], held: null, cursor: null, drag: null, lit: { source: [], target: [] } });
  v.joined = { source: joined(v, "source"), target: joined(v, "target") };
  v.els = {
    canvas: make("canvas", { role: "application", tabIndex: 0, testid: "ribbons" }),
    now: make("strong", { testid: "now" }),
    was: make("span", { className: "was", testid: "was" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "said" }),
    undo: makeButton(_("Undo"), _("Take the last pin back"), () => undo(v)),
    free: makeButton(_("Look freely"), _("Remove all pins"), () => keepPins(v, [], [...v.past, v.place.pins])),
  };
  const save = saving(v, "tlmviz-ribbons", {
    height: (width) => planned(v, width).height,
    draw: (pen, theme, width) => drawRibbons(pen, /** @type {View} */ (
      { ...v, plan: planned(v, width), hover: null, cursor: null, held: null, drag: null, pending: null }), theme),
    title: () => `${writtenLine(v.header.now)} · ${v.header.title}${v.header.pins.length ? _("; outlined: where it had to look") : ""}`,
  });
  wire(v);
  const { canvas, now, was, said, undo: back, free } = v.els;
  return [make("div", { className: "top" }, make("div", { className: "texts" }, now, was), make("div", { className: "buttons" }, back, free, save)),
    make("div", { className: "panel" }, canvas), said];
}

/** @param {View} v @param {any} before */
function fitRibbons(v, before) {
  if (before && before.origin !== v.header.origin) Object.assign(v, { past: [], held: null, cursor: null });
  v.planned = 0;
}

/** @param {View} v */
function paint(v) {
  const { els, header } = v;
  if (v.planned !== v.width) Object.assign(v, { plan: planned(v, v.width), planned: v.width });
  v.pending = pendingPin(v);
  const { plan } = v;
  drawRibbons(penOf(v, els.canvas, plan.height), v, v.theme);
  els.said.textContent = sentence(v, lookedAt(v));
  els.now.textContent = writtenLine(header.now);
  els.was.textContent = header.was.text !== header.now.text || header.pins.length ? _("Looking freely: {written}", { written: writtenLine(header.was) }) : "";
  els.undo.disabled = !v.place.pins.length && !v.past.length;
  els.free.disabled = !v.place.pins.length;
  const { step, token } = v.hover ?? NOWHERE;
  els.canvas.style.cursor = v.drag?.moved ? "grabbing" : step !== null ? "grab" : token !== null ? "pointer" : "";
  els.canvas.setAttribute(
    "aria-label",
    _("{text}. Ribbons from {written} written tokens to {read} tokens of the source, as wide as attention. Arrow keys walk, Enter chooses a word of the " +
    "translation and then the word it shall read, Delete frees it.", { text: header.now.text, written: header.target.length, read: header.source.length }));
  Object.assign(v.root.dataset, { plan: JSON.stringify({ source: plan.source, target: plan.target, near: plan.near, far: plan.far, upright: plan.upright }),
    now: header.now.text, pending: String(!!v.pending) });
}

export default live({ id: "ribbons", build, paint, fit: fitRibbons });
