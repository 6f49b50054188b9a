// @ts-check
// A head's tokens, its strongest passages, and one of them with the weights of the framed word.

import { make } from "#canvas/dom.js";
import { named, visible } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").HeadView} HeadView */
/** @typedef {import("./types").HeadData} HeadData */

const FULL = 65535; // a weight of 1

/**
 * The weights of one row.
 * @param {HeadData} data
 * @param {number} row
 */
export function rowOf({ header, arrays }, row) {
  const count = header.passage.tokens.length;
  return Array.from(arrays.weights.subarray(row * count, (row + 1) * count), (weight) => weight / FULL);
}

/**
 * The explorer with this text, this head and this word.
 * @param {HeadData} data
 * @param {number} pin
 */
export function explorerLink(data, pin) {
  const row = rowOf(data, pin);
  return `${data.header.passage.link}&query=${pin}&key=${row.indexOf(Math.max(...row))}`;
}

/**
 * @param {HeadData} data
 * @param {number} pin
 */
export function passageSentence(data, pin) {
  const { tokens } = data.header.passage;
  const row = rowOf(data, pin);
  const best = row.map((_, i) => i).sort((a, b) => row[b] - row[a]).slice(0, 3).filter((i) => row[i] >= 0.005);
  return `${named(tokens, pin)} looks at ${best.map((i) => `${named(tokens, i)} (${(100 * row[i]).toFixed(0)} %)`).join(", ")}.`;
}

/** @param {HeadView} v */
export function fillTokens(v) {
  const most = Math.max(1e-9, ...Object.values(v.header.tokens).flat().map(([, share]) => share));
  const part = (/** @type {"query" | "key"} */ role, /** @type {string} */ title) => make("div", {}, make("h4", { textContent: title }), ...v.header.tokens[role].map(([token, share]) => {
    const bar = make("i", { style: `width: ${(100 * share) / most}%` });
    return make("div", { className: "share" }, make("span", { className: "name", textContent: visible(token) }), make("span", { className: "track" }, bar), make("span", { className: "value", textContent: `${(100 * share).toFixed(1)} %` }));
  }));
  v.els.tokens.replaceChildren(part("query", "Looks from"), part("key", "Looks at"));
}

/**
 * @param {HeadView} v
 * @param {(top: number) => void} choose
 */
export function fillList(v, choose) {
  v.els.list.replaceChildren(...v.header.tops.map(([value, text], i) => {
    const button = make("button", { type: "button", className: "top", testid: `atlas-top-${i}`, onclick: () => choose(i) }, make("b", { textContent: value }), ` ${text}`);
    button.setAttribute("aria-pressed", String(i === v.header.top));
    return button;
  }));
}

/** @param {HeadView} v */
export function fillText(v) {
  const { passage } = v.header;
  v.els.where.textContent = passage ? passage.where : TEXTS.noPassageHas;
  v.els.text.replaceChildren(...(passage?.tokens ?? []).map((token, i) => {
    const lines = token.replace(/[^\n]/g, "").length;
    const span = make("span", { className: "word", textContent: i === 0 && v.header.passage.link ? visible(token) : lines ? `⏎${"\n".repeat(lines)}` : token });
    span.dataset.index = String(i);
    return span;
  }));
}

/**
 * Shade every word by the weight that the framed one gives it.
 * @param {HeadView} v
 */
export function shadeText(v) {
  const { passage } = v.header;
  const read = Boolean(passage?.link);
  v.els.open.hidden = !read;
  if (!read) return;
  const row = rowOf(v, v.pin);
  const most = Math.max(...row, 1e-9);
  Array.from(v.els.text.children).forEach((child, i) => {
    const span = /** @type {HTMLElement} */ (child);
    span.style.setProperty("--weight", `${Math.round(80 * Math.sqrt(row[i] / most))}%`);
    span.title = i > v.pin ? "" : `${(100 * row[i]).toFixed(1)} %`;
    span.classList.toggle("pinned", i === v.pin);
    span.classList.toggle("later", i > v.pin);
  });
  v.els.open.href = explorerLink(v, v.pin);
}

/** @param {HeadView} v */
export function scrollToPin(v) {
  const span = /** @type {HTMLElement | undefined} */ (v.els.text.children[v.pin]);
  if (span) v.els.text.scrollTop = span.offsetTop - v.els.text.offsetTop - v.els.text.clientHeight / 2;
}
