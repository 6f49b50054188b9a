// @ts-check
// What was drawn on canvases, stroke by stroke, so that another pen can draw it again.

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {(pen: Pen) => void} Stroke something that a pen did */
/** @type {WeakMap<HTMLCanvasElement, Stroke[]>} */
const drawings = new WeakMap();

/**
 * Keep what is drawn on a canvas from now on, so that `drawnOn` can tell.
 * @param {HTMLCanvasElement} canvas
 */
export function keepDrawing(canvas) {
  if (!drawings.has(canvas)) drawings.set(canvas, []);
}

/**
 * What is drawn on a canvas, for another pen; none where that is not kept.
 * @param {HTMLCanvasElement} canvas
 */
export function drawnOn(canvas) {
  return drawings.get(canvas) ?? [];
}

/**
 * A canvas is empty again.
 * @param {HTMLCanvasElement} canvas
 */
export function forgetDrawing(canvas) {
  drawings.get(canvas)?.splice(0);
}

/**
 * The same pen, which keeps what it draws on a canvas whose drawing is kept.
 * @param {HTMLCanvasElement} canvas
 * @param {Pen} pen
 * @returns {Pen}
 */
export function recordingPen(canvas, pen) {
  let inner = drawings.get(canvas);
  if (!inner) return pen;
  const kept = Object.entries(pen).map(([name, draw]) => [name, (/** @type {any[]} */ ...given) => {
    inner?.push((other) => /** @type {any} */ (other)[name](...given));
    /** @type {(...given: any[]) => void} */ (draw)(...given);
  }]);
  /** @type {Pen["shifted"]} */
  const shifted = (x, y, draw) => {
    const [outer, own] = [inner, /** @type {Stroke[]} */ ([])];
    outer?.push((other) => other.shifted(x, y, () => own.forEach((stroke) => stroke(other))));
    inner = own;
    pen.shifted(x, y, draw);
    inner = outer;
  };
  return { .../** @type {Pen} */ (Object.fromEntries(kept)), shifted };
}
