// @ts-check
// Tokens x experts for every layer of a text, and beside them what the router says of one token.

import { make } from "#canvas/dom.js";
import { joinHover } from "#canvas/hovered.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { digits, named } from "#canvas/text.js";
import { drawRouting, gridOf, placeAt, ROW, TOP } from "./drawing.js";
import { loadsOf, rowsOf } from "./numbers.js";
import { fillPanel } from "./panel.js";

/**
 * L layers that have experts, T tokens, E experts, of which k are chosen. `layers` are the numbers of the L layers in their model;
 * a place that is drawn is (layer among them, expert). `biased`: the router has a bias, `off`: it is taken away here; `compared`:
 * `plain` says what would be chosen without it; `clicks`: a click on an expert's head mutes it; `taste`: the expert that the page's
 * first sentence names, or none.
 * @typedef {{ tokens: string[], layers: number[], experts: number, chosen: number, biased: boolean, off: boolean, compared: boolean,
 *   muted: [layer: number, expert: number][], forced: [layer: number, expert: number][], taste: [layer: number, expert: number][],
 *   clicks: boolean, maths: boolean, at: [layer: number, token: number], warm: { light: string, dark: string } }} Header
 * `scores` [L, T, E] before the bias, `bias` [L, E]; the others [L, T, k]: `plain` chosen without the bias, `mixed` and `notes` the
 * weights if the bias entered the mix, `kept` 0 where an expert was full.
 * @typedef {{ scores: Float32Array, bias: Float32Array, chosen: Uint16Array, weights: Float32Array, plain: Uint16Array,
 *   mixed: Float32Array, notes: Float32Array, kept: Uint8Array }} Arrays
 * @typedef {{ token: number | null, layer: number | null, show: string, muted: [number, number][], forced: [number, number][] }} Left
 * @typedef {{ token: number, layer: number, show: string }} At where the view is: the layer is a place among the L
 * @typedef {{ token: number | null, layer: number, expert: number | null }} Place no token: in the head; no expert: beside the lanes
 * @typedef {import("#canvas/live.js").View<Header, Arrays, Left> & { at: At, grid: import("./drawing.js").Grid, loads: Float32Array,
 *   warm: string, lit: number[], hover: Place | null }} View
 */

/** @param {View} v */
function fitPlace(v) {
  v.loads = loadsOf(v.header, v.arrays);
  v.at = placeOf(v);
  v.els.scroller.scrollTop = Math.max(0, ROW * v.at.token - 200);
}

/** @param {View} v @returns {At} */
function placeOf({ header, place }) {
  const layer = header.layers.indexOf(place.layer ?? header.at[0]);
  return { token: Math.min(place.token ?? header.at[1], header.tokens.length - 1), layer: Math.max(0, layer), show: place.show };
}

/**
 * What is pointed at, in words.
 * @param {View} v
 */
function pointed(v) {
  const { layers, tokens, experts, chosen, biased, clicks } = v.header;
  const how = clicks ? _("Click on an expert above the rows to mute it.") : _("Click on a row to see what the router says of its token.");
  if (!v.hover) return `${how} ${_("Bars: the share of the tokens that reach an expert.")}`;
  const { token, layer, expert } = v.hover;
  if (expert === null) return token === null ? _("Layer {layer}", { layer: layers[layer] }) : named(tokens, token);
  const where = { layer: layers[layer], expert };
  if (token === null) {
    const [load, even] = [v.loads[layer * experts + expert], chosen / experts].map((share) => (100 * share).toFixed(1));
    return _("Layer {layer}, expert {expert}: {load}% of the tokens; shared evenly it would be {even}%.", { ...where, load, even });
  }
  const row = rowsOf(v.header, v.arrays, layer, token)[expert];
  const values = { ...where, token: named(tokens, token), score: digits(row.score, 3), sum: digits(row.score + row.bias, 3), weight: digits(row.weight, 3) };
  const parts = [_("{token}, layer {layer}, expert {expert}: score {score}", values)];
  if (biased) parts.push(_(", with the bias {sum}", values));
  parts.push(!row.chosen ? _("; not chosen") : row.kept ? _("; weight {weight}", values) : _("; chosen, but the expert was full"));
  if (row.plain !== row.chosen && biased) parts.push(_(" (the bias decided)"));
  return `${parts.join("")}.`;
}

/** @param {View} v @param {Place} place */
function choose(v, { token, layer, expert }) {
  const { layers, clicks } = v.header;
  if (token !== null) return go(v, { token, layer: layers[layer] });
  if (expert === null || !clicks) return go(v, { layer: layers[layer] });
  const others = (/** @type {[number, number][]} */ pairs) => pairs.filter(([l, e]) => l !== layers[layer] || e !== expert);
  const rest = others(v.place.muted);
  ask(v, { muted: rest.length < v.place.muted.length ? rest : [...rest, [layers[layer], expert]], forced: others(v.place.forced) });
}

/** @param {View} v @param {number} dx @param {number} dy @returns {Place} */
function beside(v, dx, dy) {
  const { tokens, layers } = v.header;
  const within = (/** @type {number} */ at, /** @type {unknown[]} */ { length }) => Math.max(0, Math.min(at, length - 1));
  return { token: within(v.at.token + dy, tokens), layer: within(v.at.layer + dx, layers), expert: null };
}

/** @param {View} v */
function build(v) {
  const modes = () => /** @type {[string, string, string][]} */ ([
    ["chosen", _("Chosen, by weight"), _("The experts that each token reaches, darker with more weight")],
    ["scores", _("All scores"), _("What the router gives every expert, before the bias")],
  ]);
  const show = segments(modes, () => v.place.show, (value) => go(v, { show: value }), _("What the cells show"));
  const canvas = make("canvas", { role: "img", testid: "routing-rows" });
  const [spacer, panel] = [make("div"), make("div", { className: "facts", testid: "routing-panel" })];
  const scroller = make("div", { className: "scroller" }, canvas, spacer);
  const said = make("p", { className: "said", "aria-live": "polite", testid: "routing-said" });
  Object.assign(v.els, { canvas, spacer, scroller, said, panel, show });
  cells(v, canvas, { under: (x, y) => placeAt(v, x, y, scroller.scrollTop), choose: (place) => choose(v, place), beside: (dx, dy) => beside(v, dx, dy) });
  canvas.addEventListener("keydown", ({ key }) => {
    if (key === "Home" || key === "End") go(v, { token: key === "Home" ? 0 : v.header.tokens.length - 1 });
  });
  scroller.addEventListener("scroll", () => v.paint());
  v.lit = [];
  const joined = joinHover({ tokens: () => v.header.tokens, light: (indices) => {
    v.lit = indices;
    v.paint();
  } });
  const point = () => joined.point(...(v.hover?.token == null ? [] : [v.hover.token]));
  for (const event of ["pointermove", "pointerleave"]) canvas.addEventListener(event, point);
  v.ends.push(joined.end);
  const save = saving(v, "tlmviz-routing", {
    height: () => TOP + v.grid.total + 4,
    draw: (pen, theme, width) => {
      const paper = /** @type {View} */ ({ ...v, theme, warm: v.header.warm.light, hover: null, lit: [], grid: gridOf(v, width) });
      drawRouting(pen, paper, 0, TOP + paper.grid.total + 4);
    },
  });
  return [make("div", { className: "picture" }, make("div", { className: "bar" }, show.root, save), scroller, said), panel];
}

/** @param {View} v */
function paint(v) {
  const { canvas, spacer, scroller, said, show } = v.els;
  const before = v.at;
  v.at = placeOf(v);
  v.warm = v.header.warm[v.theme.dark ? "dark" : "light"];
  v.root.style.setProperty("--warm", v.warm);
  v.grid = gridOf(v, widthOf(canvas));
  scroller.style.height = `${v.grid.height}px`;
  spacer.style.height = `${Math.max(0, TOP + v.grid.total + 4 - v.grid.height)}px`;
  if (v.at.token !== before.token) scrollTo(v);
  drawRouting(penOf(v, canvas, v.grid.height), v, scroller.scrollTop);
  said.textContent = pointed(v);
  fillPanel(v);
  show.repaint();
  const { token, layer } = v.at;
  const name = { token: named(v.header.tokens, token), layer: v.header.layers[layer] };
  canvas.setAttribute("aria-label", _("Tokens by experts, layers side by side; {token} in layer {layer}. Arrow keys walk through tokens and layers.", name));
  Object.assign(v.root.dataset, { token: String(token), layer: String(layer), show: v.at.show, picture: String(v.header.picture) });
}

/**
 * Scroll until the chosen row is seen.
 * @param {View} v
 */
function scrollTo(v) {
  const { scroller } = v.els;
  const [at, seen] = [v.at.token * ROW, v.grid.height - TOP - ROW];
  if (at < scroller.scrollTop || at > scroller.scrollTop + seen) scroller.scrollTop = at - seen / 2;
}

export default live({ id: "routing", build, paint, fit: fitPlace });
