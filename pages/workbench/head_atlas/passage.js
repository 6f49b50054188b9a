// @ts-check
// A head's tokens, its strongest passages, and one of them with the weights of the framed word.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { named, visible } from "#canvas/text.js";

/** @typedef {import("./strips.js").HeadData} HeadData */
/** @typedef {import("#canvas/live.js").View<import("./strips.js").HeadHeader, HeadData["arrays"], { top: number, pin: number | null }>} HeadView */

const FULL = 65535; // a weight of 1

/** The token whose row is shown. @param {HeadView} v */
export function pinOf({ header, place }) {
  return Math.min(place.pin ?? header.passage?.row ?? 0, (header.passage?.tokens.length ?? 1) - 1);
}

/**
 * The weights of one row.
 * @param {HeadView} v
 * @param {number} row
 */
function rowOf({ header, arrays }, row) {
  const count = header.passage?.tokens.length ?? 0;
  return Array.from(arrays.weights.subarray(row * count, (row + 1) * count), (weight) => weight / FULL);
}

/** Where the pinned token looks. @param {HeadView} v */
export function passageSentence(v) {
  const tokens = v.header.passage?.tokens ?? [];
  const row = rowOf(v, pinOf(v));
  const best = row.map((_weight, i) => i).sort((a, b) => row[b] - row[a]).slice(0, 3).filter((i) => row[i] >= 0.005);
  return _("{token} looks at {keys}.", { token: named(tokens, pinOf(v)),
    keys: best.map((i) => `${named(tokens, i)} (${(100 * row[i]).toFixed(0)}%)`).join(", ") });
}

/** @param {HeadView} v */
export function fillTokens(v) {
  const most = Math.max(1e-9, ...Object.values(v.header.tokens).flat().map(([, share]) => share));
  const part = (/** @type {"query" | "key"} */ role, /** @type {string} */ title) =>
    make("div", {}, make("h4", { textContent: title }), ...v.header.tokens[role].map(([token, share]) => {
    const bar = make("i", { style: `width: ${(100 * share) / most}%` });
    return make("div", { className: "share" }, make("span", { className: "name", textContent: visible(token) }), make("span", { className: "track" }, bar),
      make("span", { className: "value", textContent: `${(100 * share).toFixed(1)}%` }));
  }));
  v.els.tokens.replaceChildren(part("query", _("Looks from")), part("key", _("Looks at")));
}

/**
 * @param {HeadView} v
 * @param {(top: number) => void} choose
 */
export function fillList(v, choose) {
  v.els.list.replaceChildren(...v.header.tops.map(([value, text], i) => {
    const button = make("button", { type: "button", className: "top", testid: `atlas-top-${i}`, onclick: () => choose(i) }, make("b", { textContent: value }),
      ` ${text}`);
    button.setAttribute("aria-pressed", String(i === v.header.shown));
    return button;
  }));
}

/** @param {HeadView} v */
export function fillText(v) {
  const { passage } = v.header;
  v.els.where.textContent = passage ? passage.where : _("No passage has this statistic.");
  v.els.text.replaceChildren(...(passage?.tokens ?? []).map((token, i) => {
    const lines = token.replace(/[^\n]/g, "").length;
    const span = make("span", { className: "word", textContent: i === 0 && passage?.link ? visible(token) : lines ? `⏎${"\n".repeat(lines)}` : token });
    span.dataset.index = String(i);
    return span;
  }));
}

/** Shade every token by the weight that the framed one gives it. @param {HeadView} v */
export function shadeText(v) {
  const link = v.header.passage?.link;
  v.els.open.hidden = !link;
  if (!link) return;
  const pin = pinOf(v);
  const row = rowOf(v, pin);
  const most = Math.max(...row, 1e-9);
  Array.from(v.els.text.children).forEach((child, i) => {
    const span = /** @type {HTMLElement} */ (child);
    span.style.setProperty("--weight", `${Math.round(80 * Math.sqrt(row[i] / most))}%`);
    span.title = i > pin ? "" : `${(100 * row[i]).toFixed(1)}%`;
    span.classList.toggle("pinned", i === pin);
    span.classList.toggle("later", i > pin);
  });
  v.els.open.href = `${link}&query=${pin}&key=${row.indexOf(Math.max(...row))}`;
}

/** @param {HeadView} v */
export function scrollToPin(v) {
  const span = /** @type {HTMLElement | undefined} */ (v.els.text.children[pinOf(v)]);
  if (span) v.els.text.scrollTop = span.offsetTop - v.els.text.offsetTop - v.els.text.clientHeight / 2;
}
