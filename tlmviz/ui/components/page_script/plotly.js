// @ts-check
// Plotly on a page: who gets a finger, a slider that is never let go, a promise that nobody awaits.

import { power } from "#canvas/text.js";

/**
 * A finger on a chart scrolls the page. Plotly would zoom with it; it still sees the taps, as a mouse's clicks.
 * Sliders and buttons keep their fingers: they are not in the layer in which a chart is dragged.
 * @param {TouchEvent} event
 */
export function leaveToThePage(event) {
  const { target } = event;
  if (target instanceof Element && target.closest(".js-plotly-plot .draglayer")) event.stopPropagation();
}

/**
 * Plotly takes its mark of a held slider along into the next drawing: a mouse let go while a frame is on its way leaves the
 * slider held for ever, standing still while its figure plays on. So every release clears the mark, wherever it is.
 */
export function releaseSliders() {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    for (const slider of /** @type {any} */ (plot)._fullLayout?.sliders ?? []) slider._dragging = false;
  }
}

/**
 * Plotly rejects a promise of its own, without a reason, when a running animation is interrupted: paused, moved by its slider
 * or left with its page. Nobody can await it, and nothing went wrong.
 * @param {PromiseRejectionEvent} event
 */
export function quieten(event) {
  if (event.reason === undefined) event.preventDefault();
}

/**
 * Plotly's number formats write a hyphen for a minus in what it shows on hover and in the cells of maps; its axes do not.
 * @param {MutationRecord[]} changes
 */
export function writeMinus(changes) {
  for (const { target } of changes) {
    if (!(target instanceof SVGElement) || !target.closest(".hoverlayer, .heatmap-label")) continue;
    const texts = document.createTreeWalker(target, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const written = withMinus(node.nodeValue ?? "");
      if (written !== node.nodeValue) node.nodeValue = written;
    }
  }
}

/**
 * A text with a minus sign before each negative number, and powers of ten, as `figures.minus` in Python.
 * @param {string} text
 */
export function withMinus(text) {
  const raised = text.replace(/(?<=\d)e([-+]?\d+)\b/g, (_, exponent) => `·${power(Number(exponent))}`);
  return raised.replace(/(?<![\p{L}\p{N}_.\-/])-(?=[\d.∞])/gu, "−");
}
