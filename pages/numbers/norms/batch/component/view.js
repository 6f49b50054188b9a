// @ts-check
// A batch before and after a norm: which cells share a statistic, and what stays when the input changes.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { readTheme } from "#canvas/theme.js";
import { digits } from "#canvas/text.js";
import { AT, DRAW, normOf, pick, sceneOf, settingsOf } from "./draw.js";
import { changeOf, NORMS } from "./statistics.js";
import { actionSentence, actionsOf, cellSentence, changeWord, UNCHANGED } from "./words.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link learns of it

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  Object.assign(v, { header, arrays, asked: undefined });
  if (fresh) Object.assign(v, { state: { ...header.state }, hover: null });
  else v.state = { ...header.state, ...v.state };
  bound(v);
  paint(v);
  announcePicture(header.picture);
}

/**
 * Keep the state within what there is.
 * @param {View} v
 */
function bound(v) {
  const { header, state, arrays } = v;
  state.norm = normOf(v).key;
  state.count = Math.max(1, Math.min(8, state.count));
  pick(v);
  state.item = Math.max(0, Math.min(state.item, v.cells.items - 1));
  state.channel = Math.max(0, Math.min(state.channel, header.channels - 1));
  state.seen = Math.max(0, Math.min(state.seen, arrays.means.length / header.channels));
  if (!actionsOf(header, state).some(([key]) => key === state.action)) state.action = "nothing";
}

/**
 * @param {View} v
 * @param {Partial<import("./types").State>} changes
 */
function change(v, changes) {
  Object.assign(v.state, changes);
  bound(v);
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const width = /** @type {HTMLElement} */ (v.els.canvas.parentElement).clientWidth;
  v.scene = sceneOf(v, width);
  const { layout, norm } = v.scene;
  DRAW[v.header.kind](canvasPen(fit(v.els.canvas, width, layout.height), v.theme), v.scene);
  v.els.canvas.setAttribute("aria-label", TEXTS.beforeAfterArrow(v.header.title, norm.name));
  paintBars(v);
  paintSaid(v);
  paintTable(v);
  Object.assign(v.root.dataset, { norm: norm.key, action: v.state.action, item: String(v.state.item), channel: String(v.state.channel) });
}

/** @param {View} v */
function paintBars(v) {
  const { header, state, els, scene } = v;
  const picks = (/** @type {[string, string][]} */ entries, /** @type {string} */ chosen, /** @type {(key: string) => void} */ choose) =>
    entries.map(([key, name]) => make("button", { type: "button", className: "pick", textContent: name, "aria-pressed": String(key === chosen), onclick: () => choose(key) }));
  els.norms.replaceChildren(...picks(NORMS[header.kind].map(({ key, name }) => [key, name]), state.norm, (norm) => change(v, { norm })));
  els.actions.replaceChildren(make("small", { textContent: "Input:" }), ...picks(actionsOf(header, state), state.action, (action) => change(v, { action })));
  els.printed.checked = state.printed;
  const rest = header.channels - scene.layout.shown;
  const tokens = header.kind === "tokens";
  /** @type {HTMLElement} */ (els.slide.parentElement).hidden = tokens && rest <= 0;
  Object.assign(els.slide, tokens ? { min: 0, max: Math.max(0, rest), value: scene.layout.first } : { min: 1, max: 8, value: state.count });
  els.slideText.textContent = tokens ? `channels ${scene.layout.first} to ${scene.layout.first + scene.layout.shown - 1} of ${header.channels}` : `${state.count} in the batch`;
  /** @type {HTMLElement} */ (els.seen.parentElement).hidden = !scene.norm.running;
  Object.assign(els.seen, { min: 0, max: v.arrays.means.length / header.channels, value: state.seen });
  els.seenText.textContent = TEXTS.runningStatisticsOther(state.seen);
  els.extras.hidden = tokens;
}

/** @param {View} v */
function paintSaid(v) {
  const { header, layout, norm, before, after, cursor, alive } = v.scene;
  const at = (cursor.item * header.channels + cursor.channel) * layout.inner + (layout.inner > 1 ? middleOf(layout.side) : 0);
  const items = alive.reduce((sum, there) => sum + there, 0);
  const group = { item: cursor.item, channel: cursor.channel, instance: cursor.item * header.channels + cursor.channel, group: cursor.item * 2 + Math.floor((cursor.channel * 2) / header.channels) }[norm.sharing];
  const cell = { ...cursor, items, before: before.x[at], after: after.x[at], mean: before.moments.mean[group], variance: before.moments.variance[group] };
  const spread = after.moments.variance.map(Math.sqrt).filter((value) => value > 0);
  const slip = v.state.printed ? TEXTS.printedSpreadAfter(digits(Math.min(...spread), 3), digits(Math.max(...spread), 3)) : "";
  const where = layout.inner > 1 ? "Its middle pixel: " : "";
  v.els.said.textContent = `${actionSentence(v.scene.header, v.state, v.cells.unit)} ${where}${cellSentence(v.scene.header, norm, cell, settingsOf(v))}${slip}`.trim();
}

/**
 * The pixel in the middle of a picture.
 * @param {number} side
 */
function middleOf(side) {
  return Math.floor(side / 2) * side + Math.floor(side / 2);
}

/** @param {View} v */
function paintTable(v) {
  const { header, state } = v;
  const { first, ...shown } = state;
  const asked = JSON.stringify([header.origin, shown, v.arrays.x.length]);
  if (asked === v.asked) return; // what scrolls the channels changes none of it
  v.asked = asked;
  const norms = NORMS[header.kind];
  const settings = settingsOf(v);
  const head = make("tr", {}, make("th", { textContent: "input changed" }), ...norms.map((norm) => make("th", { textContent: norm.name })));
  const rows = actionsOf(header, state).slice(1).map(([key, name]) => {
    const cells = norms.map((norm) => {
      const found = changeOf(v.cells, norm, { key, item: state.item, channel: state.channel }, settings, header.plus);
      return make("td", { textContent: changeWord(found), className: `${found < UNCHANGED ? "same" : ""} ${norm.key === state.norm && key === state.action ? "here" : ""}` });
    });
    const row = make("tr", { tabIndex: 0, onclick: () => change(v, { action: key }) }, make("td", { textContent: name }), ...cells);
    row.dataset.testid = `row-${key}`;
    row.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      change(v, { action: key });
      /** @type {HTMLElement | null} */ (v.els.table.querySelector(`[data-testid="row-${key}"]`))?.focus();
    });
    return row;
  });
  v.els.table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

/** @param {View} v */
function makePicture(v) {
  const canvas = make("canvas", { testid: "norms-canvas", role: "img", tabIndex: 0 });
  const at = (/** @type {PointerEvent | MouseEvent} */ { offsetX, offsetY }) => (v.scene ? AT[v.header.kind](v.scene.layout, v.scene.cells, offsetX, offsetY) : null);
  canvas.addEventListener("pointermove", (event) => {
    if (event.pointerType === "mouse") point(v, at(event));
  });
  canvas.addEventListener("pointerleave", () => point(v, null));
  canvas.addEventListener("click", (event) => {
    const found = at(event);
    if (found) change(v, found);
  });
  canvas.addEventListener("keydown", (event) => {
    const { item, channel } = v.state;
    const next = { ArrowLeft: { channel: channel - 1 }, ArrowRight: { channel: channel + 1 }, ArrowUp: { item: item - 1 }, ArrowDown: { item: item + 1 } }[event.key];
    if (!next || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    change(v, next);
  });
  return canvas;
}

/**
 * @param {View} v
 * @param {{ item: number, channel: number } | null} cell
 */
function point(v, cell) {
  if (cell?.item === v.hover?.item && cell?.channel === v.hover?.channel) return;
  v.hover = cell;
  if (!v.scene) return;
  v.scene.cursor = cell ?? { item: v.state.item, channel: v.state.channel };
  DRAW[v.header.kind](canvasPen(fit(v.els.canvas, v.scene.layout.width, v.scene.layout.height), v.theme), v.scene);
  paintSaid(v);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ hover: null });
  v.sendSoon = debounce(() => v.component.setStateValue("state", { ...v.state, origin: v.header.origin }), DELAY);
  const range = (/** @type {string} */ name, /** @type {(value: number) => void} */ input) => {
    const made = make("input", { type: "range", "aria-label": name, testid: `norms-${name}` });
    made.addEventListener("input", () => input(Number(made.value)));
    return made;
  };
  const slide = range("window", (value) => change(v, v.header.kind === "tokens" ? { first: value } : { count: value }));
  const seen = range("seen", (value) => change(v, { seen: value }));
  const printed = make("input", { type: "checkbox", testid: "norms-printed" });
  printed.addEventListener("input", () => change(v, { printed: printed.checked }));
  v.els = {
    norms: make("div", { className: "menu", testid: "norms-menu" }),
    actions: make("div", { className: "menu actions", testid: "norms-actions" }),
    extras: makeButton("⚄ other digits", "Draw other pictures", () => change(v, { seed: (v.state.seed % 999) + 1 })),
    said: make("p", { className: "said", testid: "norms-said" }),
    table: make("table", { testid: "norms-table" }),
    canvas: makePicture(v), slide, seen, printed, slideText: make("span"), seenText: make("span"),
  };
  const { els } = v;
  v.root = make("div", { className: "norms", testid: "norms-root" }, els.norms, els.actions,
    make("div", { className: "panel" }, els.canvas),
    make("div", { className: "bar" }, make("label", {}, slide, els.slideText), els.extras, make("label", {}, seen, els.seenText), make("label", { title: TEXTS.notesShortForm }, printed, "as printed: √(σ + ε)")),
    els.said, make("div", { className: "table" }, els.table));
  host.append(v.root);
  addMenu(v, TEXTS.whatNormDoes, true);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
