// @ts-check
// The lanes: the tree of what each width has kept up to a step.

import { placeOn } from "#canvas/axis.js";
import { _ } from "#canvas/language.js";
import { clip, minus, visible } from "#canvas/text.js";
import { textWidth } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Lane} Lane */
/** @typedef {import("./types").LanePlan} LanePlan */

const HEAD = 40; // pixels of a lane's title
const LANE = 150; // pixels of a lane
const WIDE = 640; // pixels from which two lanes stand beside each other
const NEAREST = 12; // pixels from a dot that still mean it

/** @param {View} v */
export function lastStep(v) {
  return Math.max(1, ...v.header.lanes.map(({ steps }) => steps));
}

/** The step that is shown, from 1. @param {View} v */
export function shownStep(v) {
  return Math.floor(placeOn(v, v.axis)) + 1;
}

/**
 * Where the lanes lie in `width` pixels.
 * @param {View} v
 * @param {number} width
 * @returns {LanePlan[]}
 */
export function planLanes(v, width) {
  const columns = width < WIDE ? 1 : 2;
  const each = (width - 24 * (columns - 1)) / columns;
  return v.header.lanes.map((lane, k) => {
    const [x, y] = [(k % columns) * (each + 24), Math.floor(k / columns) * LANE];
    const room = LANE - HEAD - 16;
    const most = Math.max(0, ...lane.ranks); // texts that end take no place of those that go on
    const rank = Math.min(20, room / Math.max(1, most));
    return { x, y, width: each, height: LANE, step: (each - 36) / lastStep(v), rank, top: y + HEAD + (room - rank * most) / 2 };
  });
}

/**
 * Pixels that all lanes need.
 * @param {LanePlan[]} plans
 */
export function lanesHeight(plans) {
  return Math.max(...plans.map(({ y, height }) => y + height));
}

/**
 * Where a dot lies; -1 is the empty text.
 * @param {Lane} lane
 * @param {LanePlan} plan
 * @param {number} place
 */
function dotAt(lane, plan, place) {
  const rank = place < 0 ? Math.max(0, ...lane.ranks) / 2 : lane.ranks[place];
  return { x: plan.x + 12 + plan.step * (place < 0 ? 0 : lane.depths[place]), y: plan.top + plan.rank * rank };
}

/**
 * All lanes at the shown step.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
export function drawLanes(pen, v, theme) {
  const step = shownStep(v);
  const best = Math.max(...v.header.lanes.map(({ score }) => score));
  v.header.lanes.forEach((lane, k) => {
    drawTitle(pen, v, theme, lane, v.plans[k], step, best);
    drawTree(pen, v, theme, k, step);
  });
}

/**
 * Width, score and text: the best beginning while the search goes on, the winner when it is over.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Lane} lane
 * @param {LanePlan} plan
 * @param {number} step
 * @param {number} best
 */
function drawTitle(pen, v, theme, lane, plan, step, best) {
  const over = step >= lane.steps;
  const name = lane.width === 1 ? _("Greedy (W = 1)") : `W = ${lane.width}`;
  const warm = v.header.warm[theme.dark ? "dark" : "light"];
  pen.text(plan.x + 4, plan.y + 10, name, { color: theme.text, size: 13, weight: 600 });
  const first = lane.depths.indexOf(step);
  const number = over ? _("score {score} · log P {logp}", { score: minus(lane.score.toFixed(3)), logp: minus(lane.logp.toFixed(3)) }) : _(
    "log P {logp}", { logp: minus(lane.totals[first].toFixed(3)) });
  const top = over && lane.score > best - 1e-3;
  pen.text(plan.x + plan.width - 4, plan.y + 10, number, { color: top ? warm : theme.muted, size: 12, weight: top ? 600 : 400, align: "right" });
  const text = over ? lane.text || _("(nothing)") : `${lane.leaders[step - 1]} …`;
  const style = { color: over ? theme.text : theme.muted, size: 12 };
  pen.text(plan.x + 4, plan.y + 27, fitted(theme, text, plan.width - 8), style);
}

/**
 * As much of a text's end as fits.
 * @param {Theme} theme
 * @param {string} text
 * @param {number} room
 */
function fitted(theme, text, room) {
  let shown = text;
  for (let from = 0; from < text.length && textWidth(theme, shown, 12) > room; from += 2) shown = `… ${text.slice(from + 2)}`;
  return shown;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} k number of the lane
 * @param {number} step
 */
function drawTree(pen, v, theme, k, step) {
  const [lane, plan] = [v.header.lanes[k], v.plans[k]];
  const warm = v.header.warm[theme.dark ? "dark" : "light"];
  const way = new Set(lane.way);
  const alive = living(lane, step);
  const radius = Math.max(1.6, Math.min(4, plan.rank * 0.36));
  const places = lane.depths.map((_, place) => place).filter((place) => lane.depths[place] <= step);
  for (const marked of [false, true]) {
    for (const place of places.filter((one) => way.has(one) === marked)) {
      const [from, to] = [dotAt(lane, plan, lane.parents[place]), dotAt(lane, plan, place)];
      const half = (to.x - from.x) / 2;
      const color = marked ? warm : alive.has(place) ? theme.primary : theme.text;
      pen.path(`M${from.x} ${from.y}c${half} 0 ${half} ${to.y - from.y} ${2 * half} ${to.y - from.y}`, color, marked ? 2.5 : 1,
        marked ? 1 : alive.has(place) ? 0.6 : 0.16);
    }
  }
  for (const place of places) {
    const { x, y } = dotAt(lane, plan, place);
    const color = way.has(place) ? warm : alive.has(place) ? theme.primary : theme.muted;
    if (lane.ended[place]) pen.rect(x - radius, y - radius, 2 * radius, 2 * radius, color);
    else pen.circle(x, y, radius, color, alive.has(place) || way.has(place) ? 1 : 0.4);
  }
  const hovered = v.hover ? samePlace(v, lane) : -1;
  if (hovered >= 0 && lane.depths[hovered] <= step) {
    const { x, y } = dotAt(lane, plan, hovered);
    pen.rect(x - 6, y - 6, 12, 12, null, theme.text, { width: 1.5 });
  }
  drawLoss(pen, theme, lane, plan, step, warm);
}

/**
 * Where a lane has the text that is pointed at in any of them; -1 where it never kept it.
 * @param {View} v
 * @param {Lane} lane
 */
function samePlace(v, lane) {
  if (!v.hover) return -1;
  const wanted = namesOf(v.header.lanes[v.hover.lane], v.hover.place).join("\n");
  return lane.depths.findIndex((_, place) => namesOf(lane, place).join("\n") === wanted);
}

/**
 * The tokens of a beginning.
 * @param {Lane} lane
 * @param {number} place
 */
function namesOf(lane, place) {
  const names = [];
  for (let at = place; at >= 0; at = lane.parents[at]) names.unshift(lane.names[at]);
  return names;
}

/**
 * What leads to the beginnings of a step, or to texts that ended before it.
 * @param {Lane} lane
 * @param {number} step
 */
export function living(lane, step) {
  const alive = /** @type {Set<number>} */ (new Set());
  lane.depths.forEach((depth, place) => {
    if (depth !== Math.min(step, lane.steps) && !(lane.ended[place] && depth <= step)) return;
    for (let at = place; at >= 0 && !alive.has(at); at = lane.parents[at]) alive.add(at);
  });
  return alive;
}

/**
 * Whether a dot lies on a text of 11 pixels.
 * @param {{ x: number, y: number }} dot
 * @param {number} left
 * @param {number} middle
 * @param {number} wide
 */
const inside = (dot, left, middle, wide) => dot.x > left - 4 && dot.x < left + wide + 4 && Math.abs(dot.y - middle) < 11;

/**
 * A cross where the best text of all was lost.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Lane} lane
 * @param {LanePlan} plan
 * @param {number} step
 * @param {string} warm
 */
function drawLoss(pen, theme, lane, plan, step, warm) {
  if (!lane.lost || step < lane.lost.step) return;
  const from = dotAt(lane, plan, lane.way.length ? lane.way[lane.way.length - 1] : -1);
  const right = plan.x + plan.width;
  const [x, y] = [Math.min(right - 8, from.x + plan.step * 0.6), from.y - (lane.lost.how === "ended" ? 0 : 11)];
  pen.line(from.x, from.y, x, y, warm, { width: 2, dash: "3 3" });
  for (const sign of [-1, 1]) pen.line(x - 4, y - 4 * sign, x + 4, y + 4 * sign, warm, { width: 2 });
  const words = lane.lost.how === "ended" ? _("search over") : _("dropped at step {step}", { step: lane.lost.step });
  const wide = textWidth(theme, words, 11);
  // Beside the cross where no dot of the lane lies, else above it.
  const covered = lane.depths.some((depth, place) => depth <= step && inside(dotAt(lane, plan, place), x + 6, y, wide));
  const [left, middle] = right - x > wide + 14 && !covered ? [x + 8, y] : [Math.min(x - 4, right - 2 - wide), y - 12];
  pen.rect(left - 2, middle - 7, wide + 4, 14, theme.background, null, { alpha: 0.9 }); // the lane's own words lie below
  pen.text(left, middle, words, { color: warm, size: 11, weight: 600 });
}

/**
 * The dot under a point.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 * @returns {{ lane: number, place: number } | null}
 */
export function dotUnder(v, x, y) {
  let [found, nearest] = [/** @type {{ lane: number, place: number } | null} */ (null), NEAREST];
  v.header.lanes.forEach((lane, k) => {
    lane.depths.forEach((depth, place) => {
      if (depth > shownStep(v)) return;
      const dot = dotAt(lane, v.plans[k], place);
      const far = Math.hypot(dot.x - x, dot.y - y);
      if (far < nearest) [found, nearest] = [{ lane: k, place }, far];
    });
  });
  return found;
}

/**
 * The line below the lanes.
 * @param {View} v
 */
export function laneSentence(v) {
  if (!v.hover) return _("Best of all widths, by score: {text}", { text: v.header.best });
  const lane = v.header.lanes[v.hover.lane];
  const { place } = v.hover;
  const elsewhere = v.header.lanes.filter((other) => other !== lane && samePlace(v, other) >= 0).map(({ width }) => width);
  const said = _("W = {width}, step {step}, number {rank} of {count}: {names}, log P {logp}", {
    width: lane.width, step: lane.depths[place], rank: lane.ranks[place] + 1, count: lane.depths.filter((depth) => depth === lane.depths[place]).length,
    names: clip(namesOf(lane, place).map((name) => visible(name)).join(" "), 90), logp: minus(lane.totals[place].toFixed(3)),
  });
  return `${said}; ${elsewhere.length ? _("kept at W = {widths} too", { widths: elsewhere.join(", ") }) : _("kept by this width only")}`;
}
