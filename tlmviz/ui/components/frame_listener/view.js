// Frames are named by their number. The chart is drawn by another part of the page, which may replace it at any time.

const REST = 500; // milliseconds without a new frame until the walk counts as left

export default function ({ data, setStateValue }) {
  let heard = null;
  let resting = 0;
  const listen = () => {
    const plot = document.querySelector(`.st-key-${data.chart} .js-plotly-plot`);
    if (!plot || plot === heard || !plot.on) return;
    heard = plot;
    plot.on("plotly_animatingframe", ({ name }) => {
      clearTimeout(resting);
      resting = setTimeout(() => setStateValue("frame", Number(name)), REST);
    });
  };
  const looking = setInterval(listen, 300);
  return () => {
    clearInterval(looking);
    clearTimeout(resting);
  };
}
