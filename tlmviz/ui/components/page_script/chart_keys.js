// @ts-check
// Plotly answers a mouse only. Here a chart is a stop of the Tab key whose arrow keys go from point to point, its players are
// buttons and its sliders sliders, and what is pointed at is said to a screen reader.

const A_CHART = ".stPlotlyChart";
const CHART_PLAYER = ".updatemenu-button";
const CHART_SLIDER = ".slider-group";
const RAIL_INSET = 10; // pixels at both ends of a slider's rail that lead nowhere
const MOST_POINTS = 20000; // of a trace; more are not gone through
const ASIDE = 3; // a pixel aside is as far as so many ahead
const SAYS_AFTER = 150; // milliseconds until Plotly has written what is pointed at

/** @typedef {{ x: number, y: number, subplot: string }} ChartPoint in pixels of its chart */
/** @type {WeakMap<Element, ChartPoint>} */
const chartPoints = new WeakMap();
/** @type {HTMLElement | null} */
let chartSpoken = null;

/** @param {KeyboardEvent} event */
const wayOf = ({ key }) => ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] })[key];

/** Make charts, players and sliders stops of the Tab key, with names. */
export function reachCharts() {
  for (const chart of document.querySelectorAll(`${A_CHART}:not([tabindex])`)) if (chart.querySelector(".nsewdrag")) chart.setAttribute("tabindex", "0");
  for (const button of document.querySelectorAll(`${A_CHART} ${CHART_PLAYER}:not([tabindex])`)) {
    const text = button.textContent?.trim() ?? "";
    describePart(button, { tabindex: 0, role: "button", "aria-label": { "▶": "Play", "❚❚": "Pause", "‹": "One step back", "›": "One step on" }[text] ?? text });
  }
  for (const slider of document.querySelectorAll(`${A_CHART} ${CHART_SLIDER}`)) {
    const { active, steps } = optionsOf(slider) ?? {};
    const text = slider.querySelector(".slider-label")?.textContent ?? "";
    if (steps && slider.getAttribute("aria-valuetext") !== text) {
      describePart(slider, { tabindex: 0, role: "slider", "aria-label": "Step", "aria-valuemin": 0, "aria-valuemax": steps.length - 1, "aria-valuenow": active,
        "aria-valuetext": text });
    }
  }
}

/**
 * @param {Element} element
 * @param {Record<string, unknown>} attributes
 */
function describePart(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

/**
 * A slider as Plotly knows it.
 * @param {Element} slider
 */
function optionsOf(slider) {
  const plot = /** @type {any} */ (slider.closest(".js-plotly-plot"));
  return plot?._fullLayout?.sliders?.[[...plot.querySelectorAll(CHART_SLIDER)].indexOf(slider)];
}

/**
 * A key on a chart or on a part of one.
 * @param {KeyboardEvent} event
 */
export function pressChart(event) {
  const { target, key } = event;
  if (!(target instanceof Element) || !target.closest(A_CHART)) return;
  const [way, enters] = [wayOf(event), key === "Enter" || key === " "];
  if (target.matches(CHART_PLAYER) && enters) target.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  else if (target.matches(CHART_SLIDER) && way) stepSlider(target, way[0] || -way[1]);
  else if (target.matches(A_CHART) && way) pointInChart(target, way);
  else if (target.matches(A_CHART) && enters && chartPoints.has(target)) clickInChart(target);
  else if (target.matches(A_CHART) && key === "Escape" && chartPoints.delete(target)) sendTo(target, "mouseout");
  else return;
  event.preventDefault();
}

/**
 * Press a slider's rail one step on.
 * @param {Element} slider
 * @param {number} by
 */
function stepSlider(slider, by) {
  const rail = slider.querySelector(".slider-rail-touch-rect");
  const { active, steps } = optionsOf(slider) ?? {};
  if (!rail || !steps) return;
  const next = Math.max(0, Math.min(steps.length - 1, active + by));
  const { left, top, width } = rail.getBoundingClientRect();
  const place = { bubbles: true, clientX: left + RAIL_INSET + (next / Math.max(1, steps.length - 1)) * (width - 2 * RAIL_INSET), clientY: top + 5 };
  rail.dispatchEvent(new MouseEvent("mousedown", place));
  rail.dispatchEvent(new MouseEvent("mouseup", place));
}

/**
 * All points and cells of a chart that are seen.
 * @param {any} plot
 * @returns {ChartPoint[]}
 */
function pointsOf(plot) {
  const layout = plot._fullLayout;
  const axis = (/** @type {string} */ name) => layout[`${name[0]}axis${name.slice(1)}`];
  return plot.calcdata.flatMap((/** @type {any[]} */ points) => {
    const { trace } = points[0] ?? {};
    if (!trace?.xaxis || !trace.yaxis || trace.visible !== true || trace.hoverinfo === "skip") return [];
    const [across, up] = [axis(trace.xaxis), axis(trace.yaxis)];
    const at = (/** @type {any} */ x, /** @type {any} */ y) =>
      ({ x: across._offset + across.c2p(x), y: up._offset + up.c2p(y), subplot: trace.xaxis + trace.yaxis });
    const middles = (/** @type {number[]} */ edges) => edges.slice(1).map((edge, i) => (edge + edges[i]) / 2);
    const [{ z }] = points;
    const cells = () => middles(points[0].y).flatMap((y, i) => middles(points[0].x).flatMap((x, j) => (Number.isFinite(z[i]?.[j]) ? [at(x, y)] : [])));
    const found = z ? cells() : points.map(({ x, y }) => at(x, y));
    const seen = (/** @type {ChartPoint} */ { x, y }) => x >= across._offset && x <= across._offset + across._length && y >= up._offset && y <= up._offset
      + up._length;
    return found.slice(0, MOST_POINTS).filter(seen);
  });
}

/**
 * The nearest point in a way from another one; the first one of all without another.
 * @param {ChartPoint[]} points
 * @param {ChartPoint | undefined} from
 * @param {number[]} way
 */
export function nextPoint(points, from, [dx, dy]) {
  if (!from) return points[0];
  let [best, nearest] = [from, Infinity];
  for (const point of points) {
    const [x, y] = [point.x - from.x, point.y - from.y];
    const ahead = x * dx + y * dy;
    const far = ahead + ASIDE * Math.abs(x * dy - y * dx);
    if (ahead > 0.5 && far < nearest) [best, nearest] = [point, far];
  }
  return best;
}

/**
 * @param {Element} chart
 * @param {number[]} way
 */
function pointInChart(chart, way) {
  const plot = /** @type {any} */ (chart.querySelector(".js-plotly-plot"));
  const next = plot?.calcdata && nextPoint(pointsOf(plot), chartPoints.get(chart), way);
  if (!next) return;
  chartPoints.set(chart, next);
  sendTo(chart, "mousemove");
  setTimeout(() => sayOfChart([...chart.querySelectorAll(".hoverlayer text")].map(({ textContent }) => textContent).join(", ")), SAYS_AFTER);
}

/** @param {Element} chart */
function clickInChart(chart) {
  sendTo(chart, "mousedown");
  sendTo(chart, "mouseup");
}

/**
 * An event of the mouse at the point that is pointed at.
 * @param {Element} chart
 * @param {string} kind
 */
function sendTo(chart, kind) {
  const point = chartPoints.get(chart);
  const { left, top } = /** @type {Element} */ (chart.querySelector(".js-plotly-plot")).getBoundingClientRect();
  const drag = chart.querySelector(point ? `.nsewdrag[data-subplot="${point.subplot}"]` : ".nsewdrag");
  drag?.dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, detail: 1, clientX: left + (point?.x ?? -1), clientY: top + (point?.y ?? -1) }));
}

/** @param {string} text */
function sayOfChart(text) {
  if (!chartSpoken?.isConnected) {
    chartSpoken = document.createElement("div");
    chartSpoken.setAttribute("role", "status");
    chartSpoken.style.cssText = "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);";
    document.body.append(chartSpoken);
  }
  chartSpoken.textContent = text;
}

/** Leave nothing behind. */
export function leaveCharts() {
  chartSpoken?.remove();
}
