// @ts-check
// The Sinkhorn dial: what is chosen, what is computed from it, and what is sent to the server.

import { debounce } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { svgPen } from "#canvas/pens.js";
import { readTheme } from "#canvas/theme.js";
import { ownLogits, receiveOwn } from "./cells.js";
import { assemble, fillMenus, makeElements, wireMatrix } from "./controls.js";
import { drawGains, drawMatrix, drawResidual, matrixPlan } from "./drawing.js";
import { decimal } from "./numbers.js";
import { depthGains, entries, errors, halfSteps, rateOf } from "./sinkhorn.js";
import { cellWords, gainWords, matrixWords, speedWords, stepName } from "./words.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Picture} Picture */
/** @typedef {import("./types").Place} Place */
/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link is brought up to date
const NARROW = 700; // pixels of width below which the pictures are stacked
const CURVES = 312; // pixels: the height of the charts

// --- data in, state out --------------------------------------------------------------------------

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (!data) return;
  v.data = data;
  if (data.origin !== v.origin) {
    Object.assign(v, data.place, { origin: data.origin, cursor: null, typed: null, confirmed: null, pending: [] });
  }
  if (data.model) {
    v.logits = floats(data.model.logits);
    v.token = Math.min(v.token, data.model.tokens.length - 1);
    v.sublayer = Math.min(v.sublayer, data.model.sublayers.length - 1);
    fillMenus(v);
  } else {
    receiveOwn(v, data.own);
  }
  v.stacked = v.root.clientWidth < NARROW;
  v.els.forModel.hidden = v.els.gains.hidden = !data.model;
  v.els.forOwn.hidden = v.els.edit.hidden = Boolean(data.model);
  v.key = null;
  paint(v);
}

/** @param {string} base64 */
function floats(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/**
 * A user's action: draw it at once, send the place debounced.
 * @param {View} v
 * @param {Partial<Place>} change
 */
export function act(v, change) {
  Object.assign(v, change);
  paint(v);
  v.sendPlace();
}

/** @param {View} v */
function sendPlace(v) {
  const { token, sublayer, step, temperature } = v;
  v.component.setStateValue("place", { token, sublayer, step, temperature });
}

/** @param {View} v */
function leave(v) {
  v.sendPlace.cancel();
  clearInterval(v.playing);
  v.observer.disconnect();
}

// --- what is computed ----------------------------------------------------------------------------

/**
 * The logits of one sublayer at the chosen token, as doubles.
 * @param {View} v
 * @param {number} sublayer
 */
function modelLogits(v, sublayer) {
  const { n, tokens } = v.data.model;
  const start = (sublayer * tokens.length + v.token) * n * n;
  return Float64Array.from(v.logits.subarray(start, start + n * n));
}

/**
 * Everything the pictures show. It changes with the matrix and the temperature, not with the dial.
 * @param {View} v
 */
function compute(v) {
  const { own, model } = v.data;
  const key = [v.origin, v.token, v.sublayer, v.temperature, own?.kind, own && JSON.stringify(v.words)].join("|");
  if (key === v.key) return;
  const raw = own ? ownLogits(v) : modelLogits(v, v.sublayer);
  if (!raw) return; // the last matrix that could be read stays
  v.key = key;
  v.raw = raw;
  v.n = Math.round(Math.sqrt(raw.length));
  const cooled = (/** @type {Float64Array} */ values) => values.map((value) => value / v.temperature);
  const logits = cooled(raw);
  v.steps = halfSteps(logits, v.n).map(entries);
  v.trail = v.steps.map((m) => errors(m, v.n));
  v.support = own ? ownSupport(own, raw) : { kind: "total", blocks: 1 };
  v.rate = v.support?.kind === "total" ? rateOf(logits, v.n, v.support.blocks) : NaN;
  if (model) v.gains = depthGains(model.sublayers.map((_, p) => cooled(modelLogits(v, p))), v.n);
}

/**
 * What the server found about the zeros of the user's matrix; null while its answer is for other zeros.
 * @param {Data["own"]} own
 * @param {Float64Array} raw
 */
function ownSupport({ support }, raw) {
  const pattern = Array.from(raw, (value) => (value === -Infinity ? "0" : "+")).join("");
  return support.pattern === pattern ? support : null;
}

// --- painting ------------------------------------------------------------------------------------

/** @param {View} v */
export function paint(v) {
  if (!v.data || !v.root.clientWidth) return;
  compute(v);
  if (!v.steps) return;
  v.theme = readTheme(v.root, v.data.colors, v.theme);
  syncControls(v);
  for (const [name, draw] of Object.entries(PICTURES)) {
    if (name !== "gain" || v.data.model) paintPicture(v, v.els[/** @type {"gain"} */ (name)], draw);
  }
  describe(v);
  v.paints += 1;
  Object.assign(v.root.dataset, { step: v.step, residual: v.trail[v.step].both, rate: v.rate, n: v.n, painted: v.paints });
}

/**
 * @param {View} v
 * @param {HTMLElement} panel
 * @param {Picture} draw
 */
function paintPicture(v, panel, draw) {
  const svg = panel.querySelector("svg");
  const pen = svgPen(v.theme);
  const height = draw(pen, v, v.theme, Math.max(240, panel.clientWidth));
  svg.innerHTML = pen.parts.join(""); // the pen escapes texts
  svg.setAttribute("height", String(height));
}


/** @type {Record<string, Picture>} */
export const PICTURES = {
  matrix(pen, v, theme, width) {
    const plan = matrixPlan(v.n, Math.min(width, v.stacked ? 380 : 300));
    drawMatrix(pen, theme, plan, v.steps[v.step], v.step ? (v.step + 1) % 2 : null, v.cursor);
    return plan.height;
  },
  residual(pen, v, theme, width) {
    drawResidual(pen, theme, { width, height: CURVES, trail: v.trail, rate: v.rate, at: v.step / 2, used: v.data.model?.iterations });
    return CURVES;
  },
  gain(pen, v, theme, width) {
    drawGains(pen, theme, { width, height: CURVES, gains: v.gains, distance: v.distance, at: v.step / 2, used: v.data.model?.iterations });
    return CURVES;
  },
};

/** @param {View} v */
function syncControls(v) {
  const { els, step } = v;
  els.dial.value = String(step);
  els.dial.setAttribute("aria-valuetext", stepName(step));
  els.at.textContent = stepName(step);
  els.heat.value = String(Math.round(100 * Math.log10(v.temperature)));
  els.degrees.textContent = decimal(v.temperature, 2);
  els.toggle.setAttribute("aria-pressed", String(v.distance));
  if (!v.data.model) return;
  els.token.value = String(v.token);
  els.sublayer.value = String(v.sublayer);
}

/**
 * The pictures in words, below them and for screen readers.
 * @param {View} v
 */
function describe(v) {
  const { els, data } = v;
  const label = (/** @type {HTMLElement} */ panel, /** @type {string} */ text) => panel.querySelector("svg").setAttribute("aria-label", text);
  label(els.matrix, matrixWords(v));
  label(els.residual, TEXTS.residualAgainstIterations(speedWords(v)));
  els.cell.textContent = cellWords(v);
  els.speed.textContent = speedWords(v);
  if (data.model) {
    els.depth.textContent = gainWords(v);
    label(els.gain, TEXTS.gainOverDepth(gainWords(v)));
  }
  els.verdict.hidden = !data.own;
  els.verdict.textContent = data.own ? (v.support ? data.own.verdict : TEXTS.checkingWhetherScaling) : "";
  els.verdict.className = `verdict ${v.support?.kind ?? ""}`;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({
    step: 0, temperature: 1, token: 0, sublayer: 0, cursor: null, distance: false, words: [], pending: [], triggers: 0, playing: null, paints: 0,
  });
  v.sendPlace = debounce(() => sendPlace(v), DELAY);
  v.els = makeElements(v);
  v.root = assemble(v);
  host.append(v.root);
  wireMatrix(v);
  v.observer = new ResizeObserver(() => {
    v.stacked = v.root.clientWidth < NARROW;
    if (v.root.clientWidth === v.width) return;
    v.width = v.root.clientWidth;
    paint(v);
  });
  v.observer.observe(v.root);
  return v;
}

export default mounted({ create, receive, leave });
