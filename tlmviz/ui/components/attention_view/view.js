// @ts-check
// The attention view: its DOM, and painting all of it.

import { debounce, make, makeButton } from "#canvas/dom.js";
import { joinHover } from "#canvas/hovered.js";
import { mounted } from "#canvas/mount.js";
import { pictureButton } from "#canvas/picture.js";
import { short } from "#canvas/text.js";
import { readTheme } from "#canvas/theme.js";
import { lightSpans, paintArcs, wireArcs } from "./arcs.js";
import { fillCard, placeCard } from "./card.js";
import { saved } from "./figure.js";
import { STAGES } from "./head.js";
import { hintOf } from "./hint.js";
import { paintMap } from "./map.js";
import { paintMarks, shownQuery } from "./marks.js";
import { paintOverview } from "./overview.js";
import { wireOverview } from "./overview_pointer.js";
import { savedOverview } from "./overview_figure.js";
import { paintPicture, pictureElements, wirePicture } from "./picture.js";
import { wireMap } from "./pointer.js";
import { act, headKey, receive, remember, send, zoomTo } from "./state.js";
import { isMuted, toggleMute } from "./muting.js";
import { STATISTICS } from "./statistics.js";
import { tagCounts } from "./tags.js";
import { hideTooltip } from "./tooltip.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Statistic} Statistic */

export const STAGE_NAMES = { dot: "q·k", scaled: "scaled", masked: "masked", softmax: "softmax" };
const NARROW = 700;
const FEW = 64; // heads that are found without a search

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.hovered.end();
}

// --- painting ------------------------------------------------------------------------------------

/** @param {View} v */
export function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.root.style.setProperty("--height", `${v.header.height ?? 460}px`);
  v.root.classList.toggle("dark", v.theme.dark);
  v.stacked = v.root.clientWidth < NARROW;
  v.root.classList.toggle("stacked", v.stacked);
  syncControls(v);
  paintOverview(v);
  repaintDetail(v);
}

/** @param {View} v */
export function repaintDetail(v) {
  const { layer, head, mode } = v.state;
  const key = headKey(v, layer, head);
  v.exact = v.cache.get(key) ?? null;
  if (v.exact) {
    remember(v, key, v.exact);
    if (v.painted && v.painted !== v.exact) v.painted.release(); // one whole map in memory at a time
    v.painted = v.exact;
  }
  v.els.reset.hidden = !v.zoom || mode === "arcs";
  fillCard(v);
  if (mode === "arcs") paintArcs(v);
  else paintMap(v);
  placeCard(v);
  paintPicture(v, shownQuery(v));
  const paints = Number(v.els.marks.dataset.paints ?? 0) + 1;
  const { tokens } = v.header;
  /** @type {Record<string, any>} */
  const marks = {
    paints,
    paintedHead: `${layer}.${head}`,
    paintedText: `${tokens.join("").length}:${tokens.length}`,
    paintedKind: v.exact ? "exact" : "preview",
    paintedAt: performance.now().toFixed(1),
    firstAt: v.els.marks.dataset.firstAt ?? performance.now().toFixed(1),
  };
  if (v.mapPlan) {
    const { x, y, side, row, col, n } = v.mapPlan;
    marks.plan = JSON.stringify({ x, y, side, row, col, n });
  }
  Object.assign(v.els.marks.dataset, marks);
  Object.assign(v.root.dataset, marks);
}

/**
 * The menu of tags: each that a head of this model has on this text, with how many have it.
 * @param {View} v
 */
function syncTags({ els, header, state }) {
  const counts = tagCounts(header);
  const options = counts.map(({ tag, count }) => make("option", { value: tag.name, textContent: `${tag.label} (${count})`, title: tag.meaning }));
  els.having.replaceChildren(make("option", { value: "", textContent: _("every head") }), ...options);
  els.having.value = counts.some(({ tag }) => tag.name === state.find) ? state.find : "";
  els.having.parentElement.hidden = !counts.length;
}

/** @param {View} v */
function syncControls(v) {
  const { els, header, state } = v;
  const index = state.layer * header.heads + state.head;
  const arcs = state.mode === "arcs";
  const stage = v.exact?.stageOf(state.stage) ?? state.stage;
  const count = (/** @type {number} */ n, /** @type {string} */ word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  els.count.textContent = `${count(header.layers, "layer")} × ${count(header.heads, "head")}`;
  els.order.value = state.order;
  if (els.find.value !== state.find && document.activeElement !== els.find) els.find.value = state.find;
  els.find.hidden = header.layers * header.heads <= FEW && !state.find;
  syncTags(v);
  els.title.textContent = _("L{layer}H{head}", { layer: state.layer, head: state.head });
  const chip = (/** @type {Statistic} */ name) => {
    const value = header.stats?.[name]?.[index];
    const { label, unit } = STATISTICS[name];
    const number = make("b", { textContent: short(value) + (value == null ? "" : unit) });
    return make("span", { className: "chip", title: _("{statistic}, on average over the text's tokens", { statistic: _(label) }) }, `${name} `, number);
  };
  els.chips.replaceChildren(make("span", { title: _("On average over the text's tokens") }, _("means:")), chip("entropy"), chip("previous"), chip("induction"),
    chip("sink"));
  for (const [name, button] of Object.entries(els.modes)) button.setAttribute("aria-pressed", String(name === state.mode));
  for (const [name, button] of Object.entries(els.stages)) {
    button.setAttribute("aria-pressed", String(name === stage));
    button.disabled = (v.exact?.stageOf(/** @type {import("./types").Stage} */ (name)) ?? name) !== name;
  }
  els.log.setAttribute("aria-pressed", String(state.log));
  const muted = isMuted(v, state.layer, state.head);
  v.overlaying &&= arcs;
  els.overlayButton.hidden = !arcs;
  els.overlayButton.setAttribute("aria-pressed", String(v.overlaying));
  els.hint.textContent = hintOf(v);
  els.muteButton.hidden = !header.mutable;
  els.muteButton.setAttribute("aria-pressed", String(muted));
  els.muteButton.textContent = muted ? _("Unmute") : _("Mute");
  els.log.disabled = stage !== "softmax";
  els.stageGroup.hidden = els.log.hidden = arcs;
  els.figure.hidden = arcs;
  els.arcPane.hidden = !arcs;
  els.marks.setAttribute(
    "aria-label",
    _("Attention map of L{layer}H{head}: {tokensCount} tokens, stage {stagenames}. Arrow keys move the pinned cell, Escape unpins, Ctrl and the wheel zoom.",
      { layer: state.layer, head: state.head, tokensCount: header.tokens.length, stagenames: STAGE_NAMES[stage] }),
  );
}

// --- the DOM, built once -------------------------------------------------------------------------

/**
 * Buttons of which one is chosen: they set `key` of the state to their name.
 * @param {View} v
 * @param {"mode" | "stage"} key
 * @param {Record<string, string[]>} entries
 */
function makeChoices(v, key, entries) {
  return Object.fromEntries(Object.entries(entries).map(([name, [text, note]]) => [name, makeButton(text, note, () => act(v, { [key]: name }))]));
}

/**
 * @param {string} name
 * @param {HTMLButtonElement[]} buttons
 */
function makeGroup(name, buttons) {
  return make("div", { className: "segments", role: "group", "aria-label": name }, ...buttons);
}

function makeOrders() {
  const options = Object.entries(STATISTICS).map(([value, { label }]) => make("option", { value, textContent: _(label) }));
  return make("select", {}, make("option", { value: "position", textContent: _("Position") }), ...options);
}

/**
 * From now on, or no longer, a tap on a head draws it over the chosen one.
 * @param {View} v
 */
function startOverlay(v) {
  v.overlaying = !v.overlaying;
  syncControls(v);
}

/** @param {View} v */
function makeElements(v) {
  const notes = { dot: _("Products of queries and keys"), scaled: _("Times the scale, plus the bias"), masked: _("Later tokens hidden"),
    softmax: _("Probabilities: every row sums to 1") };
  const stages = Object.fromEntries(STAGES.map((name) => [name, [STAGE_NAMES[name], notes[name]]]));
  const choices = makeChoices(v, "stage", stages);
  return {
    order: makeOrders(),
    find: make("input", { type: "search", placeholder: _("Find heads: 5, 5.3, induction > 0.4"), "aria-label": _("Find heads"), maxLength: 40 }),
    having: make("select", { testid: "having", "aria-label": _("Heads with a tag") }),
    card: make("div", { className: "card", testid: "head-card" }),
    sentence: make("p", { className: "sentence" }),
    tags: make("ul", { className: "tags" }),
    count: make("span", { className: "count" }),
    overview: make("canvas", { testid: "overview", tabIndex: 0, role: "grid" }),
    scroller: make("div", { className: "scroller" }),
    hint: make("p", { className: "hint" }),
    title: make("h3", { "aria-live": "polite" }),
    chips: make("div", { className: "chips" }),
    modes: makeChoices(v, "mode", { map: [_("Map"), _("Every query against every key. Drag a square to zoom, or turn the wheel with Ctrl or after a click")],
      arcs: [_("Arcs"), _("The text, and what one token attends to")] }),
    stages: choices,
    stageGroup: makeGroup(_("Stage"), Object.values(choices)),
    log: makeButton("log", _("Logarithmic colours, 0.0001 to 1"), () => act(v, { log: !v.state.log })),
    overlayButton: makeButton(_("Overlay"), _("Heads that are tapped now are drawn over this one, as arcs (Shift-click does so at any time)"),
      () => startOverlay(v)),
    muteButton: makeButton(_("Mute"), _("The predictions without this head (Alt-click on its tile, or m in the overview)"),
      () => toggleMute(v, v.state.layer, v.state.head)),
    reset: makeButton(_("Reset zoom"), _("Show the whole map (double-click does too)"), () => zoomTo(v, null)),
    map: make("canvas", {}),
    marks: make("canvas", { testid: "detail", tabIndex: 0, role: "img" }),
    figure: make("div", { className: "figure" }),
    flow: make("div", { className: "flow", dir: "auto" }),
    arcs: make("canvas", { className: "curves", role: "img" }),
    legend: make("div", { className: "legend" }),
    text: make("div", { className: "text", testid: "arcs", tabIndex: 0, role: "application",
      "aria-label": _("The text; arrow keys pin the word before or after") }),
    arcPane: make("div", { className: "arcpane" }),
    ...pictureElements(),
    tooltip: make("div", { className: "tooltip", testid: "tooltip", role: "tooltip", hidden: true }),
  };
}

/** @param {View} v */
function assemble(v) {
  const { els } = v;
  const saves = [pictureButton(v, _("this figure"), () => saved(v), { main: true, follows: ["grey"] })];
  els.scroller.append(els.overview);
  els.figure.append(els.map, els.marks);
  els.text.append(make("div", { className: "inner" }, els.flow, els.arcs));
  els.arcPane.append(els.legend, els.text);
  els.card.append(els.sentence, els.tags);
  return make("div", { className: "view" },
    make("section", { className: "overview", "aria-label": _("All heads") },
      make("div", { className: "bar" }, els.count, make("label", {}, _("Order"), els.order)),
      make("div", { className: "bar seek" }, make("label", { className: "having" }, _("Show"), els.having), els.find,
        make("div", { className: "saves" }, pictureButton(v, _("the overview"), () => savedOverview(v), { follows: ["grey"] }))),
      els.scroller,
      els.hint, els.picture, els.pictured),
    make("section", { className: "detail", "aria-label": _("Chosen head") },
      make("div", { className: "bar" }, els.title, els.chips, make("div", { className: "saves" }, ...saves)),
      make("div", { className: "bar tools" }, makeGroup(_("View"), Object.values(els.modes)), els.stageGroup, els.log, els.overlayButton, els.muteButton,
        els.reset),
      els.figure,
      els.arcPane,
      els.card),
    els.tooltip);
}

/**
 * Repaint when a size has changed.
 * @param {View} v
 */
function observeSizes(v) {
  const { root, els } = v;
  let measured = "";
  const observer = new ResizeObserver(() => {
    const widths = [root, els.figure, els.scroller].map((element) => element.clientWidth).join();
    const size = `${widths},${els.figure.clientHeight},${v.stacked || els.scroller.clientHeight}`;
    if (size === measured || !v.header) return;
    measured = size;
    repaint(v);
  });
  for (const element of [root, els.figure, els.scroller]) observer.observe(element);
  return observer;
}

/**
 * Show which tokens are pointed at somewhere on the page.
 * @param {View} v
 * @param {number[]} indices
 */
function light(v, indices) {
  v.lit = indices;
  v.root.dataset.lit = indices.join();
  if (v.state.mode === "arcs") lightSpans(v);
  else if (!v.hover) paintMarks(v); // the view that is pointed at has its crosshair
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({
    overlaying: false, seq: 0, actedAt: -1000, cache: new Map(), atlas: document.createElement("canvas"),
    hoverTile: null, arcHover: null, hover: null, clicked: false, zoom: null, drag: null, mapPlan: null, exact: null, painted: null, lit: [], spans: [],
      patch: null,
  });
  v.sendSoon = debounce(() => send(v), 30);
  v.els = makeElements(v);
  v.hovered = joinHover({ tokens: () => v.header?.tokens ?? [], light: (indices) => light(v, indices) });
  v.root = assemble(v);
  host.append(v.root);
  wireOverview(v);
  wireMap(v);
  wireArcs(v);
  wirePicture(v, (query) => act(v, { query, key: null }));
  v.root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTooltip(v);
    v.hovered.point();
    if (v.state.query !== null) act(v, { query: null, key: null });
  });
  v.observer = observeSizes(v);
  return v;
}

/** What Streamlit, a notebook or a page of its own calls with each new payload. */
export const attention = mounted({ create, receive, leave });
