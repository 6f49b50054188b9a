// @ts-check
// Plotly's scripts, each loaded once: with the page where the page opens on a chart, else by the first chart that needs it.

import { make } from "#canvas/dom.js";

/** @typedef {HTMLScriptElement & { plotly?: any }} PlotlyScript what it made, once it ran: another one takes its global name */

/** @type {Map<string, Promise<any>>} */
const loading = new Map();

/** @param {string} address */
function load(address) {
  return new Promise((done, failed) => {
    const given = /** @type {PlotlyScript | undefined} */ ([...document.scripts].find(({ src }) => src === address));
    if (given?.plotly) return done(given.plotly);
    const script = given ?? /** @type {PlotlyScript} */ (make("script", { src: address }));
    script.addEventListener("load", () => done((script.plotly = /** @type {any} */ (window).Plotly)));
    script.addEventListener("error", () => {
      loading.delete(address);
      script.remove();
      failed(new Error(address));
    });
    if (!given) document.head.append(script);
  });
}

/**
 * Plotly, once it is there; a script that did not arrive is asked for again by the next chart.
 * @param {string} path of the script, below the address of the app
 * @returns {Promise<any>}
 */
export function loadedPlotly(path) {
  const address = new URL(path, new URL(".", document.baseURI)).href;
  if (!loading.has(address)) loading.set(address, load(address));
  return loading.get(address);
}
