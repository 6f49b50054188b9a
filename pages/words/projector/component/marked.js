// @ts-check
// What changes from click to click travels apart from the points, which are sent once: one component hears it, the picture shows it.

const EVENT = "tlmviz:marks";

/** @typedef {import("./types").Marks} Marks */
/** @typedef {Window & { tlmvizMarks?: Marks }} MarkedPage the last marks */

/** @param {Marks} marks */
export function announceMarks(marks) {
  /** @type {MarkedPage} */ (window).tlmvizMarks = marks;
  window.dispatchEvent(new Event(EVENT));
}

/** @returns {Marks | null} */
export function lastMarks() {
  return /** @type {MarkedPage} */ (window).tlmvizMarks ?? null;
}

/**
 * Call `action` after every announcement. Returns what ends that.
 * @param {() => void} action
 */
export function onMarks(action) {
  window.addEventListener(EVENT, action);
  return () => window.removeEventListener(EVENT, action);
}
