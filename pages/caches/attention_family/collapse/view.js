// @ts-check
// Heads that are one head, until something stands between. Switches are answered here.

import { make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { go, live, makeLegend, penOf, pointing, saving, segments, widthOf } from "#canvas/live.js";
import { shade } from "#canvas/theme.js";
import { arranged, combination, drawLemma, pointed, switches } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

/** @param {View} v @param {Theme} theme */
function swatches({ place }, theme) {
  const scale = (/** @type {Uint8Array} */ table, /** @type {number} */ share, /** @type {string} */ name) => ({ name, color: shade(table, share) });
  if (place.part === "U" && !place.on.includes("softmax")) return [scale(theme.diverging, 0, _("negative")), scale(theme.diverging, 1, _("positive score"))];
  const shares = [0.01, 0.25, 1].map((share) => scale(theme.sequential, Math.sqrt(share), _("probability {share}", { share })));
  return [...shares, scale(theme.diverging, 0, _("0.5 less")), scale(theme.diverging, 1, _("0.5 more"))];
}

/** @param {View} v @param {string} name @param {string} text */
function switchButton(v, name, text) {
  const { on, part } = v.place;
  const at = switches(part).findIndex(([each]) => each === name);
  const button = makeButton(text, text, () => {
    go(v, { on: on.includes(name) ? on.filter((each) => each !== name) : [...on, name] });
    v.els.switches.children[at].focus();
  });
  button.setAttribute("role", "switch");
  button.setAttribute("aria-checked", String(on.includes(name)));
  return button;
}

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { role: "img", testid: "collapse-canvas" });
  pointing(v, canvas, (x, y) => pointed(v, v.layout, x, y));
  pointByKeys(canvas);
  const parts = segments(() => [["M", _("One W_Q W_K' in all heads")], ["U", _("One W_V W_O in all heads")]], () => v.place.part, (part) => go(v, { part }),
    _("What all heads share"));
  const said = make("p", { className: "said", "aria-live": "polite", testid: "collapse-said" });
  const cell = make("p", { className: "said", "aria-live": "polite" });
  const legend = makeLegend(v, () => swatches(v, v.theme));
  Object.assign(v.els, { canvas, parts, said, cell, legend,
    switches: make("div", { className: "segments", role: "group", "aria-label": _("What stands between") }) });
  const save = saving(v, "tlmviz-collapse", {
    said: () => v.header.said[v.place.part][combination(v.place)],
    height: (width) => arranged(v, width).height,
    draw: (pen, theme, width) => drawLemma(pen, theme, arranged(v, width), v.header.tokens.length),
    legend: (theme) => swatches(v, theme),
  });
  return [make("div", { className: "bar" }, parts.root, v.els.switches, save), said, make("div", { className: "panel" }, canvas), legend.root, cell];
}

/** @param {View} v */
function paint(v) {
  const { header, els, place } = v;
  v.layout = arranged(v, widthOf(els.canvas));
  drawLemma(penOf(v, els.canvas, v.layout.height), v.theme, v.layout, header.tokens.length);
  els.parts.repaint();
  els.legend.repaint();
  els.switches.replaceChildren(...switches(place.part).map(([name, text]) => switchButton(v, name, text)));
  els.said.textContent = header.said[place.part][combination(place)];
  els.cell.textContent = v.hover ?? _("Point at a map for its numbers.");
  els.canvas.setAttribute("aria-label", `${header.title}. ${els.said.textContent}`);
  Object.assign(v.root.dataset, { part: place.part, on: place.on.join() });
}

export default live({ id: "collapse", build, paint });
