// @ts-check
// Plotly's axes of tokens among the views that light up what is pointed at.

import { ANY, hoveredSpots, lightUp, onHovered } from "#canvas/hovered.js";

const LIT = "tlmviz-lit"; // styled in the frame of the pages

/** @typedef {{ ticktext?: string[], tickvals?: number[], _id: string }} Axis as Plotly has it */

/**
 * How a label of a token reads without what an axis adds: the sign of a space before it, and entities.
 * @param {string} label
 */
function wordOf(label) {
  return label.replace(/^␣+(?=.)/, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/**
 * Whether a label is that of a word; long words are cut on axes.
 * @param {string} label
 * @param {string} word
 */
export function labels(label, word) {
  const own = wordOf(label);
  return own === word || (own.endsWith("…") && own.length > 2 && word.startsWith(own.slice(0, -1)));
}

/**
 * The token at a place of an axis, if its labels are of tokens and one stands there.
 * @param {Axis | undefined} axis
 * @param {unknown} place
 */
function spotAt(axis, place) {
  const at = axis?.tickvals && axis.ticktext ? Array.from(axis.tickvals).indexOf(/** @type {number} */ (place)) : -1;
  if (at < 0 || !Number.isInteger(place)) return [];
  return [{ text: ANY, index: /** @type {number} */ (place), word: wordOf(String(axis.ticktext[at])) }];
}

/**
 * The part of a picture that a point stands for, such as a node of a tree: of traces whose `meta` names what their custom data count.
 * @param {any} point as Plotly hands it out
 */
function spotOf(point) {
  const text = point.fullData?.meta?.spots;
  const index = Array.isArray(point.customdata) ? point.customdata[0] : point.customdata;
  return text && Number.isInteger(index) ? [{ text, index, word: "" }] : [];
}

/** @type {Element | null} */
let chart = null; // that the pointer is on

/**
 * Tell the page which tokens of a chart are pointed at: as Plotly itself finds it, once it has.
 * @param {PointerEvent} event
 */
export function pointAtChart({ target }) {
  const plot = target instanceof Element ? target.closest(".js-plotly-plot") : null;
  if (!plot && !chart) return;
  chart = plot;
  requestAnimationFrame(() => {
    const [point] = /** @type {any} */ (chart)?._hoverdata ?? [];
    lightUp(point ? [...spotAt(point.xaxis, point.x), ...spotAt(point.yaxis, point.y), ...spotOf(point)] : []);
  });
}

/** Mark the labels of the tokens that are pointed at, in every chart of the page. */
export function lightCharts() {
  for (const label of document.querySelectorAll(`.${LIT}`)) label.classList.remove(LIT);
  const spots = hoveredSpots();
  if (!spots.length) return;
  for (const tick of document.querySelectorAll(".js-plotly-plot :is(.xtick, .ytick, .x2tick, .y2tick)")) {
    const { x, text } = /** @type {any} */ (tick).__data__ ?? {};
    if (spots.some(({ index, word }) => index === x && labels(String(text), word))) tick.classList.add(LIT);
  }
  for (const point of document.querySelectorAll(".js-plotly-plot .textpoint")) {
    const parts = /** @type {any} */ (point.closest(".trace"))?.__data__?.[0]?.trace?.meta?.spots;
    const own = /** @type {any} */ (point).__data__?.data;
    if (parts && spots.some(({ text, index }) => text === parts && index === own)) point.classList.add(LIT);
  }
}

/** Follow what is pointed at. Returns what ends that. */
export function followHovered() {
  return onHovered(lightCharts);
}
