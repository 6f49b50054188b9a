// @ts-check
// One product in few bits: maps, channels, and a scale that answers while it is moved, without the server.

import { make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, pointing, saving, segments, widthOf } from "#canvas/live.js";
import { digits } from "#canvas/text.js";
import { sampleOf } from "./channels.js";
import { drawProduct, panelsOf, pointedAt } from "./drawing.js";
import { decibels } from "./map.js";
import { curveOf, outcome } from "./rounding.js";

/** @typedef {import("./types").View} View */

/** @param {View} v */
function curve(v) {
  const { name, ...sample } = sampleOf(v);
  let found = v.curves.get(name);
  if (!found) v.curves.set(name, (found = curveOf(v.header.format, sample, v.header.range)));
  return found;
}

/** @param {View} v */
function build(v) {
  v.curves = new Map();
  const canvas = make("canvas", { testid: "scaling-canvas", role: "img" });
  pointing(v, canvas, (x, y) => pointedAt(v, x, y) || null);
  pointByKeys(canvas);
  const slider = make("input", { type: "range", step: 0.125, testid: "scaling-scale" });
  slider.addEventListener("input", () => go(v, { factor: Number(slider.value) }));
  const best = makeButton(_("Best"), _("Move to the scale with the least error"), () => go(v, { factor: curve(v).doublings[curve(v).best] }));
  const told = make("output", { testid: "scaling-outcome" });
  const said = make("p", { className: "said", "aria-live": "polite", testid: "scaling-said" });
  const sees = segments(() => [["x", "X"], ["w", "W"], ["o", "O"]], () => v.place.see, (see) => go(v, { see }), _("Matrix shown"));
  const colors = segments(() => [["size", _("Sizes")], ["error", _("Errors")], ["relative", _("Relative errors")]], () => v.place.color,
    (color) => go(v, { color }), _("Colours"));
  Object.assign(v.els, { canvas, slider, best, told, said, sees, colors });
  const save = saving(v, "tlmviz-scaling", {
    height: (width) => panelsOf(width).height,
    draw: (pen, theme, width) => drawProduct(pen, { ...v, image: undefined }, panelsOf(width), theme),
  });
  return [
    make("div", { className: "bar" }, sees.root, colors.root, save), canvas,
    make("div", { className: "bar" }, make("label", { className: "slider" }, _("Scale S"), slider), best, told), said,
  ];
}

/** @param {View} v */
function fresh(v) {
  v.curves.clear();
  v.image = undefined;
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  const best = curve(v);
  v.layout = panelsOf(widthOf(els.canvas));
  drawProduct(penOf(v, els.canvas, v.layout.height), v, v.layout, v.theme);
  els.sees.repaint();
  els.colors.repaint();
  Object.assign(els.slider, { min: header.range[0], max: header.range[1], value: place.factor });
  els.best.disabled = place.factor === best.doublings[best.best];
  const { name, ...sample } = sampleOf(v);
  const found = outcome(header.format, sample, place.factor);
  els.told.textContent = _("One scale for all, S = {scale}: {level}, {cut} cut, {lost} rounded to 0",
    { scale: digits(sample.scale * 2 ** place.factor, 3), level: decibels(found.sqnr), cut: share(found.cut), lost: share(found.lost) });
  els.slider.setAttribute("aria-label", _("Scale of {name}", { name: name.toUpperCase() }));
  els.said.textContent = v.hover ?? hint(v);
  els.canvas.setAttribute("aria-label", `${header.title}. ${els.told.textContent}.`);
  Object.assign(v.root.dataset, { see: place.see, color: place.color, factor: String(place.factor), sqnr: found.sqnr.toFixed(2) });
}

/** @param {View} v */
function hint(v) {
  const { weight, values } = sampleOf(v);
  const hint = _("Point at a cell or a dot, or move the scale.");
  return weight > 1 ? `${hint} ${_("Sizes and curve are of {count} numbers, the largest among them.", { count: values.length.toLocaleString("en") })}` : hint;
}

/**
 * In per cent; 0% and 100% only where it is.
 * @param {number} part
 */
function share(part) {
  if (part === 0 || part === 1) return `${100 * part}%`;
  return part < 0.0001 ? "< 0.01%" : part > 0.9999 ? "> 99.99%" : `${digits(100 * part, part > 0.999 ? 4 : 3)}%`;
}

export default live({ id: "scaling", build, paint, fit: (v, before) => v.header !== before && fresh(v) });
