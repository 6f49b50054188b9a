// @ts-check
// A generation with a cache, walked token by token.

import { makeAxis, placeOn } from "#canvas/axis.js";
import { captionLines } from "#canvas/caption.js";
import { make } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { live, makeLegend, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { textWidth } from "#canvas/theme.js";
import { cellAt, drawDecoding, drawMemory, layoutOf, memoryColors, memoryHeight } from "./drawing.js";
import { lastRead, linesOf, stepsOf } from "./told.js";

/** @typedef {import("./told.js").View} View */

const STEP = 700; // milliseconds of a step while it plays
const SIDE = 0.4; // of a saved figure's width: memory and words
const LINE = 18;

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const tokens = (v) => ({
  end: () => stepsOf(v.header),
  step: () => 1,
  read: () => v.place.at ?? stepsOf(v.header),
  write: (at) => ({ at: at >= stepsOf(v.header) ? null : at }),
  says: () => _("token {step} of {steps}", { step: stepOf(v), steps: stepsOf(v.header) }),
  label: _("Token"),
  lasts: () => STEP * stepsOf(v.header),
});

/** @param {View} v */
const stepOf = (v) => Math.floor(placeOn(v, tokens(v)));

/** @param {import("#canvas/theme.js").Theme} theme */
function swatches(theme) {
  const [room, held, written] = memoryColors(theme);
  return [{ name: _("written now"), color: written }, { name: _("held"), color: held }, { name: _("allocated, empty"), color: room }];
}

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, tokens(v));
  const map = make("canvas", { testid: "decode-canvas", role: "img" });
  const memory = make("canvas", { testid: "decode-memory", role: "img" });
  const words = make("div", { className: "words", testid: "decode-words" });
  const said = make("p", { className: "said", "aria-live": "polite", testid: "decode-said" });
  const heading = make("p", { className: "heading" });
  const legend = makeLegend(v, () => swatches(v.theme));
  pointing(v, map, (x, y) => cellAt(v, v.layout, stepOf(v), x, y));
  pointByKeys(map);
  axis.listen(axis.parts[1]);
  Object.assign(v.els, { axis, map, memory, words, said, legend, heading });
  const plan = (/** @type {number} */ width) => layoutOf(v.header, (1 - SIDE) * width - 20);
  const save = saving(v, "tlmviz-kv-cache", {
    narrow: false,
    height: (width) => Math.max(plan(width).height, memoryHeight(v.header) + 14 * LINE),
    draw: (pen, theme, width) => {
      drawDecoding(pen, v, plan(width), theme, stepOf(v));
      pen.shifted((1 - SIDE) * width, 0, () => {
        drawMemory(pen, v.header, SIDE * width, theme, stepOf(v));
        let y = memoryHeight(v.header);
        linesOf(v.header, stepOf(v)).forEach((line, i) =>
          captionLines(line, SIDE * width, (part) => textWidth(theme, part, 12)).forEach(
          (part) => pen.text(0, (y += LINE), part, { color: theme.text, size: 12, weight: i ? 400 : 600 })));
      });
    },
    legend: swatches,
  });
  const side = make("div", { className: "beside" }, legend.root, make("div", { className: "panel" }, memory), words, said);
  return [heading, make("div", { className: "bar" }, ...axis.parts, save), make("div", { className: "sides" }, make("div", { className: "panel" }, map), side)];
}

/** @param {View} v */
function paint(v) {
  const { header, theme, els } = v;
  const step = stepOf(v);
  v.layout = layoutOf(header, widthOf(els.map));
  drawDecoding(penOf(v, els.map, v.layout.height), v, v.layout, theme, step);
  drawMemory(penOf(v, els.memory, memoryHeight(header)), header, widthOf(els.memory), theme, step);
  els.axis.repaint();
  els.legend.repaint();
  els.heading.textContent = header.title;
  const lines = linesOf(header, step);
  els.words.replaceChildren(...lines.map((line) => make("p", { textContent: line })));
  els.said.textContent = v.hover ?? "";
  els.map.setAttribute("aria-label", `${header.title}. ${lines.join(". ")}`);
  els.memory.setAttribute("aria-label", _("The memory of each layer: {line}", { line: lines[4] }));
  Object.assign(v.root.dataset, { step, read: lastRead(header, step) });
}

export default live({ id: "decode", build, paint });
