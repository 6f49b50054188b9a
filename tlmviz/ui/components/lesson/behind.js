// @ts-check
// What stands on the page behind a scene: what it was opened for, and the way back.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { follow } from "./progress.js";

const NAME = "lesson-back";
const BAR =
  "position:fixed;z-index:999991;bottom:1rem;left:50%;transform:translateX(-50%);width:max-content;max-width:min(46rem,calc(100vw - 1.5rem));padding:.6rem " +
  ".6rem .6rem 1.2rem;border-radius:1.6rem;background:#1f5fa8;color:#fff;font:1rem system-ui,sans-serif;box-shadow:0 2px 12px " +
  "#0006;display:flex;align-items:center;gap:1rem";
const BUTTON = "flex:none;padding:.5rem 1rem;border:0;border-radius:2rem;background:#fff;color:#1f5fa8;font:600 1rem system-ui,sans-serif;cursor:pointer";

/** Leave a bar on the page that comes. @param {string} says the scene's sentence @param {string} back its link */
export function leaveWayBack(says, back) {
  const button = make("button", { type: "button", textContent: _("← Back to the lesson"), onclick: () => follow(back) });
  const bar = make("div", { testid: NAME }, make("span", { textContent: _("The page behind: “{says}”", { says }) }), button);
  [bar.style.cssText, button.style.cssText] = [BAR, BUTTON];
  document.body.append(bar);
}

/** The lesson is back: the bar goes. */
export const takeWayBack = () => document.querySelector(`[data-testid=${NAME}]`)?.remove();
