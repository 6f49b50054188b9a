// @ts-check
// Tokens x experts for every layer: state, DOM, pointer and keys.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { joinHover } from "#canvas/hovered.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { digits, named } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { ROW, TOP, drawRouting, gridOf, placeAt } from "./drawing.js";
import { loadsOf, rowsOf } from "./numbers.js";
import { fillPanel } from "./panel.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").State} State */

const DELAY = 300; // milliseconds until a choice is sent
const MODES = /** @type {const} */ ({ chosen: "Chosen, by weight", scores: "All scores" });

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const before = v.header?.tokens.join("\u0001");
  const own = /** @type {import("./types").Arrays} */ (/** @type {unknown} */ (arrays));
  Object.assign(v, { header, arrays: own, loads: loadsOf(header, own) });
  if (header.state.seq >= v.state.seq || before !== header.tokens.join("\u0001")) v.state = { ...header.state, seq: Math.max(header.state.seq, v.state.seq) };
  v.state.token = Math.min(v.state.token, header.tokens.length - 1);
  v.state.layer = Math.min(v.state.layer, header.layers.length - 1);
  v.hover = null;
  paint(v);
  showRow(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function paint(v) {
  const width = v.els.scroller.parentElement.clientWidth;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.warm = v.header.warm[v.theme.dark ? "dark" : "light"];
  v.root.style.setProperty("--warm", v.warm);
  v.grid = gridOf(v, width - 10);
  v.els.scroller.style.height = `${v.grid.height}px`;
  v.els.spacer.style.height = `${Math.max(0, TOP + v.grid.total + 4 - v.grid.height)}px`;
  paintCanvas(v);
  fillPanel(v);
  v.els.buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.show === v.state.show)));
  const { token, layer, show } = v.state;
  Object.assign(v.root.dataset, { token: String(token), layer: String(layer), show, picture: String(v.header.picture) });
}

/** @param {View} v */
function paintCanvas(v) {
  const { grid, els } = v;
  drawRouting(canvasPen(fit(els.canvas, grid.width, grid.height), v.theme), v, els.scroller.scrollTop);
  say(v);
}

/**
 * What is pointed at, in words.
 * @param {View} v
 */
function say(v) {
  v.els.said.textContent = v.hover ? pointed(v) : TEXTS.barsShareTokens(v.header.clicks);
}

/** @param {View} v */
function pointed(v) {
  const { token, layer, expert } = v.hover;
  const { layers, tokens, experts, chosen } = v.header;
  if (expert === null) return token === null ? `Layer ${layers[layer]}` : named(tokens, token);
  const load = v.loads[layer * experts + expert];
  if (token === null) return TEXTS.layerExpertTokens(layers[layer], expert, (100 * load).toFixed(1), ((100 * chosen) / experts).toFixed(1), v.header.clicks);
  const row = rowsOf(v.header, v.arrays, layer, token)[expert];
  const scores = TEXTS.scoreBias(digits(row.score, 3), v.header.biased, digits(row.score + row.bias, 3));
  return TEXTS.layerExpertWeight(named(tokens, token), layers[layer], expert, scores, row.chosen, row.kept, digits(row.weight, 3), row.plain, v.header.biased);
}

/**
 * Scroll until the chosen row is seen.
 * @param {View} v
 */
function showRow(v) {
  if (!v.grid) return;
  const { scroller } = v.els;
  const at = v.state.token * ROW;
  const seen = v.grid.height - TOP - ROW;
  if (at < scroller.scrollTop || at > scroller.scrollTop + seen) scroller.scrollTop = at - seen / 2;
}

/**
 * @param {View} v
 * @param {Partial<State>} change
 */
function choose(v, change) {
  const state = { ...v.state, ...change, seq: v.state.seq + 1 };
  state.token = Math.max(0, Math.min(state.token, v.header.tokens.length - 1));
  state.layer = Math.max(0, Math.min(state.layer, v.header.layers.length - 1));
  v.state = state;
  paint(v);
  showRow(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {PointerEvent | MouseEvent} event
 */
function under(v, event) {
  const box = v.els.canvas.getBoundingClientRect();
  return placeAt(v, event.clientX - box.left, event.clientY - box.top, v.els.scroller.scrollTop);
}

/** @param {View} v */
function listen(v) {
  const { canvas, scroller } = v.els;
  canvas.addEventListener("pointermove", (event) => {
    v.hover = under(v, event);
    if (v.hover?.token != null) v.joined.point(v.hover.token);
    else v.joined.point();
    paintCanvas(v);
  });
  canvas.addEventListener("pointerleave", () => {
    v.hover = null;
    v.joined.point();
    paintCanvas(v);
  });
  canvas.addEventListener("click", (event) => {
    const place = under(v, event);
    if (!place) return;
    if (place.token !== null) choose(v, { token: place.token, layer: place.layer });
    else if (place.expert !== null && v.header.clicks) v.component.setTriggerValue("expert", [place.layer, place.expert]);
    else choose(v, { layer: place.layer });
  });
  scroller.addEventListener("scroll", () => paintCanvas(v));
  scroller.addEventListener("keydown", (event) => {
    const { token, layer } = v.state;
    /** @type {Record<string, Partial<State>>} */
    const steps = { ArrowUp: { token: token - 1 }, ArrowDown: { token: token + 1 }, ArrowLeft: { layer: layer - 1 }, ArrowRight: { layer: layer + 1 }, Home: { token: 0 }, End: { token: Infinity } };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    choose(v, step);
  });
}

/**
 * Save all rows, on paper.
 * @param {View} v
 */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const height = TOP + v.grid.total + 4;
  const paper = /** @type {View} */ ({ ...v, theme, warm: v.header.warm.light, hover: null, lit: [] });
  return figureOf("tlmviz-routing", { width: v.grid.width, height, theme }, (pen) => drawRouting(pen, paper, 0, height));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ state: { token: 0, layer: 0, show: "chosen", seq: -1 }, hover: null, lit: [] });
  v.sendSoon = debounce(() => v.component.setStateValue("place", { ...v.state }), DELAY);
  const buttons = Object.entries(MODES).map(([show, text]) => {
    const button = makeButton(text, show === "chosen" ? TEXTS.expertsTokenReaches : TEXTS.whatRouterGives, () => choose(v, { show: /** @type {State["show"]} */ (show) }));
    button.dataset.show = show;
    return button;
  });
  const saving = [pictureButton(v, "the picture", () => saved(v))];
  v.els = {
    scroller: make("div", { className: "scroller", tabIndex: 0, role: "application", "aria-label": TEXTS.tokensExpertsLayers, testid: "routing-rows" }),
    canvas: make("canvas", { "aria-hidden": "true" }),
    spacer: make("div"),
    said: make("p", { className: "said", "aria-live": "polite", testid: "routing-said" }),
    panel: make("div", { className: "panel", testid: "routing-panel" }),
    buttons,
  };
  v.els.scroller.append(v.els.canvas, v.els.spacer);
  v.root = make("div", { className: "routing", testid: "routing-root" }, make("div", { className: "picture" }, make("div", { className: "bar" }, ...buttons, ...saving), v.els.scroller, v.els.said), v.els.panel);
  v.joined = joinHover({
    tokens: () => v.header?.tokens ?? [],
    light: (indices) => {
      v.lit = indices;
      if (v.grid) paintCanvas(v);
    },
  });
  listen(v);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.joined.end();
}

export default mounted({ create, receive, leave });
