// @ts-check
// The tokens of a text in a strip that scrolls, one of them chosen.

import { make } from "#canvas/dom.js";
import { joinSpans } from "#canvas/hovered.js";
import { clip, visible } from "#canvas/text.js";
import { _ } from "#canvas/language.js";

/** @typedef {{ root: HTMLElement, fill: (tokens: string[]) => void, mark: (index: number) => void, end: () => void }} Strip */

/**
 * @param {(index: number) => void} choose called with the token that is clicked
 * @param {() => number} [first] the place of the strip's first token in its text
 * @returns {Strip}
 */
export function makeStrip(choose, first) {
  const root = make("div", { className: "strip", testid: "tokens", tabIndex: 0, role: "application",
    "aria-label": _("The text; arrow keys choose the word before or after") });
  /** @type {string | undefined} */
  let filled;
  /** @type {Element | undefined} */
  let chosen;
  /** @type {string[]} */
  let shown = [];
  const joined = joinSpans(root, () => shown, first);
  root.addEventListener("click", ({ target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) choose(Number(index));
  });
  root.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const next = Number(/** @type {HTMLElement | undefined} */ (chosen)?.dataset.index ?? 0) + (step ?? 0);
    if (!step || !shown[next]) return;
    event.preventDefault();
    choose(next);
  });
  return {
    root,
    end: joined.end,
    fill(tokens) {
      const text = tokens.join("\u0001");
      if (filled === text) return;
      filled = text;
      chosen = undefined;
      shown = tokens;
      root.replaceChildren(...tokens.map((token, i) => {
        const span = make("span", { className: /^ +\S/.test(token) ? "token spaced" : "token", textContent: clip(visible(token), 24) });
        span.dataset.index = String(i);
        return span;
      }));
    },
    mark(index) {
      const span = /** @type {HTMLElement} */ (root.children[index]);
      if (chosen === span) return;
      chosen?.classList.remove("chosen");
      span.classList.add("chosen");
      chosen = span;
      root.scrollLeft = span.offsetLeft - root.clientWidth / 2;
    },
  };
}
