// @ts-check
// The latents: a pad to draw on, what is read, and every latent's map. State, DOM, and what is sent.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { makePad, readPixels, writtenPixels } from "#canvas/pad.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { drawMaps, focus, layOut, pointedSentence } from "./maps.js";
import { wireMaps, wirePad } from "./pointer.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Latent} Latent */

const PAD_SIZE = 200;
const SEND_DELAY = 250; // milliseconds without another choice until it is sent

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  if (header.seq >= v.seq || fresh) {
    if (fresh || !header.error) Object.assign(v, { reading: arrays.reading, mixing: arrays.mixing, shown: readPixels(header.pixels) });
    Object.assign(v, { header, seq: header.seq, waiting: false });
    if (fresh) Object.assign(v, { changed: false, drawn: false, head: header.head, pin: header.pin, muted: header.muted, pointed: { at: null, pixel: null } });
    if (!v.changed) v.pad.fill(readPixels(header.pixels));
    if (v.changed) send(v);
    fillHeads(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function send(v) {
  v.seq += 1;
  v.sendSoon.cancel();
  Object.assign(v, { waiting: true, changed: false });
  const pixels = v.drawn ? writtenPixels(v.pad.values) : null;
  v.component.setStateValue("latents", { pixels, head: v.head, pin: v.pin, muted: v.muted, origin: v.header.origin, seq: v.seq });
}

/**
 * The pad has new pixels: they are sent as soon as the last ones were answered.
 * @param {View} v
 */
function drew(v) {
  Object.assign(v, { changed: true, drawn: true });
  if (!v.waiting) send(v);
  paint(v);
}

/**
 * Another choice of what is shown.
 * @param {View} v
 * @param {Partial<Pick<View, "head" | "pin" | "muted">>} change
 */
export function choose(v, change) {
  Object.assign(v, change);
  paint(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {number} latent
 */
export function toggleMute(v, latent) {
  const muted = v.muted.includes(latent) ? v.muted.filter((each) => each !== latent) : [...v.muted, latent].sort((a, b) => a - b);
  choose(v, { muted });
}

/** @param {View} v */
function fillHeads(v) {
  const names = ["mean of heads", ...Array.from({ length: v.header.heads }, (_, i) => `head ${i}`)];
  if (v.els.head.options.length !== names.length) v.els.head.replaceChildren(...names.map((name, i) => make("option", { value: String(i) }, name)));
}

/** @param {View} v */
export function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  v.pad.paint(v.theme, PAD_SIZE);
  v.layout = layOut(els.right.clientWidth, header.layers, header.latents);
  drawMaps(canvasPen(fit(els.maps, v.layout.width, v.layout.height), v.theme), v, v.theme, v.layout);
  els.head.value = String(v.head);
  const chosen = focus(v)?.[1] ?? null;
  els.mute.disabled = chosen === null;
  els.mute.textContent = chosen === null ? "Mute a latent" : `${v.muted.includes(chosen) ? "Unmute" : "Mute"} latent ${chosen}`;
  els.unmute.hidden = v.muted.length === 0;
  els.erase.setAttribute("aria-pressed", String(v.pad.erasing));
  els.said.textContent = header.error || header.said;
  els.said.classList.toggle("error", Boolean(header.error));
  els.bars.replaceChildren(...header.probabilities.map((share, digit) => bar(v, digit, share)));
  els.spoken.textContent = pointedSentence(v) || TEXTS.pointMapPixel;
  els.maps.setAttribute("aria-label", TEXTS.mapsLatentsLayers(header.latents, header.layers, header.said));
  Object.assign(v.root.dataset, { pixels: writtenPixels(v.pad.values), muted: v.muted.join(), waiting: String(v.waiting || v.changed), boxes: JSON.stringify(v.layout), pinned: v.pin ? v.pin.join(".") : "" });
}

/**
 * @param {View} v
 * @param {number} digit
 * @param {number} share
 */
function bar(v, digit, share) {
  const fill = make("i");
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  const name = make("span", {}, String(digit));
  if (digit === v.header.truth) name.className = "truth";
  return make("div", { className: v.header.error ? "weight stale" : "weight" }, name, make("div", { className: "track" }, fill), make("output", {}, share.toFixed(3)));
}

/**
 * Save the maps, on white paper.
 * @param {View} v
 */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  return figureOf("tlmviz-latents", { width: v.layout.width, height: v.layout.height, theme }, (pen) => drawMaps(pen, { ...v, pointed: { at: null, pixel: null } }, theme, v.layout));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, head: 0, pin: null, muted: [], waiting: false, changed: false, drawn: false, pointed: { at: null, pixel: null } });
  v.sendSoon = debounce(() => send(v), SEND_DELAY);
  v.pad = makePad({ drawn: () => paint(v), finished: () => drew(v), testid: "latents-pad" });
  const head = make("select", { "aria-label": "Head", testid: "latents-head" });
  head.addEventListener("change", () => choose(v, { head: Number(head.value) }));
  v.els = {
    head,
    maps: make("canvas", { role: "application", tabIndex: 0, testid: "latents-maps", className: "maps" }),
    bars: make("div", { className: "bars", testid: "latents-bars" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "latents-said" }),
    spoken: make("p", { className: "spoken", testid: "latents-pointed" }),
    mute: makeButton("Mute a latent", TEXTS.takeChosenLatent, () => toggleMute(v, focus(v)[1])),
    unmute: makeButton("Unmute all", TEXTS.letAllLatents, () => choose(v, { muted: [] })),
    erase: makeButton("Erase", TEXTS.drawPaperPlace, () => {
      v.pad.erasing = !v.pad.erasing;
      paint(v);
    }),
    right: make("div", { className: "right" }),
  };
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  els.right.append(make("div", { className: "bar" }, els.head, els.mute, els.unmute, ...saves), els.maps, els.spoken);
  const left = make("div", { className: "left" },
    make("div", { className: "drawing" }, v.pad.root, make("div", { className: "bar" }, makeButton("Clear", TEXTS.emptyPadDraw, () => v.pad.clear()), els.erase)),
    make("div", { className: "answer" }, els.said, els.bars));
  v.root = make("div", { className: "latents", testid: "latents-root" }, left, els.right);
  host.append(v.root);
  wirePad(v);
  wireMaps(v);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.pad.end();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
