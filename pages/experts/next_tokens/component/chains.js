// @ts-check
// The chain of predictions from one position of a text: the model, then module after module.

import { make } from "#canvas/dom.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Stage} Stage */

/**
 * A percentage that never says 100 or 0 of what is not.
 * @param {number} p
 */
export function percent(p) {
  return p > 0.995 && p < 1 ? "> 99 %" : p < 0.005 ? "< 1 %" : `${(100 * p).toFixed(0)} %`;
}

/**
 * A token in the midst of other words: without its space, and line breaks as a sign.
 * @param {string} word
 */
export function spoken(word) {
  return word.trim() || (word.includes("\n") ? "⏎" : "␣");
}

/** @param {boolean | null} right */
function verdict(right) {
  return right === null ? "" : right ? "right" : "wrong";
}

/**
 * @param {View} v
 * @param {number} place from 0
 */
export function drawChain(v, place) {
  const { tokens, chains } = v.header;
  const chain = chains[place];
  const text = make("p", { className: "text", tabIndex: 0, role: "application", "aria-label": TEXTS.textArrowKeys, testid: "ahead-text" },
    ...tokens.map((token, at) => {
      const stage = at > place ? chain[at - place - 1] : undefined;
      const mark = at === place ? " chosen" : stage ? (stage.right ? " hit" : " miss") : "";
      const span = make("span", { className: `token${mark}`, textContent: token, title: stage ? `predicted “${spoken(stage.word)}”` : "" });
      span.dataset.place = String(at + 1);
      return span;
    }));
  return [text, strip(v, place), stages(v, place)];
}

/**
 * Of every position and depth whether the prediction is right.
 * @param {View} v
 * @param {number} place
 */
function strip(v, place) {
  const { chains } = v.header;
  const rows = chains[0].map((_, depth) => [
    make("span", {}, depth ? `t + ${depth + 1}, module ${depth}` : "t + 1, model"),
    make("div", { className: "cells" }, ...chains.map((chain, at) => {
      const stage = chain[depth];
      const cell = make("i", { className: `${stage ? verdict(stage.right) : ""}${at === place ? " here" : ""}`, title: stage ? `“${spoken(stage.word)}” ${percent(stage.p)}` : "" });
      cell.dataset.place = String(at + 1);
      return cell;
    })),
  ]);
  return make("div", { className: "strip", testid: "ahead-strip" }, ...rows.flat());
}

/**
 * @param {View} v
 * @param {number} place
 */
function stages(v, place) {
  const chain = v.header.chains[place];
  const boxes = chain.flatMap((stage, depth) => {
    const box = make("div", { className: `stage ${verdict(stage.right)}` },
      make("h4", {}, depth ? `Module ${depth} predicts t + ${depth + 1}` : TEXTS.modelPredictsT),
      depth
        ? make("p", {}, TEXTS.readsStateLeft, make("b", {}, `“${spoken(stage.reads)}”`))
        : make("p", {}, TEXTS.hasReadText, make("b", {}, `“${spoken(stage.reads)}”`)),
      ...stage.top.map(offer));
    return depth ? [make("div", { className: "arrow", "aria-hidden": "true" }, "h\n→"), box] : [box];
  });
  return make("div", { className: "stages", testid: "ahead-stages" }, ...boxes);
}

/**
 * @param {[string, number]} entry
 * @param {number} rank
 */
function offer([word, p], rank) {
  const bar = make("i");
  bar.style.width = `${(100 * p).toFixed(1)}%`;
  if (rank) bar.style.opacity = "0.45";
  return make("div", { className: "offer", title: `“${spoken(word)}”: ${p.toFixed(4)}` }, make("span", {}, spoken(word)), make("div", { className: "track" }, bar), make("output", {}, percent(p)));
}
