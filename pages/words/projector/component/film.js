// @ts-check
// The training as a film: every frame's places were sent, the browser glides from one to the next.

/** @typedef {import("./types").View} View */

const EACH = 450; // milliseconds from one frame to the next

/**
 * Put every point where it is at a frame, a number with fractions.
 * @param {View} v
 */
export function setPlaces(v) {
  const size = v.names.length;
  const { places } = v.arrays;
  const last = places.length / (2 * size) - 1;
  const at = Math.max(0, Math.min(last, v.frame));
  const first = Math.floor(at);
  const [one, two] = [2 * size * first, 2 * size * Math.min(last, first + 1)];
  const share = at - first;
  for (let row = 0; row < size; row++) {
    v.xs[row] = (places[one + 2 * row] * (1 - share) + places[two + 2 * row] * share) / 65535;
    v.ys[row] = (places[one + 2 * row + 1] * (1 - share) + places[two + 2 * row + 1] * share) / 65535;
  }
}

/**
 * @param {View} v
 * @param {number} frame
 * @param {() => void} repaint
 */
export function showFrame(v, frame, repaint) {
  v.frame = frame;
  setPlaces(v);
  const { at, losses } = v.header.film;
  const nearest = Math.round(frame);
  v.slider.value = String(frame);
  v.said.textContent = `${at[nearest]}${losses[nearest] === null ? "" : ` · loss ${losses[nearest].toFixed(3)}`}`;
  v.slider.setAttribute("aria-valuetext", v.said.textContent);
  v.root.dataset.frame = String(nearest);
  repaint();
}

/**
 * Play to the end, from the beginning if it stands there; or stop.
 * @param {View} v
 * @param {() => void} repaint
 * @param {() => void} rest called when it stands again
 */
export function playFilm(v, repaint, rest) {
  if (v.running) {
    stopFilm(v);
    rest();
    return;
  }
  const last = v.header.film.at.length - 1;
  const begun = v.frame >= last - 0.01 ? 0 : v.frame;
  const start = performance.now();
  const next = (/** @type {number} */ now) => {
    const frame = Math.min(last, begun + Math.max(0, now - start) / EACH);
    showFrame(v, frame, repaint);
    if (frame < last) v.running = requestAnimationFrame(next);
    else {
      stopFilm(v);
      rest();
    }
  };
  v.running = requestAnimationFrame(next);
  v.play.textContent = "❚❚";
  v.play.title = "Pause";
}

/** @param {View} v */
export function stopFilm(v) {
  cancelAnimationFrame(v.running);
  v.running = 0;
  v.play.textContent = "▶";
  v.play.title = "Play the training";
}
