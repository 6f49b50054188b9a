// @ts-check
// What every page needs in the browser, wherever its charts are.

import { chooseLanguage } from "#canvas/language.js";
import { noteBack, noteLink } from "#canvas/leaving.js";
import { isDark } from "#canvas/theme.js";
import { showAlone } from "./alone.js";
import { followCard } from "./cards.js";
import { leaveCharts, pressChart, reachCharts } from "./chart_keys.js";
import { explainWords, forgetWord, leaveWords, pointAtWord } from "./glossary.js";
import { followHovered, pointAtChart } from "./hovered_charts.js";
import { watchLine } from "./line.js";
import { pictures } from "./pictures.js";
import { preparePaper } from "./paper.js";
import { preparePlayer } from "./player.js";
import { leaveToThePage, quieten, releaseSliders, writeMinus } from "./plotly.js";

/** @typedef {{ parentElement: HTMLElement, data: { theme: string, words: Record<string, string>, lang: string }, setTriggerValue: (name: string,
 * value: string) => void }} Component */

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
  ["click", noteLink],
  ["click", followCard],
  ["pointermove", pointAtWord],
  ["pointermove", pointAtChart],
  ["pointerdown", pointAtWord],
  ["scroll", forgetWord],
  ["keydown", pressChart],
]);

/** @param {Component} component */
export default function (component) {
  chooseLanguage(component.data.lang);
  tellTheme(component);
  /** @type {any} */ (window).tlmvizPictures = pictures;
  /** @type {any} */ (window).tlmvizTerms = component.data.words; // which the menu searches
  explainWords(component.data.words);
  for (const [kind, listener] of HEARD) document.addEventListener(kind, listener, true);
  addEventListener("popstate", noteBack);
  addEventListener("unhandledrejection", quieten);
  addEventListener("beforeprint", preparePaper);
  const named = () => {
    reachCharts();
    showAlone();
  };
  named(); // charts that are there already
  const charts = new MutationObserver((changes) => {
    writeMinus(changes);
    named();
  });
  charts.observe(document.getElementById("root") ?? document.body, { childList: true, subtree: true });
  const unhovered = followHovered();
  const unwatched = watchLine();
  return () => {
    unhovered();
    unwatched();
    for (const [kind, listener] of HEARD) document.removeEventListener(kind, listener, true);
    removeEventListener("popstate", noteBack);
    removeEventListener("unhandledrejection", quieten);
    removeEventListener("beforeprint", preparePaper);
    charts.disconnect();
    leaveWords();
    leaveCharts();
  };
}
