// @ts-check
// What pointer, wheel and keys do on the overview.

import { short } from "#canvas/text.js";
import { toggleMute } from "./muting.js";
import { paintOverview } from "./overview.js";
import { act, choose, toggleOverlay } from "./state.js";
import { STATISTICS } from "./statistics.js";
import { tagsOf } from "./tags.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { _ } from "#canvas/language.js";
import { signed } from "./written.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Statistic} Statistic */

/**
 * The place in the grid under the pointer, or null.
 * @param {View} v
 * @param {PointerEvent} event
 */
function placeAt(v, event) {
  const { plan } = v;
  const column = Math.floor((event.offsetX - plan.left) / plan.pitch);
  const row = Math.floor((event.offsetY - plan.top) / (plan.pitch + plan.caption));
  const place = row * plan.columns + column;
  const inside = column >= 0 && column < plan.columns && row >= 0 && place < plan.order.length;
  return inside ? place : null;
}

/**
 * The layer whose MLP is under the pointer, or null.
 * @param {View} v
 * @param {PointerEvent} event
 */
function mlpAt({ plan, header }, event) {
  const layer = Math.floor((event.offsetY - plan.top) / plan.pitch);
  const beyond = event.offsetX > plan.left + plan.columns * plan.pitch;
  return plan.mlps && beyond && layer >= 0 && layer < header.layers ? layer : null;
}

/** @param {View} v */
export function wireOverview(v) {
  const canvas = v.els.overview;
  canvas.addEventListener("pointermove", (event) => {
    const place = placeAt(v, event);
    if (place !== v.hoverTile) {
      v.hoverTile = place;
      paintOverview(v);
    }
    const mlp = mlpAt(v, event);
    if (mlp !== null) showTooltip(v, event, { title: _("Layer {mlp}, MLP", { mlp }),
      rows: [[_("adds to the logit"), signed(v.header.written?.mlps[mlp] ?? 0)]] });
    else if (place === null) hideTooltip(v);
    else showTooltip(v, event, headLines(v, v.plan.order[place]));
  });
  canvas.addEventListener("pointerleave", () => {
    v.hoverTile = null;
    paintOverview(v);
    hideTooltip(v);
  });
  canvas.addEventListener("click", (event) => {
    const place = placeAt(v, event);
    if (place === null) return;
    const index = v.plan.order[place];
    const [layer, head] = [Math.floor(index / v.header.heads), index % v.header.heads];
    if (event.altKey) toggleMute(v, layer, head);
    else if (v.overlaying || event.shiftKey || event.ctrlKey || event.metaKey) toggleOverlay(v, [layer, head]);
    else {
      choose(v, layer, head);
      if (v.stacked) v.els.figure.scrollIntoView({ block: "nearest", behavior: "smooth" }); // it stands below the tiles
    }
  });
  canvas.addEventListener("keydown", (event) => {
    const { plan, state } = v;
    if (event.key === "m") return toggleMute(v, state.layer, state.head);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -plan.columns, ArrowDown: plan.columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const place = plan.order.indexOf(state.layer * v.header.heads + state.head) + step;
    if (place < 0 || place >= plan.order.length) return;
    const index = plan.order[place];
    choose(v, Math.floor(index / v.header.heads), index % v.header.heads);
  });
  v.els.scroller.addEventListener("scroll", () => paintOverview(v));
  v.els.having.addEventListener("change", () => act(v, { find: v.els.having.value }));
  v.els.find.addEventListener("input", () => act(v, { find: v.els.find.value }));
  v.els.order.addEventListener("change", () => act(v, { order: /** @type {Statistic} */ (v.els.order.value) }));
}

/**
 * Tooltip lines for one head: its name and what is measured about it.
 * @param {View} v
 * @param {number} index
 */
function headLines(v, index) {
  const { stats, heads } = v.header;
  const rows = Object.entries(STATISTICS).map(([name, { label, unit }]) => {
    const value = stats[/** @type {Statistic} */ (name)]?.[index];
    return [_(label), value === null || value === undefined ? "–" : short(value) + unit];
  });
  const adds = v.header.written ? [[_("adds to the logit"), signed(v.header.written.heads[index])]] : [];
  const named = tagsOf(v.header, index).map(({ tag, value }) => [tag.label, `${value.toFixed(2)} ≥ ${tag.least}`]);
  return { title: `L${Math.floor(index / heads)}H${index % heads}`, rows: [...adds, ...named, [_("on average over the tokens:"), ""], ...rows] };
}
