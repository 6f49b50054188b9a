// @ts-check
// What every page needs in the browser, wherever its charts are.

import { isDark } from "#canvas/theme.js";
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

/** @param {Component} component */
export default function (component) {
  tellTheme(component);
  document.addEventListener("mouseup", releaseSliders, true);
  document.addEventListener("touchend", releaseSliders, true);
  document.addEventListener("touchstart", leaveToThePage, true);
  addEventListener("unhandledrejection", quieten);
  return () => {
    document.removeEventListener("mouseup", releaseSliders, true);
    document.removeEventListener("touchend", releaseSliders, true);
    document.removeEventListener("touchstart", leaveToThePage, true);
    removeEventListener("unhandledrejection", quieten);
  };
}
