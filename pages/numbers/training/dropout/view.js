// @ts-check
// Dropout on an activation: masks thrown here, the mean of many, and how far it is from what was there.

import { make, makeButton } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { digits } from "#canvas/text.js";
import { drawDropout, panelsOf } from "./drawing.js";
import { dropped, expected, meanOf, rms } from "./masks.js";

/** @typedef {import("./types").View} View */

const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** @param {View} v */
function build(v) {
  const range = (/** @type {string} */ name, /** @type {string} */ label, /** @type {Record<string, any>} */ props,
    /** @type {(value: number) => void} */ input) => {
    const made = make("input", { type: "range", "aria-label": label, testid: `dropout-${name}`, ...props });
    made.addEventListener("input", () => input(Number(made.value)));
    return made;
  };
  const raw = make("input", { type: "checkbox", testid: "dropout-scaled" });
  raw.addEventListener("input", () => go(v, { raw: !raw.checked }));
  const modes = segments(() => [["training", _("training")], ["evaluation", _("evaluation")]], () => (v.place.evaluating ? "evaluation" : "training"),
    (mode) => go(v, { evaluating: mode === "evaluation" }), _("Mode"));
  const p = range("rate", _("Share that is dropped, in per cent"), { min: 0, step: 5 }, (value) => go(v, { p: value }));
  const masks = range("masks", _("Masks"), { min: 0, max: COUNTS.length - 1, step: 1 }, (place) => go(v, { masks: COUNTS[place] }));
  const die = makeButton(_("⚄ throw again"), _("Other masks"), () => go(v, { seed: (v.place.seed + 1) % 1000 }));
  const said = make("p", { className: "said", testid: "dropout-said" });
  const canvas = make("canvas", { testid: "dropout-canvas", role: "img" });
  const [pText, masksText] = [make("span"), make("span")];
  Object.assign(v.els, { raw, modes, p, masks, said, canvas, pText, masksText });
  const save = saving(v, "tlmviz-dropout", {
    height: (width) => panelsOf(width, v.header.tokens.length, v.header.channels).height,
    draw: (pen, theme, width) => drawDropout(pen, { ...sceneOf(v, width), theme }),
    title: () => `${v.header.title}. ${said.textContent}`,
  });
  return [
    make("div", { className: "bar" }, die, modes.root, make("label", {}, p, pText), make("label", {}, masks, masksText),
      make("label", {}, raw, _("kept ones times 1/q")), save),
    make("div", { className: "panel" }, canvas), said,
  ];
}

/** @param {View} v @param {number} width */
function sceneOf(v, width) {
  const { header, place, arrays: { x }, theme } = v;
  const p = place.evaluating ? 0 : place.p / 100;
  const scaled = place.evaluating || !place.raw;
  const last = dropped(x, p, place.seed, place.masks - 1, scaled);
  const { mean, errors } = meanOf(x, p, place.seed, place.masks, scaled);
  const sizes = Float64Array.from(x, Math.abs).sort();
  const panels = [
    { name: "X", x },
    { name: place.evaluating ? _("evaluation: X as it is") : _("{mask}, mask {n}", { mask: scaled ? "X ⊙ M / q" : "X ⊙ M", n: place.masks }), x: last },
    { name: ngettext("mean of {n} mask", "mean of {n} masks", place.masks), x: mean },
  ];
  const layout = panelsOf(width, header.tokens.length, header.channels);
  return { header, layout, theme, state: { ...place, p: 100 * p }, panels, errors, size: rms(x), range: sizes[Math.floor(0.98 * (sizes.length - 1))] || 1 };
}

/** @param {View} v */
function paint(v) {
  const { els, place, header, arrays: { x } } = v;
  const scene = sceneOf(v, widthOf(els.canvas));
  drawDropout(penOf(v, els.canvas, scene.layout.height), scene);
  const p = scene.state.p / 100;
  const scaled = place.evaluating || !place.raw;
  const last = scene.panels[1].x;
  const zeros = Array.from(last).reduce((sum, value, at) => sum + Number(value === 0 && x[at] !== 0), 0);
  const off = scene.errors[scene.errors.length - 1].error;
  const masks = ngettext("{n} mask", "{n} masks", place.masks);
  const values = { zeros: zeros.toLocaleString("en"), count: x.length.toLocaleString("en"), share: ((100 * zeros) / x.length).toFixed(1),
    q: digits(1 / (1 - p), 4), masks, off: digits(off, 3), wanted: digits(expected(scene.size, p, place.masks, scaled), 3), size: digits(scene.size, 3) };
  const others = scaled ? _("{zeros} of {count} numbers are 0 under this mask ({share}%), the others are times 1/q = {q}.", values) : _(
    "{zeros} of {count} numbers are 0 under this mask ({share}%), the others are as they were.", values);
  const error = _("The mean of {masks} is off by {off}; expected {wanted} (dashed), where RMS(X) is {size}.", values);
  els.said.textContent = place.evaluating ? _("In evaluation nothing is dropped and nothing scaled: X passes as it is.") : `${others} ${error}`;
  Object.assign(els.p, { max: header.most[0], value: place.p });
  els.pText.textContent = `p = ${(place.p / 100).toFixed(2)}`;
  const at = COUNTS.findIndex((count) => count >= place.masks);
  els.masks.value = String(at < 0 ? COUNTS.length - 1 : at);
  els.masksText.textContent = masks;
  els.raw.checked = !place.raw;
  els.modes.repaint();
  els.canvas.setAttribute("aria-label", _("{title} with {p}% dropped: as it is, under a mask, and the mean of {masks}",
    { title: header.title, p: place.p, masks }));
  Object.assign(v.root.dataset, { error: String(off), zeros: String(zeros), masks: String(place.masks), seed: String(place.seed) });
}

export default live({ id: "dropout", build, paint });
