// @ts-check
// Two sliders and the areas they make: computed here, as the sliders move.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { readTheme } from "#canvas/theme.js";
import { costSentence, drawAreas, grouped } from "./areas.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 300; // milliseconds without a move until the link learns of it
const TALLEST = 330;

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header } = decode(bytes);
  if (header.origin !== v.header?.origin) Object.assign(v, { inputs: header.inputs, latents: header.latents });
  v.header = header;
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = Math.min(760, v.root.clientWidth);
  const height = Math.min(TALLEST, Math.max(200, width / 2 + 20));
  v.sliders.inputs.value = String(Math.round(4 * Math.log2(v.inputs)));
  v.sliders.latents.value = String(Math.round(4 * Math.log2(v.latents)));
  v.names.inputs.textContent = `N = ${grouped(v.inputs)} inputs`;
  v.names.latents.textContent = `M = ${grouped(v.latents)} latents`;
  v.said.textContent = costSentence(v.inputs, v.latents);
  drawAreas(canvasPen(fit(v.canvas, width, height), v.theme), v.theme, { inputs: v.inputs, latents: v.latents, width, height });
  v.canvas.setAttribute("aria-label", v.said.textContent);
  Object.assign(v.root.dataset, { inputs: String(v.inputs), latents: String(v.latents) });
}

/**
 * A slider in quarters of a doubling, from 1 to `most`.
 * @param {View} v
 * @param {"inputs" | "latents"} which
 * @param {string} name
 * @param {number} most
 */
function slider(v, which, name, most) {
  const input = make("input", { type: "range", min: 0, max: 4 * Math.log2(most), step: 1, "aria-label": name, testid: `cost-${which}` });
  input.addEventListener("input", () => {
    v[which] = Math.round(2 ** (Number(input.value) / 4));
    paint(v);
    v.sendSoon();
  });
  return input;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ inputs: 64, latents: 8 });
  v.sendSoon = debounce(() => v.component.setStateValue("sizes", { inputs: v.inputs, latents: v.latents, origin: v.header.origin }), DELAY);
  v.sliders = { inputs: slider(v, "inputs", "Inputs, N", 65536), latents: slider(v, "latents", "Latents, M", 4096) };
  v.names = { inputs: make("output"), latents: make("output") };
  v.canvas = make("canvas", { role: "img", testid: "cost-areas" });
  v.said = make("p", { className: "said", "aria-live": "polite", testid: "cost-said" });
  const label = (/** @type {"inputs" | "latents"} */ which) => make("label", {}, v.names[which], v.sliders[which]);
  v.root = make("div", { className: "cost", testid: "cost-root" }, make("div", { className: "sliders" }, label("inputs"), label("latents")), v.said, v.canvas);
  host.append(v.root);
  addMenu(v, TEXTS.nNM);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
