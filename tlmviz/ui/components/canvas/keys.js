// @ts-check
// A picture that answers a mouse answers keys too: arrows move a pointer of its own, Enter and Space click, Escape leaves.

/** @typedef {(canvas: HTMLElement) => [number, number]} KeyStep pixels from one place of a picture to the next, across and down */

const KEY_WAYS = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] });
const KEY_PLACES = 40; // steps from one side of a picture to the other, unless it knows better
const KEY_FINE = 4; // Shift makes steps so much shorter

/**
 * Let arrow keys point at the places of a picture as a mouse does: whatever listens to `pointermove`, `pointerdown`, `click` and
 * `pointerleave` hears them, at the place. For pictures that capture no pointer. What is pointed at is to be said in a text with
 * `aria-live`.
 * @param {HTMLElement} canvas
 * @param {KeyStep} [step]
 */
export function pointByKeys(canvas, step = ({ clientWidth }) => [clientWidth / KEY_PLACES, clientWidth / KEY_PLACES]) {
  /** @type {[number, number] | null} */
  let at = null;
  canvas.tabIndex = 0;
  const send = (/** @type {string[]} */ ...kinds) => {
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = at ?? [-1, -1];
    for (const kind of kinds) canvas.dispatchEvent(new PointerEvent(
      kind, { clientX: left + x, clientY: top + y, bubbles: true, cancelable: true, composed: true }));
  };
  const leave = () => {
    if (at) send("pointerleave");
    at = null;
  };
  canvas.addEventListener("keydown", (event) => {
    const way = KEY_WAYS[event.key];
    if (way) at = keyMoved(canvas, at, way, step(canvas), event.shiftKey);
    else if (!at || !["Enter", " ", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (way) send("pointermove");
    else if (event.key === "Escape") leave();
    else send("pointerdown", "pointerup", "click");
  });
  canvas.addEventListener("blur", leave);
}

/**
 * The next place in a way: the middle of the picture at first.
 * @param {{ clientWidth: number, clientHeight: number }} canvas
 * @param {[number, number] | null} at
 * @param {[number, number]} way
 * @param {[number, number]} step
 * @param {boolean} [fine]
 * @returns {[number, number]}
 */
export function keyMoved({ clientWidth, clientHeight }, at, way, step, fine = false) {
  if (!at) return [clientWidth / 2, clientHeight / 2];
  const within = (/** @type {number} */ x, /** @type {number} */ size) => Math.max(1, Math.min(size - 1, x));
  const [dx, dy] = [0, 1].map((i) => (way[i] * step[i]) / (fine ? KEY_FINE : 1));
  return [within(at[0] + dx, clientWidth), within(at[1] + dy, clientHeight)];
}
