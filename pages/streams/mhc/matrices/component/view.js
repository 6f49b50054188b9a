// @ts-check
// The mixing matrices: their state, their DOM, and painting all panels.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { makeStrip } from "#canvas/strip.js";
import { digits } from "#canvas/text.js";
import { readTheme } from "#canvas/theme.js";
import { savedMatrices } from "./figure.js";
import { analyse, coloured, measure } from "./measures.js";
import { facts, fixed, sentence, tokenName } from "./numbers.js";
import { TITLE, drawCourse, drawMaps, drawMatrix, drawPlane, drawSpread } from "./panels.js";
import { wire } from "./pointer.js";
import { LIGHTEST, drawWirings, refusal, wiringsHeight } from "./wirings.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").View} View */

/** @typedef {import("./types").PanelName} PanelName */
/** @typedef {import("./types").Draw} Draw */

const NARROW = 700;
const DELAY = 400; // milliseconds without an action until the state is sent
/** @type {PanelName[]} */
const PANELS = ["maps", "matrix", "plane", "spread", "course", "wirings"];
export const HEIGHTS = { maps: 452, matrix: 232, plane: 204, spread: 116, course: 116 }; // pixels
/** @type {Record<PanelName, Draw>} */
export const DRAW = { maps: drawMaps, matrix: drawMatrix, plane: drawPlane, spread: drawSpread, course: drawCourse, wirings: drawWirings };

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.els.strip.end();
  for (const [type, listener] of Object.entries(v.outside)) document.removeEventListener(type, listener, true);
}

// --- data in, state out --------------------------------------------------------------------------

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  let fresh = false;
  if (!equal(bytes, v.bytes)) {
    v.bytes = new Uint8Array(bytes);
    const { header, arrays } = decode(bytes);
    Object.assign(v, { header, arrays, P: header.names.length, T: header.tokens.length, N: header.streams });
    const { seq, ...state } = header.state;
    if (seq >= v.seq) Object.assign(v, { state, seq });
    const inside = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(value, count - 1));
    v.state = {
      ...v.state, token: inside(v.state.token, v.T), sublayer: inside(v.state.sublayer, v.P),
      row: inside(v.state.row, v.N), col: inside(v.state.col, v.N),
    };
    measure(v);
    v.els.strip.fill(header.tokens);
    fresh = true;
  }
  repaint(v);
  if (fresh) announcePicture(1); // what is below comes with every later one
}

/**
 * Whether the bytes are those that came last: so they are when the server answers the browser.
 * @param {ArrayLike<number>} bytes
 * @param {Uint8Array | undefined} last
 */
function equal(bytes, last) {
  return bytes.length === last?.length && last.every((byte, i) => byte === bytes[i]);
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
  if (!v.dragging) v.sendSoon();
}

/**
 * Send the state if the user has changed it.
 * @param {View} v
 */
export function send(v) {
  v.sendSoon.cancel();
  if (!v.unsent) return;
  v.unsent = false;
  v.els.sentence.textContent = sentence(v);
  v.component.setStateValue("place", { ...v.state, seq: v.seq });
}

// --- painting ------------------------------------------------------------------------------------

/** @param {View} v */
function repaint(v) {
  const start = performance.now();
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.result = analyse(v);
  v.root.classList.toggle("stacked", v.root.clientWidth < NARROW);
  syncControls(v);
  for (const name of PANELS) paintPanel(v, name);
  Object.assign(v.root.dataset, {
    place: `${v.state.sublayer}.${v.state.token}`, plans: JSON.stringify(v.plans), paintMs: (performance.now() - start).toFixed(1),
    firstAt: v.root.dataset.firstAt ?? performance.now().toFixed(1),
    found: JSON.stringify({ roots: v.result.roots, singular: v.result.singular, terms: v.result.parts?.terms ?? null }),
  });
}

/**
 * @param {View} v
 * @param {PanelName} name
 */
function paintPanel(v, name) {
  const canvas = v.els[name];
  const width = canvas.parentElement.clientWidth;
  if (!width) return;
  const height = panelHeight(v, name, width);
  DRAW[name](canvasPen(fit(canvas, width, height), v.theme), v, v.theme, { x: 0, y: 0, width, height });
  canvas.setAttribute("aria-label", LABELS[name](v));
}

/**
 * @param {View} v
 * @param {PanelName} name
 * @param {number} width
 */
function panelHeight(v, name, width) {
  if (name === "wirings") return wiringsHeight(v, width);
  if (!v.root.classList.contains("stacked")) return HEIGHTS[name];
  if (name !== "maps") return HEIGHTS[name] + (name === "matrix" ? 40 : 0);
  return TITLE + Math.ceil(v.P / (v.P > 20 ? 8 : 4)) * (v.P > 20 ? 66 : 100);
}

/**
 * Panels in words, for screen readers.
 * @type {Record<PanelName, (v: View) => string>}
 */
const LABELS = {
  maps: (v) => TEXTS.hResAll(v.P, tokenName(v), v.header.names[v.state.sublayer]),
  matrix: (v) => TEXTS.rowSumsColumn(sentence(v), v.state.colors, Array.from({ length: v.N }, (_, i) => Array.from(coloured(v, v.result.matrix)).slice(i * v.N, (i + 1) * v.N).map((x) => digits(x, 3)).join(" ")).join("; "), Array.from(v.result.rows, (x) => fixed(x)).join(" "), Array.from(v.result.columns, (x) => fixed(x)).join(" ")),
  plane: (v) => TEXTS.eigenvaluesComplexPlane(v.result.roots.map(([a, b]) => `${fixed(a, 3)}${b ? ` ${b < 0 ? "−" : "+"} ${fixed(Math.abs(b), 3)}i` : ""}`).join(", ")),
  spread: (v) => TEXTS.standardDeviationOver(digits(Math.max(...v.result.spread), 2)),
  course: (v) => TEXTS.entryAlongTokens(v.state.row, v.state.col, v.header.names[v.state.sublayer], v.T),
  wirings: (v) => (v.result.parts ? TEXTS.hResWeighted(v.result.parts.terms.filter((term) => term.weight >= LIGHTEST).map((term) => digits(term.weight, 3)).join(", ")) : `H_res as a wiring. ${refusal(v)}`),
};

/** @param {View} v */
function syncControls(v) {
  const { els, state, header } = v;
  Object.assign(els.token, { max: v.T - 1, value: state.token });
  Object.assign(els.sublayer, { max: v.P - 1, value: state.sublayer });
  els.token.setAttribute("aria-valuetext", tokenName(v));
  els.sublayer.setAttribute("aria-valuetext", header.names[state.sublayer]);
  els.tokenName.textContent = `${state.token} of ${v.T - 1}`;
  els.sublayerName.textContent = header.names[state.sublayer];
  for (const [name, button] of Object.entries(els.colors)) button.setAttribute("aria-pressed", String(name === state.colors));
  els.facts.replaceChildren(...facts(v).flatMap(([textContent, value, title]) => [make("dt", { textContent, title }), make("dd", { textContent: value, title })]));
  els.strip.mark(state.token);
}

// --- the DOM, built once -------------------------------------------------------------------------

/**
 * @param {View} v
 * @param {"token" | "sublayer"} key
 * @param {string} name
 */
function slider(v, key, name) {
  const input = make("input", { type: "range", min: 0, step: 1, "aria-label": name, testid: `slider-${key}` });
  input.addEventListener("pointerdown", () => (v.dragging = true));
  input.addEventListener("input", () => act(v, { [key]: Number(input.value) }));
  return input;
}

/** @param {PanelName} name */
function panel(name) {
  const focusable = name !== "plane" && name !== "wirings";
  return make("canvas", { testid: name, role: "img", tabIndex: focusable ? 0 : -1 });
}

/** @param {View} v */
function makeElements(v) {
  const difference = TEXTS.coloursShowWhat;
  return {
    token: slider(v, "token", "Token"),
    sublayer: slider(v, "sublayer", "Sublayer"),
    tokenName: make("output"),
    sublayerName: make("output"),
    colors: {
      value: makeButton("H", TEXTS.coloursShowEntries, () => act(v, { colors: "value" })),
      change: makeButton("H − I", difference, () => act(v, { colors: "change" })),
    },
    strip: makeStrip((token) => act(v, { token })),
    maps: panel("maps"),
    matrix: panel("matrix"),
    plane: panel("plane"),
    spread: panel("spread"),
    course: panel("course"),
    wirings: panel("wirings"),
    facts: make("dl"),
    sentence: make("p", { className: "said", "aria-live": "polite" }),
    tip: make("div", { className: "tip", role: "tooltip", hidden: true }),
  };
}

/** @param {View} v */
function assemble(v) {
  const { els } = v;
  const framed = (/** @type {PanelName} */ name) => make("div", { className: `panel ${name}` }, els[name]);
  const saves = [pictureButton(v, "this figure", () => savedMatrices(v))];
  return make("div", { className: "matrices", testid: "matrices" },
    make("div", { className: "bar" },
      make("label", { className: "slider wide" }, "Token", els.token, els.tokenName),
      make("label", { className: "slider" }, "Sublayer", els.sublayer, els.sublayerName),
      make("div", { className: "segments", role: "group", "aria-label": "Colours" }, ...Object.values(els.colors)),
      make("div", { className: "saves" }, ...saves)),
    els.strip.root,
    make("div", { className: "body" }, framed("maps"),
      make("div", { className: "detail" },
        make("div", { className: "row first" }, framed("matrix"), framed("plane"), els.facts),
        make("div", { className: "row second" }, framed("spread"), framed("course")),
        framed("wirings"))),
    els.sentence, els.tip);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, plans: {}, dragging: false, unsent: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  v.root = assemble(v);
  host.append(v.root);
  wire(v);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

export default mounted({ create, receive, leave });
