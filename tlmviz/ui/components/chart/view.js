// @ts-check
// A figure of Plotly in the page itself, not in a shadow root: the page's own scripts find it as `.js-plotly-plot`.

import { make } from "#canvas/dom.js";
import { _, chooseLanguage } from "#canvas/language.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture, paintedPicture } from "#canvas/painted.js";
import { thinLabels } from "./labels.js";
import { loadedPlotly } from "./plotly.js";
import { chartButton } from "./saved.js";
import { pickedBoxes, pickedPoints } from "./selection.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ data: any[], layout: Record<string, any>, frames?: any[] }} Figure */
/** @typedef {{ figure: Figure, alt: string, config: object, select: "points" | "box" | null, script: string, lang: string }} Chart */
/** @typedef {HTMLElement & { on?: Function, removeListener: Function, _fullLayout: any }} Plot what Plotly has drawn in has `on` */
/**
 * @typedef {{ root: HTMLElement, plot: Plot, component: Component, text: string, chart: Chart, pending: boolean, drawing: boolean,
 *   gone: boolean, width: number, saves: HTMLElement, observer: ResizeObserver, plotly: any, tell?: (event: any) => void, thin?: () => void }} View
 * `text`: the chart as it was sent; `pending`: it is yet to be drawn; `saves` has the menu of what is drawn
 */

const HEIGHT = 450; // pixels of a figure that does not say
const NARROWEST = 150;

/** @param {HTMLElement} host */
function create(host) {
  // Named as the chart of Streamlit, whose place this one takes.
  const root = make("div", { className: "stPlotlyChart", testid: "stPlotlyChart" });
  const plot = /** @type {any} */ (make("div"));
  const saves = make("div", { className: "saves" });
  root.append(plot, saves);
  host.append(root);
  const v = /** @type {View} */ (/** @type {unknown} */ ({ root, plot, saves, text: "", pending: false, drawing: false, gone: false }));
  v.observer = watchWidth(v, () => resize(v), () => !!v.chart);
  return v;
}

/**
 * @param {View} v
 * @param {Uint8Array} data
 */
function receive(v, data) {
  const text = new TextDecoder().decode(data);
  if (text === v.text) return; // nothing has changed, and nothing is drawn anew
  v.text = text;
  v.chart = JSON.parse(text);
  chooseLanguage(v.chart.lang);
  v.pending = true;
  // The place has its height before the script is there, and nothing below it moves.
  v.root.style.minHeight = `${v.chart.figure.layout.height ?? HEIGHT}px`;
  v.root.setAttribute("role", "figure");
  v.root.setAttribute("aria-label", v.chart.alt);
  draw(v);
}

/**
 * Draw what came last; what comes meanwhile is drawn next.
 * @param {View} v
 */
async function draw(v) {
  if (v.drawing) return;
  v.drawing = true;
  try {
    while (v.pending && !v.gone) {
      const { chart } = v;
      const plotly = await loadedPlotly(chart.script).catch(() => /** @type {any} */ (null));
      if (v.gone || chart !== v.chart) continue;
      v.pending = false;
      if (plotly) await show(v, plotly);
      else apologise(v);
    }
  } finally {
    v.drawing = false;
  }
  resize(v);
}

/**
 * @param {View} v
 * @param {any} plotly
 */
async function show(v, plotly) {
  const { figure, config } = v.chart;
  if (v.plotly !== plotly) v.plotly?.purge(v.plot); // a figure that needs the larger script
  if (!v.plot.on) v.plot.textContent = "";
  v.plotly = plotly;
  v.width = v.root.clientWidth;
  const drawn = plotly.react(v.plot, { data: figure.data, layout: laidOut(v), config, frames: figure.frames ?? [] });
  await Promise.resolve(drawn).catch((error) => {
    if (!v.gone) throw error; // else it was purged while it was drawn: its page was left
  });
  if (v.gone) return;
  if (!v.saves.firstChild) v.saves.append(chartButton(v.plot));
  listen(v);
  if (!paintedPicture()) announcePicture(1); // on a page of charts nothing else would ask for what lies below
}

/** @param {View} v */
function apologise(v) {
  v.plotly?.purge(v.plot);
  v.plotly = null;
  v.saves.replaceChildren();
  v.plot.textContent = _("The script that draws charts did not arrive. Reload the page to ask for it again.");
  v.text = ""; // with the next run the script is asked for again
}

/**
 * A figure's layout at the width there is, and answering to what may be selected in it.
 * @param {View} v
 */
function laidOut({ chart: { figure, select }, width }) {
  const { layout } = figure;
  const answers = select ? { clickmode: select === "points" ? "event+select" : "event", hovermode: layout.hovermode ?? "closest" } : {};
  return { ...layout, height: layout.height ?? HEIGHT, width: Math.max(width, NARROWEST), ...answers };
}

/** @param {View} v */
function resize(v) {
  const width = Math.max(v.width, NARROWEST);
  if (v.drawing || v.gone || !v.plotly || v.plot._fullLayout.width === width) return;
  v.plotly.relayout(v.plot, { width });
}

/**
 * Tell the server what is selected; that nothing is any more concerns nobody.
 * @param {View} v
 */
function listen(v) {
  if (!v.thin) v.plot.on("plotly_afterplot", (v.thin = () => thinLabels(v.plot)));
  thinLabels(v.plot);
  v.tell ??= (event) => {
    const selection = v.chart.select === "points" ? { points: pickedPoints(event) } : { box: pickedBoxes(event) };
    if (Object.values(selection)[0].length) v.component.setTriggerValue("selection", selection);
  };
  v.plot.removeListener("plotly_selected", v.tell);
  if (v.chart.select) v.plot.on("plotly_selected", v.tell);
}

/** @param {View} v */
function leave(v) {
  v.gone = true;
  v.observer.disconnect();
  v.plotly?.purge(v.plot);
}

export default mounted({ create, receive, leave });
