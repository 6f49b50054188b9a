// @ts-check
// The attention view outside of Streamlit: in a shadow root, so that its style and the page's leave each other alone.

import { debounce, make } from "#canvas/dom.js";
import { attention } from "./view.js";

const SETTLED = 400; // milliseconds in which a new theme's style arrives

/**
 * A place for the view inside an element. Returns what shows a payload there, and what ends it.
 * @param {HTMLElement} element
 * @param {string} css the style of the view and its surroundings
 * @param {(state: import("./types").State) => void} onState called with every state that the user chooses
 * @param {string[]} [notes] sentences below the view
 */
export function hosted(element, css, onState, notes = []) {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  const host = /** @type {HTMLElement} */ (make("div", { className: "host" }));
  root.replaceChildren(make("style", { textContent: css }), host, ...notes.map((note) => make("p", { className: "note", textContent: note })));
  const component = { parentElement: host, setStateValue: (/** @type {string} */ _, /** @type {any} */ state) => onState(state), setTriggerValue: () => {} };
  /** @type {() => void} */
  let end = () => {};
  /** @type {import("./types").Payload | null} */
  let shown = null;
  const show = (/** @type {import("./types").Payload} */ payload) => {
    shown = payload;
    end = attention({ ...component, data: payload });
  };
  // the colours are read when the view is painted: paint again when they change
  const again = debounce(() => shown && show(shown), SETTLED);
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", again);
  const themes = new MutationObserver(again); // notebooks name their theme in an attribute
  for (const bearer of [document.documentElement, document.body]) themes.observe(bearer, { attributes: true });
  const stop = () => {
    again.cancel();
    scheme.removeEventListener("change", again);
    themes.disconnect();
    end();
  };
  return { show, end: stop };
}
