// @ts-check
// Tells the server which frame of a Plotly figure the user stopped at. Frames are named by their number.

import { debounce } from "#canvas/dom.js";

const DELAY = 500; // milliseconds without a new frame until the figure counts as stopped
const LOOK = 300; // milliseconds between looks for the chart: another part of the page draws it, and may replace it at any time

/** @param {{ data: { chart: string }, setStateValue: (name: string, value: number) => void }} component */
export default function ({ data, setStateValue }) {
  /** @type {any} */
  let current = null;
  let frame = 0;
  // A slow browser draws a frame longer than that: a figure with frames to come is playing.
  const send = debounce(() => (current?._transitionData?._frameQueue?.length ? send() : setStateValue("frame", frame)), DELAY);
  const listen = () => {
    const plot = /** @type {any} */ (document.querySelector(`.st-key-${data.chart} .js-plotly-plot`));
    if (!plot || plot === current || !plot.on) return;
    current = plot;
    plot.on("plotly_animatingframe", (/** @type {{ name: string }} */ { name }) => {
      frame = Number(name);
      send();
    });
  };
  const timer = setInterval(listen, LOOK);
  return () => {
    clearInterval(timer);
    send.cancel();
  };
}
