// @ts-check
// The overview: every head as a small map on one canvas.

import { fit } from "#canvas/pens.js";
import { short } from "#canvas/text.js";
import { font } from "#canvas/theme.js";
import { headColor } from "./arcs.js";
import { act, choose, overlaid, toggleOverlay } from "./state.js";
import { STATISTICS, arrange } from "./statistics.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

/** @typedef {import("./types").OverviewPlan} OverviewPlan */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Statistic} Statistic */

const GAP = 3;

/**
 * All tiles painted once into one picture, stacked downwards; repainted only for new bytes or a new theme.
 * @param {View} v
 */
function paintAtlas(v) {
  const { overview } = v.arrays;
  const n = v.header.overview_size;
  const count = v.header.layers * v.header.heads;
  const identity = `${v.textId}|${v.theme.id}|${n}`;
  if (v.atlasId === identity) return;
  v.atlasId = identity;
  const image = new ImageData(n, n * count);
  const { data } = image;
  const table = v.theme.sequential;
  const causal = v.header.causal ?? true;
  for (let t = 0, x = 0; t < count; t++) {
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++, x++) {
        if (causal && c > r && !overview[x]) continue; // the future stays transparent
        const level = 3 * overview[x];
        data[4 * x] = table[level];
        data[4 * x + 1] = table[level + 1];
        data[4 * x + 2] = table[level + 2];
        data[4 * x + 3] = 255;
      }
    }
  }
  v.atlas.width = n;
  v.atlas.height = n * count;
  v.atlas.getContext("2d").putImageData(image, 0, 0);
}

/**
 * Where each tile goes, for the space there is.
 * @param {View} v
 */
function overviewLayout(v) {
  const { layers, heads } = v.header;
  const sorted = v.state.order !== "position";
  const width = v.els.scroller.clientWidth;
  const height = v.stacked ? Infinity : v.els.scroller.clientHeight - 3;
  const left = sorted ? 0 : 24;
  const top = sorted ? 0 : 17;
  const caption = sorted ? 15 : 0;
  let columns = heads;
  let pitch;
  if (sorted) {
    // captions such as "2.4  0.31" need some width: fewer columns rather than clipped numbers
    const count = layers * heads;
    columns = Math.max(1, Math.min(count, Math.floor(width / 48)));
    for (let c = columns; c >= 1; c--) {
      const rows = Math.ceil(count / c);
      if (rows * (width / c + caption) > height) break;
      columns = c;
    }
    pitch = Math.floor(Math.min(width / columns, 120));
  } else {
    pitch = Math.floor(Math.min((width - left) / columns, (height - top) / layers, v.stacked ? 72 : 120));
    pitch = Math.max(pitch, 12);
  }
  const order = arrange(v.header, v.state.order);
  const rows = Math.ceil(order.length / columns);
  return { sorted, left, top, caption, columns, pitch, order, rows, tile: pitch - GAP,
    width: left + columns * pitch, height: top + rows * (pitch + caption) + 2 };
}

/** @param {View} v */
export function paintOverview(v) {
  paintAtlas(v);
  const plan = (v.plan = overviewLayout(v));
  const { theme, state } = v;
  const n = v.header.overview_size;
  const ctx = fit(v.els.overview, plan.width, plan.height);
  ctx.textBaseline = "middle";
  ctx.font = font(theme);
  ctx.fillStyle = theme.muted;
  if (!plan.sorted) {
    const every = plan.pitch < 26 ? 2 : 1;
    ctx.textAlign = "center";
    for (let h = 0; h < v.header.heads; h += every) {
      ctx.fillText(`H${h}`, plan.left + h * plan.pitch + plan.tile / 2, plan.top / 2 - 1);
    }
    ctx.textAlign = "right";
    for (let l = 0; l < v.header.layers; l += plan.pitch < 13 ? 2 : 1) {
      ctx.fillText(`L${l}`, plan.left - 5, plan.top + l * plan.pitch + plan.tile / 2);
    }
  }
  // nearest cells when tiles are enlarged; averaging when they shrink, so that thin diagonals survive
  ctx.imageSmoothingEnabled = plan.tile * (window.devicePixelRatio || 1) < n;
  ctx.imageSmoothingQuality = "high";
  const overlay = new Map(overlaid(v).map(([l, h], i) => [l * v.header.heads + h, i]));
  plan.order.forEach((index, place) => {
    const { x, y } = tileAt(plan, place);
    ctx.fillStyle = theme.dark ? "rgba(255,255,255,0.035)" : "rgba(20,30,60,0.035)";
    ctx.fillRect(x, y, plan.tile, plan.tile);
    ctx.drawImage(v.atlas, 0, index * n, n, n, x, y, plan.tile, plan.tile);
    if (plan.sorted) paintCaption(v, ctx, index, x, y + plan.tile + 8);
    if (overlay.has(index) && (state.overlay.length || state.mode === "arcs")) {
      ctx.fillStyle = headColor(v, overlay.get(index));
      ctx.beginPath();
      ctx.moveTo(x + plan.tile, y);
      ctx.lineTo(x + plan.tile - 11, y);
      ctx.lineTo(x + plan.tile, y + 11);
      ctx.fill();
    }
  });
  const chosen = tileAt(plan, plan.order.indexOf(state.layer * v.header.heads + state.head));
  outline(ctx, chosen, plan.tile, theme.primary, 2);
  if (v.hoverTile !== null && v.hoverTile < plan.order.length) {
    outline(ctx, tileAt(plan, v.hoverTile), plan.tile, theme.muted, 1);
  }
  v.els.overview.setAttribute(
    "aria-label",
    `Attention maps of ${v.header.layers} layers with ${v.header.heads} heads each. Layer ${state.layer}, head ${state.head} is chosen; arrow keys choose another.`,
  );
}

/**
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} index
 * @param {number} x
 * @param {number} y
 */
function paintCaption(v, ctx, index, x, y) {
  const { theme, plan } = v;
  const heads = v.header.heads;
  ctx.textAlign = "left";
  ctx.fillStyle = theme.text;
  ctx.fillText(`${Math.floor(index / heads)}.${index % heads}`, x, y);
  ctx.textAlign = "right";
  ctx.fillStyle = theme.muted;
  ctx.fillText(short(v.header.stats[/** @type {Statistic} */ (v.state.order)]?.[index]), x + plan.tile, y);
}

/**
 * @param {OverviewPlan} plan
 * @param {number} place
 */
function tileAt(plan, place) {
  return {
    x: plan.left + (place % plan.columns) * plan.pitch + 1,
    y: plan.top + Math.floor(place / plan.columns) * (plan.pitch + plan.caption) + 1,
  };
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {{ x: number, y: number }} corner
 * @param {number} size
 * @param {string} color
 * @param {number} width
 */
function outline(ctx, { x, y }, size, color, width) {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.strokeRect(x - width / 2, y - width / 2, size + width, size + width);
}

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

/** @param {View} v */
export function wireOverview(v) {
  const canvas = v.els.overview;
  canvas.addEventListener("pointermove", (event) => {
    const place = placeAt(v, event);
    if (place !== v.hoverTile) {
      v.hoverTile = place;
      paintOverview(v);
    }
    if (place === null) hideTooltip(v);
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
    if (event.shiftKey || event.ctrlKey || event.metaKey) toggleOverlay(v, [layer, head]);
    else choose(v, layer, head);
  });
  canvas.addEventListener("keydown", (event) => {
    const { plan, state } = v;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -plan.columns, ArrowDown: plan.columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const place = plan.order.indexOf(state.layer * v.header.heads + state.head) + step;
    if (place < 0 || place >= plan.order.length) return;
    const index = plan.order[place];
    choose(v, Math.floor(index / v.header.heads), index % v.header.heads);
  });
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
    return [label, value === null || value === undefined ? "–" : short(value) + unit];
  });
  return { title: `Layer ${Math.floor(index / heads)}, head ${index % heads}`, rows };
}
