// @ts-check
// Dropout on an activation: masks thrown here, the mean of many, and how far it is from what was there.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { digits } from "#canvas/text.js";
import { readTheme } from "#canvas/theme.js";
import { drawDropout, layoutOf, MOST_MASKS } from "./drawing.js";
import { dropped, expected, meanOf, rms } from "./masks.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link learns of it
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 200, 500, MOST_MASKS];
const MOST_P = 90; // percent

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  if (header.origin !== v.header?.origin) v.state = { ...header.state };
  Object.assign(v, { header, arrays });
  paint(v);
  announcePicture(header.picture);
}

/**
 * @param {View} v
 * @param {Partial<import("./types").State>} changes
 */
function change(v, changes) {
  Object.assign(v.state, changes);
  v.state.p = Math.max(0, Math.min(MOST_P, v.state.p));
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const { header, state, els } = v;
  const { x } = v.arrays;
  const p = state.evaluating ? 0 : state.p / 100;
  const scaled = state.evaluating || !state.raw;
  const width = /** @type {HTMLElement} */ (els.canvas.parentElement).clientWidth;
  const layout = layoutOf(width, header.tokens.length, header.channels);
  const last = dropped(x, p, state.seed, state.masks - 1, scaled);
  const { mean, errors } = meanOf(x, p, state.seed, state.masks, scaled);
  const sizes = Float64Array.from(x, Math.abs).sort();
  const masks = `${state.masks} mask${state.masks === 1 ? "" : "s"}`;
  const panels = [
    { name: "X", x },
    { name: state.evaluating ? "evaluation: X as it is" : `${scaled ? "X ⊙ M / q" : "X ⊙ M"}, mask ${state.masks}`, x: last },
    { name: `mean of ${masks}`, x: mean },
  ];
  const size = rms(x);
  drawDropout(canvasPen(fit(els.canvas, width, layout.height), v.theme), { header, layout, theme: v.theme, state: { ...state, p: 100 * p }, panels, errors, size, range: sizes[Math.floor(0.98 * (sizes.length - 1))] || 1 });
  const zeros = last.reduce((sum, value, at) => sum + Number(value === 0 && x[at] !== 0), 0);
  const off = errors[errors.length - 1].error;
  const share = TEXTS.numbersUnderMask(zeros.toLocaleString("en"), x.length.toLocaleString("en"), ((100 * zeros) / x.length).toFixed(1));
  const others = scaled ? `times 1/q = ${digits(1 / (1 - p), 4)}` : "as they were";
  const error = TEXTS.meanOffExpected(masks, digits(off, 3), digits(expected(size, p, state.masks, scaled), 3), digits(size, 3));
  els.said.textContent = state.evaluating
    ? TEXTS.evaluationNothingDropped
    : TEXTS.othersWithoutQ(share, others, error, scaled);
  paintBar(v);
  els.canvas.setAttribute("aria-label", TEXTS.droppedUnderMask(header.title, state.p, masks));
  Object.assign(v.root.dataset, { error: String(off), zeros: String(zeros), masks: String(state.masks), seed: String(state.seed) });
}

/** @param {View} v */
function paintBar({ els, state }) {
  els.p.value = String(state.p);
  els.pText.textContent = `p = ${(state.p / 100).toFixed(2)}`;
  const place = COUNTS.findIndex((count) => count >= state.masks);
  els.masks.value = String(place < 0 ? COUNTS.length - 1 : place);
  els.masksText.textContent = `${state.masks} mask${state.masks === 1 ? "" : "s"}`;
  els.raw.checked = !state.raw;
  els.training.setAttribute("aria-pressed", String(!state.evaluating));
  els.evaluation.setAttribute("aria-pressed", String(state.evaluating));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({});
  v.sendSoon = debounce(() => v.component.setStateValue("state", { ...v.state }), DELAY);
  const range = (/** @type {string} */ name, /** @type {Record<string, any>} */ props, /** @type {(value: number) => void} */ input) => {
    const made = make("input", { type: "range", "aria-label": name, testid: `dropout-${name}`, ...props });
    made.addEventListener("input", () => input(Number(made.value)));
    return made;
  };
  const raw = make("input", { type: "checkbox", testid: "dropout-scaled" });
  raw.addEventListener("input", () => change(v, { raw: !raw.checked }));
  const pick = (/** @type {string} */ text, /** @type {boolean} */ evaluating) => {
    const button = makeButton(text, "", () => change(v, { evaluating }));
    button.className = "pick";
    return button;
  };
  v.els = {
    p: range("rate", { min: 0, max: MOST_P, step: 5 }, (p) => change(v, { p })),
    masks: range("masks", { min: 0, max: COUNTS.length - 1, step: 1 }, (place) => change(v, { masks: COUNTS[place] })),
    raw, training: pick("training", false), evaluation: pick("evaluation", true), pText: make("span"), masksText: make("span"),
    said: make("p", { className: "said", testid: "dropout-said" }),
    canvas: make("canvas", { testid: "dropout-canvas", role: "img" }),
  };
  const { els } = v;
  const die = makeButton("⚄ throw again", "Other masks", () => change(v, { seed: (v.state.seed + 1) % 1000 }));
  v.root = make("div", { className: "dropout", testid: "dropout-root" },
    make("div", { className: "bar" }, die, els.training, els.evaluation, make("label", {}, els.p, els.pText), make("label", {}, els.masks, els.masksText), make("label", {}, raw, "kept ones times 1/q")),
    make("div", { className: "panel" }, els.canvas), els.said);
  host.append(v.root);
  addMenu(v, TEXTS.dropoutMasksTheir);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
