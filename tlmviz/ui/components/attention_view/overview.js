// @ts-check
// The overview: every head as a small map on one canvas.

import { fit } from "#canvas/pens.js";
import { short } from "#canvas/text.js";
import { font } from "#canvas/theme.js";
import { headColor } from "./arcs.js";
import { isMuted, paintMuted } from "./muting.js";
import { overlaid } from "./state.js";
import { arrange } from "./statistics.js";
import { tagsOf } from "./tags.js";
import { _ } from "#canvas/language.js";
import { paintShare } from "./written.js";

/** @typedef {import("./types").OverviewPlan} OverviewPlan */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Statistic} Statistic */

const GAP = 3;
const LEGIBLE = 24; // pixels of a tile, below which the overview scrolls instead
const PLAIN = ["sink", "broad"]; // tags of heads that read nothing in particular
const ROOMY = 40; // pixels of a tile that scrolls, at most

/**
 * All tiles painted once into one picture; repainted only for new bytes or a new theme.
 * @param {View} v
 */
function paintAtlas(v) {
  const identity = `${v.textId}|${v.theme.id}|${v.header.overview_size}`;
  if (v.atlasId === identity) return;
  v.atlasId = identity;
  paintTiles(v, v.theme, v.atlas);
}

/**
 * All tiles into one picture, stacked downwards.
 * @param {View} v
 * @param {Pick<import("#canvas/theme.js").Theme, "sequential">} theme
 * @param {HTMLCanvasElement} canvas
 */
export function paintTiles(v, theme, canvas) {
  const { overview } = v.arrays;
  const n = v.header.overview_size;
  const count = v.header.layers * v.header.heads;
  const image = new ImageData(n, n * count);
  const { data } = image;
  const table = theme.sequential;
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
  canvas.width = n;
  canvas.height = n * count;
  canvas.getContext("2d").putImageData(image, 0, 0);
}

/**
 * Where each tile goes, for the space there is.
 * @param {View} v
 */
function overviewLayout(v) {
  const { layers, heads } = v.header;
  const found = arrange(v.header, v.state.order, v.state.find);
  const sorted = v.state.order !== "position" || found.length < layers * heads;
  const width = v.els.scroller.clientWidth;
  const height = v.stacked ? Infinity : v.els.scroller.clientHeight - 3;
  const left = sorted ? 0 : 24;
  const top = sorted ? 0 : 17;
  const caption = sorted ? 15 : 0;
  const mlps = Boolean(v.header.written) && !sorted;
  const beside = mlps ? 1 : 0; // columns that are no heads
  let columns = heads;
  let pitch;
  if (sorted) {
    // captions such as "2.4  0.31" need some width: fewer columns rather than clipped numbers
    const count = found.length;
    columns = Math.max(1, Math.min(count, Math.floor(width / 48)));
    for (let c = columns; c >= 1; c--) {
      const rows = Math.ceil(count / c);
      if (rows * (width / c + caption) > height) break;
      columns = c;
    }
    pitch = Math.floor(Math.min(width / columns, 120));
  } else {
    pitch = Math.floor(Math.min((width - left) / (columns + beside), (height - top) / layers, v.stacked ? 72 : 120));
    if (pitch < LEGIBLE) pitch = Math.max(LEGIBLE, Math.min(Math.floor((width - left) / (columns + beside)), ROOMY));
  }
  const rows = Math.ceil(found.length / columns);
  return { sorted, left, top, caption, columns, mlps, pitch, order: found, rows, tile: pitch - GAP,
    width: left + (columns + beside) * pitch, height: top + rows * (pitch + caption) + 2 };
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
    if (v.header.written) paintShare(v, ctx, v.header.written.heads[index], x, y);
    else paintTileTag(v, ctx, index, x, y);
    if (isMuted(v, Math.floor(index / v.header.heads), index % v.header.heads)) paintMuted(ctx, theme, { x, y }, plan.tile);
    if (overlay.has(index) && (state.overlay.length || state.mode === "arcs")) {
      ctx.fillStyle = headColor(v, overlay.get(index));
      ctx.beginPath();
      ctx.moveTo(x + plan.tile, y);
      ctx.lineTo(x + plan.tile - 11, y);
      ctx.lineTo(x + plan.tile, y + 11);
      ctx.fill();
    }
  });
  if (plan.mlps) {
    v.header.written?.mlps.forEach((value, layer) => paintShare(v, ctx, value, plan.left + plan.columns * plan.pitch + 1, plan.top + layer * plan.pitch + 1));
  }
  const place = plan.order.indexOf(state.layer * v.header.heads + state.head);
  if (place >= 0) {
    outline(ctx, tileAt(plan, place), plan.tile, theme.primary, 2);
    reveal(v, place);
  }
  if (v.hoverTile !== null && v.hoverTile < plan.order.length) {
    outline(ctx, tileAt(plan, v.hoverTile), plan.tile, theme.muted, 1);
  }
  if (!plan.sorted) paintLabels(v, ctx);
  v.els.overview.setAttribute(
    "aria-label",
    _("Attention maps of {layers} layers with {heads} heads each. L{layer}H{head} is chosen; arrow keys choose another.",
      { layers: v.header.layers, heads: v.header.heads, layer: state.layer, head: state.head }),
  );
}

/**
 * What a head is called, in the corner of its tile that is blank.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} index
 * @param {number} x
 * @param {number} y
 */
function paintTileTag(v, ctx, index, x, y) {
  const [first] = tagsOf(v.header, index);
  if (!first || !(v.header.causal ?? true)) return;
  const { theme, plan } = v;
  ctx.font = font(theme, Math.max(7, Math.min(9, plan.tile / 4)), 600);
  ctx.textAlign = "right";
  ctx.fillStyle = PLAIN.includes(first.tag.name) ? theme.muted : theme.text;
  ctx.fillText(first.tag.short, x + plan.tile - 1, y + 5);
  ctx.font = font(theme);
}

/**
 * Layers at the left and heads at the top, which stay there while the tiles are scrolled.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 */
function paintLabels(v, ctx) {
  const { plan, theme } = v;
  const { scrollLeft, scrollTop } = v.els.scroller;
  const every = plan.pitch < 26 ? 2 : 1;
  ctx.font = font(theme);
  ctx.fillStyle = theme.background;
  ctx.fillRect(0, scrollTop, plan.width, plan.top);
  ctx.fillRect(scrollLeft, 0, plan.left, plan.height);
  ctx.fillStyle = theme.muted;
  ctx.textAlign = "center";
  for (let h = 0; h < v.header.heads; h += every) {
    ctx.fillText(`H${h}`, plan.left + h * plan.pitch + plan.tile / 2, scrollTop + plan.top / 2 - 1);
  }
  if (plan.mlps) ctx.fillText("MLP", plan.left + v.header.heads * plan.pitch + plan.tile / 2, scrollTop + plan.top / 2 - 1);
  ctx.textAlign = "right";
  for (let l = 0; l < v.header.layers; l++) {
    ctx.fillText(`L${l}`, scrollLeft + plan.left - 5, plan.top + l * plan.pitch + plan.tile / 2);
  }
  ctx.fillStyle = theme.background;
  ctx.fillRect(scrollLeft, scrollTop, plan.left, plan.top);
}

/**
 * Scroll a head that was chosen elsewhere (a link, the keyboard) into the part that is seen; once for each choice.
 * @param {View} v
 * @param {number} place
 */
function reveal(v, place) {
  const { plan } = v;
  const chosen = `${v.state.layer}.${v.state.head}|${v.state.order}|${v.state.find}|${plan.pitch}`;
  if (v.revealed === chosen) return;
  v.revealed = chosen;
  const { x, y } = tileAt(plan, place);
  const box = v.els.scroller;
  const end = plan.pitch + plan.caption;
  if (y - plan.top < box.scrollTop) box.scrollTop = y - plan.top - plan.pitch;
  else if (y + end > box.scrollTop + box.clientHeight) box.scrollTop = y + end + plan.pitch - box.clientHeight;
  if (x - plan.left < box.scrollLeft) box.scrollLeft = x - plan.left;
  else if (x + plan.pitch > box.scrollLeft + box.clientWidth) box.scrollLeft = x + plan.pitch - box.clientWidth;
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
  const value = v.header.stats[/** @type {Statistic} */ (v.state.order)];
  if (value) ctx.fillText(short(value[index]), x + plan.tile, y);
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
