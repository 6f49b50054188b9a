// @ts-check
// The names at a chart's points: at any width one that would lie on another is left to the pointer, as is one too small to be read.

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

const SHARED = 1; // pixels that two names may share
const SMALLEST = 7; // pixels of a letter's height

/**
 * Which of these boxes may be shown, the first of two that share pixels.
 * @param {Box[]} boxes
 * @returns {boolean[]}
 */
export function keptApart(boxes) {
  /** @type {Box[]} */
  const kept = [];
  return boxes.map((box) => {
    const free = kept.every((other) => Math.min(box.right, other.right) - Math.max(box.left, other.left) <= SHARED || Math.min(box.bottom, other.bottom)
      - Math.max(box.top, other.top) <= SHARED);
    if (free) kept.push(box);
    return free;
  });
}

/**
 * Hide what cannot be read. The last trace lies on top of the others, and its names come first.
 * @param {HTMLElement} plot
 */
export function thinLabels(plot) {
  for (const layer of plot.querySelectorAll(".scatterlayer")) {
    const names = [...layer.querySelectorAll(".trace")].reverse().flatMap((trace) => [...trace.querySelectorAll(".textpoint text")]);
    const seen = /** @type {SVGTextElement[]} */ (names.filter(({ textContent }) => textContent?.trim()));
    const boxes = seen.map((name) => inkBox(name.getBoundingClientRect()));
    keptApart(boxes).forEach((shown, i) => seen[i].style.setProperty("visibility", shown ? "" : "hidden"));
  }
  for (const name of /** @type {NodeListOf<SVGTextElement>} */ (plot.querySelectorAll(".slicetext"))) {
    const { a = 1, b = 0 } = name.getCTM() ?? {};
    name.style.setProperty("visibility", parseFloat(getComputedStyle(name).fontSize) * Math.hypot(a, b) < SMALLEST ? "hidden" : "");
  }
}

/** A line of text is higher than its letters. @param {DOMRect} box @returns {Box} */
function inkBox({ left, top, right, bottom }) {
  const air = 0.18 * (bottom - top);
  return { left, top: top + air, right, bottom: bottom - air };
}
