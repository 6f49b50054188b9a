// @ts-check
// Two sliders and the areas they make: computed here, as the sliders move.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, saving } from "#canvas/live.js";
import { costSentence, drawAreas, grouped } from "./drawing.js";

/** @typedef {import("#canvas/live.js").View<{}, {}, { inputs: number, latents: number }>} View */

const TALLEST = 330;
const WIDEST = 760;

/** @param {number} width */
const heightFor = (width) => Math.min(TALLEST, Math.max(200, width / 2 + 20));

/**
 * A slider in quarters of a doubling, from 1 to `most`.
 * @param {View} v
 * @param {"inputs" | "latents"} which
 * @param {string} label
 * @param {number} most
 */
function makeSlider(v, which, label, most) {
  const [slider, reading] = [make("input", { type: "range", min: 0, max: 4 * Math.log2(most), step: 1, "aria-label": label, testid: `cost-${which}` }),
    make("output")];
  slider.addEventListener("input", () => go(v, { [which]: Math.round(2 ** (Number(slider.value) / 4)) }));
  const repaint = () => {
    slider.value = String(Math.round(4 * Math.log2(v.place[which])));
    reading.textContent = which === "inputs" ? _("N = {n} inputs", { n: grouped(v.place.inputs) }) : _("M = {n} latents", { n: grouped(v.place.latents) });
  };
  return { root: make("label", { className: "slider" }, slider, reading), repaint };
}

/** @param {View} v */
function build(v) {
  const sliders = [makeSlider(v, "inputs", _("Inputs, N"), 65536), makeSlider(v, "latents", _("Latents, M"), 4096)];
  const canvas = make("canvas", { role: "img", testid: "cost-areas" });
  const said = make("p", { className: "said", "aria-live": "polite", testid: "cost-said" });
  Object.assign(v.els, { sliders, canvas, said });
  const save = saving(v, "tlmviz-latent-cost", {
    height: heightFor,
    draw: (pen, theme, width) => drawAreas(pen, theme, { ...v.place, width, height: heightFor(width) }),
    title: () => costSentence(v.place.inputs, v.place.latents),
  });
  return [make("div", { className: "bar" }, ...sliders.map(({ root }) => root), save), said, make("div", { className: "panel" }, canvas)];
}

/** @param {View} v */
function paint(v) {
  const { sliders, canvas, said } = v.els;
  const width = Math.min(WIDEST, v.width);
  for (const { repaint } of sliders) repaint();
  said.textContent = costSentence(v.place.inputs, v.place.latents);
  drawAreas(penOf(v, canvas, heightFor(width)), v.theme, { ...v.place, width, height: heightFor(width) });
  canvas.setAttribute("aria-label", said.textContent);
  Object.assign(v.root.dataset, { inputs: String(v.place.inputs), latents: String(v.place.latents) });
}

export default live({ id: "cost", build, paint });
