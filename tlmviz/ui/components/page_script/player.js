// @ts-check
// Lets a Plotly figure finish drawing a frame before its next one begins, and shows no frame half drawn.
//
// Plotly starts frames by the clock. Where a frame's time is shorter than its drawing, each frame takes away what the one
// before it was about to draw, and nothing is seen while the figure plays. So a frame that is on its way stops the clock.
//
// A frame that redraws is drawn twice: first the points that move, for which Plotly removes all bars and maps, then
// everything. The first drawing is left out: the browser may show it.

const idle = () => {};
const LOST = 5000; // milliseconds after which a frame counts as drawn, whatever became of it

/** @type {WeakMap<object, Record<string, () => void>>} */
const listeners = new WeakMap();

/** What a figure does at the events of a frame, by their names.
 * @param {any} plot
 * @returns {Record<string, () => void>} */
function listenersOf(plot) {
  let release = () => {};
  const begun = () => {
    const clock = plot._transitionData;
    if (!clock) return;
    const duration = Number.isFinite(clock._timeToNext) ? clock._timeToNext : 0;
    clock._timeToNext = Infinity;
    const go = () => {
      clearTimeout(lost);
      clock._timeToNext = duration;
      release = () => {};
    };
    const lost = setTimeout(go, LOST);
    release = go;
  };
  // The browser shows what was drawn in its next frame; the frame of Plotly after that may begin.
  const drawn = () => requestAnimationFrame(() => release());
  return { plotly_animatingframe: begun, plotly_transitioning: () => skipFirstDrawing(plot), plotly_transitioned: drawn };
}

/** Until the code that runs now has ended, drawings of a frame that redraws draw nothing.
 * @param {any} plot */
function skipFirstDrawing(plot) {
  if (!plot._transitionData?._currentFrame?.frameOpts?.redraw) return;
  for (const kind of plot._fullLayout?._basePlotModules ?? []) {
    const { plot: draw } = kind;
    if (draw === idle) continue;
    kind.plot = idle;
    queueMicrotask(() => (kind.plot = draw));
  }
}

/** @param {any} plot the element of a figure */
function makePatient(plot) {
  const own = listeners.get(plot) ?? listenersOf(plot);
  listeners.set(plot, own);
  for (const [event, listener] of Object.entries(own)) {
    plot.removeListener(event, listener); // a figure that is drawn anew may have lost it
    plot.on(event, listener);
  }
}

/**
 * What is pressed anywhere on the page may start a figure: that one is made patient.
 * @param {Event} event
 */
export function preparePlayer(event) {
  const plot = event.target instanceof Element && event.target.closest(".js-plotly-plot");
  if (plot && "removeListener" in plot) makePatient(plot);
}
