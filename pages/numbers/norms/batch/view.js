// @ts-check
// A batch before and after a norm: which cells share a statistic, and what stays when the input changes.

import { make, makeButton } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { cells, go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { digits } from "#canvas/text.js";
import { CELL_AT, DRAW, sceneOf, settingsOf, settle } from "./draw.js";
import { actionSentence, actionsOf, cellSentence, changeWord, UNCHANGED } from "./sentences.js";
import { changeOf, NORMS } from "./statistics.js";

/** @typedef {import("./types").View} View */

const MOST_PICTURES = 8;

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { testid: "norms-canvas", role: "img" });
  cells(v, canvas, {
    under: (x, y) => CELL_AT[v.header.kind](v.scene.layout, v.scene.cells, x, y),
    choose: (cell) => go(v, cell),
    beside: (dx, dy) => ({ item: Math.max(0, v.state.item + dy), channel: Math.max(0, v.state.channel + dx) }),
  });
  const range = (/** @type {string} */ name, /** @type {string} */ label, /** @type {(value: number) => void} */ input) => {
    const made = make("input", { type: "range", "aria-label": label, testid: `norms-${name}` });
    made.addEventListener("input", () => input(Number(made.value)));
    return made;
  };
  const slide = range("window", _("Channels or pictures shown"), (value) => go(v, v.header.kind === "tokens" ? { first: value } : { count: value }));
  const seen = range("seen", _("Batches seen"), (value) => go(v, { seen: value }));
  const printed = make("input", { type: "checkbox", testid: "norms-printed" });
  printed.addEventListener("input", () => go(v, { printed: printed.checked }));
  const die = makeButton(_("⚄ other digits"), _("Draw other pictures"), () => go(v, { seed: (v.state.seed % 999) + 1 }));
  const said = make("p", { className: "said", testid: "norms-said" });
  const table = make("table", { testid: "norms-table" });
  const [norms, actions, slideText, seenText] = [make("div", { testid: "norms-menu" }), make("div", { className: "actions", testid: "norms-actions" }),
    make("span"), make("span")];
  Object.assign(v.els, { canvas, slide, seen, printed, die, said, table, norms, actions, slideText, seenText });
  const save = saving(v, "tlmviz-norms", {
    height: (width) => sceneOf(v, width).layout.height,
    draw: (pen, theme, width) => DRAW[v.header.kind](pen, sceneOf(v, width, theme)),
    title: () => `${v.header.title}, ${v.scene.norm.name}. ${actionSentence(v.scene.header, v.state, v.cells.unit)}`,
  });
  return [
    make("div", { className: "bar" }, norms, save), make("div", { className: "bar" }, make("small", { textContent: _("Input:") }), actions),
    make("div", { className: "panel" }, canvas),
    make("div", { className: "bar" }, make("label", {}, slide, slideText), die, make("label", {}, seen, seenText),
      make("label", { title: _("The notes' short form divides by √(σ + ε) where the long one has √(σ² + ε)") }, printed, _("with σ where σ² should be"))),
    said, make("div", { className: "table" }, table),
  ];
}

/** @param {View} v */
function paint(v) {
  settle(v);
  const { els, state, header } = v;
  v.scene = sceneOf(v, widthOf(els.canvas));
  const { layout, norm } = v.scene;
  DRAW[header.kind](penOf(v, els.canvas, layout.height), v.scene);
  els.canvas.setAttribute("aria-label", _("{title}, before and after {name}. Arrow keys move the chosen cell.", { title: header.title, name: norm.name }));
  paintBars(v);
  paintSaid(v);
  paintTable(v);
  Object.assign(v.root.dataset, { norm: norm.key, action: state.action, item: String(state.item), channel: String(state.channel) });
}

/** @param {View} v */
function paintBars({ header, state, els, scene, arrays }) {
  els.normsBar.repaint();
  els.actionsBar.repaint();
  const tokens = header.kind === "tokens";
  const hidden = header.channels - scene.layout.shown;
  els.printed.checked = state.printed;
  els.slide.parentElement.hidden = tokens && hidden <= 0;
  Object.assign(els.slide, tokens ? { min: 0, max: Math.max(0, hidden), value: scene.layout.first } : { min: 1, max: MOST_PICTURES, value: state.count });
  els.slideText.textContent = tokens ? _("channels {first} to {last} of {all}",
    { first: scene.layout.first, last: scene.layout.first + scene.layout.shown - 1, all: header.channels }) : _("{count} in the batch", { count: state.count });
  els.seen.parentElement.hidden = !scene.norm.running;
  Object.assign(els.seen, { min: 0, max: arrays.means.length / header.channels, value: state.seen });
  els.seenText.textContent = ngettext("running statistics of {n} other batch", "running statistics of {n} other batches", state.seen);
  els.die.hidden = tokens;
}

/** @param {View} v */
function paintSaid(v) {
  const { header, layout, norm, before, after, cursor, alive } = v.scene;
  const at = (cursor.item * header.channels + cursor.channel) * layout.inner + (layout.inner > 1 ? middleOf(layout.side) : 0);
  const items = alive.reduce((sum, there) => sum + there, 0);
  const group = { item: cursor.item, channel: cursor.channel, instance: cursor.item * header.channels + cursor.channel,
    group: cursor.item * 2 + Math.floor((cursor.channel * 2) / header.channels) }[norm.sharing];
  const cell = { ...cursor, items, before: before.x[at], mean: before.moments.mean[group], variance: before.moments.variance[group] };
  const spread = after.moments.variance.map(Math.sqrt).filter((value) => value > 0);
  const slip = v.state.printed ? _("With √(σ + ε), the spread after is {least} to {most}: √σ in place of 1.",
    { least: digits(Math.min(...spread), 3), most: digits(Math.max(...spread), 3) }) : "";
  const where = layout.inner > 1 ? _("Its middle pixel:") : "";
  v.els.said.textContent = [actionSentence(v.scene.header, v.state, v.cells.unit), where, cellSentence(v.scene.header, norm, cell, settingsOf(v)), slip].filter(
    Boolean).join(" ");
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
  const asked = JSON.stringify([v.content, shown, header.lang]);
  if (asked === v.asked) return; // what scrolls the channels changes none of it
  v.asked = asked;
  const norms = NORMS[header.kind];
  const settings = settingsOf(v);
  const head = make("tr", {}, make("th", { textContent: _("input changed") }), ...norms.map((norm) => make("th", { textContent: norm.name })));
  const rows = actionsOf(header).slice(1).map(([key, name]) => {
    const changes = norms.map((norm) => {
      const found = changeOf(v.cells, norm, { key, item: state.item, channel: state.channel }, settings, header.plus);
      return make("td", { textContent: changeWord(found),
        className: `${found < UNCHANGED ? "same" : ""} ${norm.key === state.norm && key === state.action ? "here" : ""}` });
    });
    const row = make("tr", { tabIndex: 0, onclick: () => go(v, { action: key }) }, make("td", { textContent: name }), ...changes);
    row.dataset.testid = `row-${key}`;
    row.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      go(v, { action: key });
      /** @type {HTMLElement | null} */ (v.els.table.querySelector(`[data-testid="row-${key}"]`))?.focus();
    });
    return row;
  });
  v.els.table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

/**
 * The buttons depend on the batch: they are made when it comes.
 * @param {View} v
 */
function fill(v) {
  const norms = segments(() => NORMS[v.header.kind].map(({ key, name }) => [key, name]), () => v.state.norm, (norm) => go(v, { norm }), _("Norm"));
  const actions = segments(() => actionsOf(v.header), () => v.state.action, (action) => go(v, { action }), _("Input"));
  v.els.norms.replaceChildren(norms.root);
  v.els.actions.replaceChildren(actions.root);
  Object.assign(v.els, { normsBar: norms, actionsBar: actions });
}

export default live({ id: "norms", build, paint, fit: (v, before) => v.header !== before && fill(v) });
