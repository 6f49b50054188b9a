// @ts-check
// Streams through the sublayers: state, DOM, layout and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { makeStrip } from "#canvas/strip.js";
import { readTheme } from "#canvas/theme.js";
import { drawClose } from "./close.js";
import { bandsOf, largestOf } from "./coefficients.js";
import { savedFlow } from "./figure.js";
import { shownMembers, slicesOf, sublayerSentence, tokenName } from "./numbers.js";
import { wire } from "./pointer.js";
import { drawRiver, planRiver } from "./rivers.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").View} View */

const NARROW = 640; // pixels below which the depth leads downwards
const DELAY = 400; // milliseconds without an action until the state is sent
const PACE = 650; // milliseconds a sublayer is shown for while playing
const CLOSE = 250; // pixels of an enlarged sublayer beside its streams
const GAP = 14;

// --- data in, state out --------------------------------------------------------------------------

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  let fresh = false;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    v.bytes = new Uint8Array(bytes);
    const { header, arrays } = decode(bytes);
    Object.assign(v, { header, arrays, P: header.names.length, T: header.tokens.length });
    const { seq, ...state } = header.state;
    if (seq >= v.seq) Object.assign(v, { state, seq });
    v.els.strip.fill(header.tokens);
    buildShows(v);
    fresh = true;
  }
  repaint(v);
  if (fresh) announcePicture(1); // what is below comes with every later one
}

/**
 * A user's action: show it at once and send it, debounced, or when a drag ends.
 * @param {View} v
 * @param {Partial<State>} change
 */
export function act(v, change) {
  v.state = { ...v.state, ...change };
  v.seq += 1;
  v.unsent = true;
  repaint(v);
  v.sendSoon.cancel();
  if (!v.dragging && !v.playing) v.sendSoon();
}

/**
 * Send the state if the user has changed it.
 * @param {View} v
 */
export function send(v) {
  v.sendSoon.cancel();
  if (!v.unsent) return;
  v.unsent = false;
  v.component.setStateValue("place", { ...v.state, seq: v.seq });
}

/**
 * Walk along the sublayers, or stop doing so.
 * @param {View} v
 * @param {boolean} on
 */
export function play(v, on) {
  clearInterval(v.playing);
  v.playing = 0;
  if (on) {
    const next = () => act(v, { sublayer: (v.state.sublayer + 1) % v.P });
    v.playing = setInterval(next, PACE);
    next();
  } else if (v.header) {
    repaint(v);
    send(v);
  }
}

// --- painting ------------------------------------------------------------------------------------

/** @param {View} v */
function repaint(v) {
  const start = performance.now();
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const inside = (/** @type {number} */ value, /** @type {number} */ first, /** @type {number} */ count) => Math.max(first, Math.min(value, first + count - 1));
  v.state = { ...v.state, token: inside(v.state.token, v.header.first, v.T), sublayer: inside(v.state.sublayer, 0, v.P) };
  const width = v.els.canvas.parentElement.clientWidth;
  if (!width) return;
  const parts = layOut(v, width);
  const pen = canvasPen(fit(v.els.canvas, width, parts.height), v.theme);
  paintParts(pen, v, v.theme, parts);
  v.plans = parts.plans;
  syncControls(v);
  Object.assign(v.root.dataset, {
    place: `${v.state.sublayer}.${v.state.token}`, shown: v.state.show, widths: v.state.widths,
    plans: JSON.stringify(v.plans), paintMs: (performance.now() - start).toFixed(1),
  });
}

/**
 * Where everything goes: on a wide screen rivers below each other with their sublayers beside them, else next to each other.
 * @param {View} v
 * @param {number} width
 */
export function layOut(v, width) {
  const members = shownMembers(v);
  const upright = width < NARROW;
  const plans = [];
  /** @type {Box[]} */
  const closes = [];
  let y = 0;
  if (upright) {
    const each = (width - GAP * (members.length - 1)) / members.length;
    const height = 60 + v.P * (v.P > 24 ? 22 : 32);
    members.forEach((member, k) => plans.push(planRiver(v, member, { x: k * (each + GAP), y: 0, width: each, height }, true)));
    y = height + GAP;
    for (const member of members) {
      const tall = member.streams === 1 ? 96 : 200;
      closes.push({ x: 0, y, width, height: tall });
      y += tall + GAP;
    }
  } else {
    for (const member of members) {
      const height = member.streams === 1 ? 92 : members.length === 1 ? 380 : 186;
      plans.push(planRiver(v, member, { x: 0, y, width: width - CLOSE - GAP, height }, false));
      closes.push({ x: width - CLOSE, y, width: CLOSE, height });
      y += height + GAP;
    }
  }
  return { members, plans, closes, height: y - GAP + 2 };
}

/**
 * Everything with one unit of width, so that models can be compared.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {ReturnType<typeof layOut>} parts
 */
export function paintParts(pen, v, theme, { members, plans, closes }) {
  const carried = v.state.widths === "carried";
  const largest = Math.max(...members.map((member) => largestOf(bandsOf(slicesOf(v, member), carried))));
  const unit = Math.min(0.45, 1.5 / largest); // a band may be half as wide again as its lane
  members.forEach((member, k) => {
    drawRiver(pen, v, theme, plans[k], member, member.streams === 1 ? unit * 0.5 : unit);
    drawClose(pen, v, theme, closes[k], member);
  });
}

/** @param {View} v */
function syncControls(v) {
  const { els, state } = v;
  const token = state.token - v.header.first;
  Object.assign(els.token, { max: v.T - 1, value: token });
  els.token.setAttribute("aria-valuetext", tokenName(v));
  els.tokenName.textContent = tokenName(v);
  els.strip.mark(token);
  for (const button of els.shows.children) button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.show === state.show));
  for (const [name, button] of Object.entries(els.widths)) button.setAttribute("aria-pressed", String(name === state.widths));
  els.play.textContent = v.playing ? "❚❚" : "▶";
  els.play.setAttribute("aria-label", v.playing ? "Stop" : TEXTS.walkThroughSublayers);
  els.canvas.setAttribute("aria-label", TEXTS.streamsThroughSublayers2(v.P, tokenName(v), shownMembers(v).map((member) => sublayerSentence(v, member, state.sublayer)).join(". ")));
}

// --- the DOM, built once -------------------------------------------------------------------------

/** @param {View} v */
function buildShows(v) {
  const options = [["all", "Side by side"], ...v.header.members.map(({ kind, title }) => [kind, title])];
  v.els.shows.replaceChildren(...options.map(([show, text]) => {
    const button = makeButton(text, show === "all" ? TEXTS.allModelsFamily : `${text} alone`, () => act(v, { show: /** @type {State["show"]} */ (show) }));
    button.dataset.show = show;
    return button;
  }));
}

/** @param {View} v */
function makeElements(v) {
  const token = make("input", { type: "range", min: 0, step: 1, "aria-label": "Token", testid: "slider-token" });
  token.addEventListener("pointerdown", () => (v.dragging = true));
  token.addEventListener("input", () => act(v, { token: v.header.first + Number(token.value) }));
  return {
    shows: make("div", { className: "segments", role: "group", "aria-label": "Models", testid: "shows" }),
    widths: {
      carried: makeButton("Carried", TEXTS.widthsWhatLeft2, () => act(v, { widths: "carried" })),
      step: makeButton("Each step", TEXTS.widthsEntriesH2, () => act(v, { widths: "step" })),
    },
    token,
    tokenName: make("output"),
    play: makeButton("▶", TEXTS.walkThroughSublayers, () => play(v, !v.playing)),
    strip: makeStrip((index) => act(v, { token: v.header.first + index }), () => v.header.first),
    canvas: make("canvas", { testid: "rivers", role: "img", tabIndex: 0 }),
    sentence: make("p", { className: "said", "aria-live": "polite" }),
    tip: make("div", { className: "tip", role: "tooltip", hidden: true }),
  };
}

/** @param {View} v */
function assemble(v) {
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => savedFlow(v))];
  return make("div", { className: "flow", testid: "flow" },
    make("div", { className: "bar" }, els.shows,
      make("div", { className: "segments", role: "group", "aria-label": "Widths" }, ...Object.values(els.widths)),
      els.play,
      make("label", { className: "slider wide" }, "Token", els.token, els.tokenName),
      make("div", { className: "saves" }, ...saves)),
    els.strip.root, make("div", { className: "panel" }, els.canvas), els.sentence, els.tip);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, plans: [], dragging: false, playing: 0, unsent: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  v.root = assemble(v);
  host.append(v.root);
  wire(v);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  clearInterval(v.playing);
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.els.strip.end();
  for (const [type, listener] of Object.entries(v.outside)) document.removeEventListener(type, listener, true);
}

export default mounted({ create, receive, leave });
