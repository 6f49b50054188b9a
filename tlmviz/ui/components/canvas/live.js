// @ts-check
// A live view: what the server sent, where the user is in it, painting, saving, and telling the server where it rests.
// A page's view.js says what it is built of and how it is painted; the behaviours are functions: `makeAxis` of axis.js (walked and
// played), `pointing` (at what lies below a pixel), `cells` (pointed at and chosen), `segments` (one of a few), `saving`; a strip of tokens is `strip.js`.

import { followTyping } from "#canvas/ahead.js";
import { pause } from "#canvas/axis.js";
import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { _, chooseLanguage } from "#canvas/language.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { savedFigure } from "#canvas/saving.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { fileWishes } from "#canvas/wishes.js";

/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {{ title: string, state: Record<string, any>, seq: number, content: number, picture: number, lang: string,
 * colors: import("#canvas/theme.js").Palette }} Sent what every header has */
/** @typedef {import("#canvas/saving.js").Swatch} Swatch */
/**
 * A view. `place` is where the user is: the fields of the page's state that the view holds. `hover` is what is pointed at, null
 * for nothing; `width` of the root in pixels; `els` elements by name.
 * @template {object} [Header=any]
 * @template {object} [Arrays=any]
 * @template {Record<string, any>} [Place=any]
 * @typedef {{ root: HTMLElement, component: any, header: Header & Sent, arrays: Arrays, place: Place, hover: any, theme: Theme, width: number, layout: any,
 *   els: Record<string, any>, seq: number, unsent: boolean, inHand: boolean, content?: number, frame: number, walked: number | null, walking?: string,
 *   sendSoon: (() => void) & { cancel: () => void },
 *   paint: () => void, pointAgain?: () => void, ends: (() => void)[], observer?: ResizeObserver, pictureMenu?: HTMLElement }} View
 */
/**
 * What makes a view; `V` is a View with what a page keeps on it.
 * @template {View} [V=any]
 * @typedef {object} Spec
 * @property {string} id the view's name: class of its root, and with "-root" its test id
 * @property {(v: V) => (Node | string)[]} build makes the parts of the root, once, before any data is there; it may put elements into `v.els`
 * @property {(v: V) => void} paint draws everything; called for new data, another place, pointer, width or theme
 * @property {(v: V, before: any) => void} [fit] new data came; `before` is the header until now: bring `v.place` into what there is
 */

const DELAY = 400; // milliseconds at rest until the server is told
const SAVED = 1100; // pixels that a saved figure is wide at most

/**
 * The default export of a live view.
 * @param {Spec} spec
 */
export function live(spec) {
  return followTyping(mounted({ create: (host) => createView(host, spec), receive: (v, bytes) => receiveSent(v, bytes, spec), leave: leaveView }));
}

/**
 * @param {HTMLElement} host
 * @param {Spec} spec
 */
function createView(host, spec) {
  const v = /** @type {View} */ ({ place: {}, seq: 0, hover: null, els: {}, unsent: false, inHand: false, frame: 0, walked: null, ends: [] });
  v.sendSoon = debounce(() => sendPlace(v), DELAY);
  v.paint = () => paintView(v, spec);
  v.root = make("div", { className: `live ${spec.id}`, testid: `${spec.id}-root` });
  host.append(v.root);
  watchHands(v);
  v.observer = watchWidth(v, v.paint, () => Boolean(v.header));
  return v;
}

/**
 * While a pointer holds something in a view, the server is told nothing: it is once that is let go. A press outside may lead
 * away, so it is told before.
 * @param {View} v
 */
function watchHands(v) {
  const listeners = {
    pointerdown: (/** @type {Event} */ event) => ((v.inHand = event.composedPath().includes(v.root)) ? undefined : sendPlace(v)),
    pointerup: () => letGo(v),
    pointercancel: () => letGo(v),
  };
  for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener, true);
  v.ends.push(() => Object.entries(listeners).forEach(([type, listener]) => document.removeEventListener(type, listener, true)));
}

/** @param {View} v */
function letGo(v) {
  v.inHand = false;
  if (v.unsent && !v.frame) v.sendSoon();
}

/** @param {View} v @param {Spec} spec */
function paintView(v, spec) {
  if (!v.header || !v.root.clientWidth) return;
  v.width = v.root.clientWidth;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  spec.paint(v);
}

/**
 * New data, or a place that the server chose. What the user did since the server was told is kept.
 * @param {View} v
 * @param {any} bytes
 * @param {Spec} spec
 */
function receiveSent(v, bytes, spec) {
  if (!bytes) return;
  const { header, arrays } = /** @type {{ header: any, arrays: any }} */ (decode(bytes));
  chooseLanguage(header.lang);
  const before = v.header;
  if (!before) v.root.append(...spec.build(v)); // not before its words have a language
  const fresh = header.content !== v.content;
  if (fresh) {
    pause(v);
    Object.assign(v, { header, arrays, content: header.content, hover: null });
  }
  if (!v.unsent && header.seq >= v.seq) v.place = { ...header.state };
  v.seq = Math.max(header.seq, v.seq);
  if (fresh || !v.unsent) {
    v.walked = v.frame ? v.walked : null;
    spec.fit?.(v, before);
  }
  v.paint();
  if (fresh) v.pointAgain?.();
  announcePicture(header.picture);
}

/** @param {View} v */
function leaveView(v) {
  pause(v);
  v.sendSoon.cancel();
  v.observer?.disconnect();
  for (const end of v.ends) end();
}

/** @param {View} v */
function sendPlace(v) {
  v.sendSoon.cancel();
  if (!v.unsent || v.frame || v.inHand) return;
  v.unsent = false;
  v.component.setStateValue("left", { ...v.place, seq: v.seq });
}

/**
 * The user goes to another place: it is painted now, and told once it rests.
 * @param {View} v
 * @param {Record<string, any>} change
 */
export function go(v, change) {
  Object.assign(v.place, change);
  Object.assign(v, { seq: v.seq + 1, unsent: true });
  v.paint();
  v.sendSoon();
}

/**
 * `go`, and tell the server at once.
 * @param {View} v
 * @param {Record<string, any>} change
 */
export function ask(v, change) {
  go(v, change);
  sendPlace(v);
}

// --- cells, and one of a few --------------------------------------------------------------------------

/**
 * Let what lies in a picture be pointed at: `under` gives what is below a pixel as `v.hover`, null for nothing. Something else may
 * come to lie below a pointer that rests: `v.pointAgain` looks.
 * @template Cell
 * @param {View} v
 * @param {HTMLElement} canvas
 * @param {(x: number, y: number) => Cell | null} under
 */
export function pointing(v, canvas, under) {
  const point = (/** @type {Cell | null} */ cell) => {
    if (JSON.stringify(cell) === JSON.stringify(v.hover)) return;
    v.hover = cell;
    v.paint();
  };
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    v.pointAgain = () => point(under(offsetX, offsetY));
    v.pointAgain();
  });
  canvas.addEventListener("pointerleave", () => {
    v.pointAgain = undefined;
    point(null);
  });
}

/**
 * Let the cells (nodes, points) of a picture be pointed at and chosen. `choose` is called for a click, and for each arrow key with
 * what `beside` gives that way of the one that is chosen, if anything.
 * @template Cell
 * @param {View} v
 * @param {HTMLElement} canvas
 * @param {{ under: (x: number, y: number) => Cell | null, choose: (cell: Cell) => void, beside: (dx: number, dy: number) => Cell | null }} parts
 */
export function cells(v, canvas, { under, choose, beside }) {
  const ways = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
  pointing(v, canvas, under);
  canvas.tabIndex = 0;
  canvas.addEventListener("click", ({ offsetX, offsetY }) => {
    const cell = under(offsetX, offsetY);
    if (cell !== null) choose(cell);
  });
  canvas.addEventListener("keydown", (event) => {
    const way = ways[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const cell = beside(...way);
    if (cell !== null) choose(cell);
  });
}

/**
 * Buttons of which one is pressed: [value, text, tooltip] each.
 * @param {() => [string, string, string?][]} options
 * @param {() => string} chosen
 * @param {(value: string) => void} choose
 * @param {string} label
 */
export function segments(options, chosen, choose, label) {
  const buttons = options().map(([value, text, title]) => {
    const button = makeButton(text, title ?? text, () => choose(value));
    button.dataset.value = value;
    return button;
  });
  const repaint = () => buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.value === chosen())));
  return { root: make("div", { className: "segments", role: "group", "aria-label": label }, ...buttons), repaint };
}

// --- painting and saving ------------------------------------------------------------------------------

/**
 * A pen for a canvas as wide as what holds it, of a height in pixels.
 * @param {View} v
 * @param {HTMLCanvasElement} canvas
 * @param {number} height
 */
export function penOf(v, canvas, height) {
  return canvasPen(fit(canvas, widthOf(canvas), height), v.theme);
}

/**
 * The width that a canvas can have, in pixels.
 * @param {HTMLElement} canvas
 */
export function widthOf(canvas) {
  return /** @type {HTMLElement} */ (canvas.parentElement).clientWidth;
}

/**
 * A legend; `repaint` fills it.
 * @param {View} v
 * @param {() => Swatch[]} entries
 */
export function makeLegend(v, entries) {
  const root = make("div", { className: "legend" });
  const repaint = () => root.replaceChildren(...entries().map(({ name, color }) => {
    const swatch = make("i");
    swatch.style.background = color;
    return make("span", {}, swatch, name);
  }));
  return { root, repaint };
}

/**
 * The menu *Save*. The file has the header's title, the legend, what is `said` of the picture,
 *   and what `draw` draws on paper: `height` gives its pixels for a width.
 * @param {View} v
 * @param {string | (() => string)} file its name without an ending; a function where it follows from the header
 * @param {{ height: (width: number) => number, draw: (pen: Pen, theme: Theme, width: number) => void, legend?: (theme: Theme) => Swatch[],
 *   title?: () => string, said?: () => string, width?: number, narrow?: boolean, main?: boolean }} parts
 * `narrow`: whether it can be laid out for a column, which one of a `width` of its own cannot; `main`: whether it stands for its page
 */
export function saving(v, file, { height, draw, legend = () => [], title = () => v.header.title, said = () => "", width: wide, narrow = !wide, main = false }) {
  const figure = () => {
    const theme = paperTheme(v.theme, v.header.colors);
    const width = Math.min(wide ?? SAVED, (narrow && fileWishes().width) || Infinity);
    return savedFigure(typeof file === "string" ? file : file(), { title: title(), said: said(), legend: legend(theme), theme, width, height, draw });
  };
  return make("div", { className: "saves" }, pictureButton(v, _("this figure"), figure, { main, follows: narrow ? ["grey", "width"] : ["grey"] }));
}
