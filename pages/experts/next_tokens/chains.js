// @ts-check
// The chain of predictions from one position of a text: the model, then module after module.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./view.js").Header} Header */
/** @typedef {import("./view.js").Stage} Stage */

/**
 * A percentage that never says 100 or 0 of what is not.
 * @param {number} p
 */
export function percent(p) {
  return p > 0.995 && p < 1 ? ">99%" : p < 0.005 ? "<1%" : `${(100 * p).toFixed(0)}%`;
}

/**
 * A token in the midst of other words: without its space, and line breaks and lone spaces as signs.
 * @param {string} word
 */
export function spoken(word) {
  return word.trim() || word.replaceAll("\n", "⏎").replaceAll(" ", "␣");
}

/** @param {boolean | null} right */
function verdict(right) {
  return right === null ? "" : right ? "right" : "wrong";
}

/**
 * @param {Header} header
 * @param {number} place from 0
 */
export function drawChain({ tokens, chains, parallel }, place) {
  const chain = chains[place];
  const text = make("p", { className: "text", tabIndex: 0, role: "application", "aria-label": _("The text; arrow keys walk from token to token"),
    testid: "ahead-text" },
    ...tokens.map((token, at) => {
      const stage = at > place ? chain[at - place - 1] : undefined;
      const mark = at === place ? " chosen" : stage ? (stage.right ? " hit" : " miss") : "";
      const span = make("span", { className: `piece${mark}`, textContent: token,
        title: stage ? _("predicted “{word}”", { word: spoken(stage.top[0][0]) }) : "" });
      span.dataset.place = String(at + 1);
      return span;
    }));
  return [text, depths(chains, parallel, place), boxesOf(chains[place], parallel)];
}

/**
 * Of every position and depth whether the prediction is right.
 * @param {Stage[][]} chains
 * @param {boolean} parallel
 * @param {number} place
 */
function depths(chains, parallel, place) {
  const rows = chains[0].map((_stage, depth) => [
    make("span", {}, depth ? further(parallel, depth) : _("t + 1, model")),
    make("div", { className: "cells" }, ...chains.map((chain, at) => {
      const stage = chain[depth];
      const cell = make("i", { className: `${stage ? verdict(stage.right) : ""}${at === place ? " here" : ""}`,
        title: stage ? `“${spoken(stage.top[0][0])}” ${percent(stage.top[0][1])}` : "" });
      cell.dataset.place = String(at + 1);
      return cell;
    })),
  ]);
  return make("div", { className: "depths", testid: "ahead-strip" }, ...rows.flat());
}

/** @param {boolean} parallel @param {number} depth */
function further(parallel, depth) {
  const at = { ahead: depth + 1, depth };
  return parallel ? _("t + {ahead}, head {depth}", at) : _("t + {ahead}, module {depth}", at);
}

/** @param {boolean} parallel @param {number} depth */
function predicts(parallel, depth) {
  const at = { ahead: depth + 1, depth };
  if (!depth) return _("The model predicts t + 1");
  return parallel ? _("Head {depth} predicts t + {ahead}", at) : _("Module {depth} predicts t + {ahead}", at);
}

/**
 * @param {Stage[]} chain
 * @param {boolean} parallel
 */
function boxesOf(chain, parallel) {
  const boxes = chain.flatMap((stage, depth) => {
    const told = depth > 0 && !parallel;
    const box = make("div", { className: `stage ${verdict(stage.right)}` },
      make("h4", {}, predicts(parallel, depth)),
      make("p", {}, told ? _("reads the state from the left and the embedding of") : _("has read the text up to"), " ",
        make("b", {}, `“${spoken(stage.reads)}”`)),
      ...stage.top.map(offer));
    return told ? [make("div", { className: "arrow", "aria-hidden": "true" }, "h\n→"), box] : [box];
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
  return make("div", { className: "offer", title: `“${spoken(word)}”: ${p.toFixed(4)}` }, make("span", {}, spoken(word)),
    make("div", { className: "track" }, bar), make("output", {}, percent(p)));
}
