// @ts-check
// What every page needs in the browser, wherever its charts are.

import { isDark } from "#canvas/theme.js";
import { preparePlayer } from "./player.js";
import { leaveToThePage, quieten, releaseSliders } from "./plotly.js";

/** @typedef {{ parentElement: HTMLElement, data: { theme: string }, setTriggerValue: (name: string, value: string) => void }} Component */

let asked = ""; // the theme that the server was last asked for: were it never to agree, it is asked once

/**
 * Streamlit calls a component again when the theme changes; the charts take their colours from the server.
 * @param {Component} component
 */
function tellTheme({ parentElement, data, setTriggerValue }) {
  const theme = isDark(parentElement.querySelector("i")) ? "dark" : "light";
  if (theme === data.theme) asked = "";
  else if (theme !== asked) setTriggerValue("theme", (asked = theme));
}

/** What is heard anywhere on the page, before the chart it is meant for hears it. */
const HEARD = /** @type {[string, (event: any) => void][]} */ ([
  ["mouseup", releaseSliders],
  ["touchend", releaseSliders],
  ["touchstart", leaveToThePage],
  ["touchstart", preparePlayer],
  ["mousedown", preparePlayer],
  ["click", preparePlayer],
]);

/** @param {Component} component */
export default function (component) {
  tellTheme(component);
  for (const [kind, listener] of HEARD) document.addEventListener(kind, listener, true);
  addEventListener("unhandledrejection", quieten);
  return () => {
    for (const [kind, listener] of HEARD) document.removeEventListener(kind, listener, true);
    removeEventListener("unhandledrejection", quieten);
  };
}
