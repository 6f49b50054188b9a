// @ts-check
// Standard attention and what it moves (Dao et al. 2022, Algorithm 0), and how many steps a walk has. Free of the DOM.

import { _ } from "#canvas/language.js";

/**
 * A step of the kernel: `visit` is its tile's place in the walk, -1 at a program's start and end; `moved` counts numbers to and from HBM
 * since the first step.
 * @typedef {{ program: number, rows: [number, number], cols: [number, number], when: string[], stages: string[], visit: number, moved: number,
 *   words: string[] }} Step
 * @typedef {{ tokens: string[], length: number, width: number, rows: number, cols: number, bytes: number, error: number, steps: Step[],
 *   code: { number: number, text: string, when: string }[] }} Header
 * How far standard attention is: rows (with fractions) of S, P and O that are written.
 * @typedef {{ S: number, P: number, O: number, phase: string }} Standard
 */

/**
 * Numbers that standard attention moves: Q, K, V and O once, and T x T four times.
 * @param {{ length: number, width: number }} size
 */
export function standardMoves({ length, width }) {
  return 4 * length * width + 4 * length ** 2;
}

/**
 * What is written once so many numbers have been moved: S = QK' row by row, then P = softmax(S), then O = PV.
 * @param {{ length: number, width: number }} size
 * @param {number} moved
 * @returns {Standard}
 */
export function standardAfter({ length, width }, moved) {
  const matrix = length ** 2;
  const vectors = length * width;
  const rows = (/** @type {number} */ from, /** @type {number} */ size) => Math.max(0, Math.min(1, (moved - from) / size)) * length;
  // K is read first, then a row of Q for each row of S; V first, then a row of P for each row of O.
  const S = rows(vectors, vectors + matrix);
  const P = rows(2 * vectors + matrix, 2 * matrix);
  const O = rows(3 * vectors + 3 * matrix, matrix + vectors);
  const phase = moved < 2 * vectors + matrix ? _("reads Q and K, writes S") : moved < 2 * vectors + 3 * matrix
    ? _("reads S, writes P") : moved < standardMoves({ length, width }) ? _("reads P and V, writes O") : _("done");
  return { S, P, O, phase };
}

/**
 * Steps of the picture: the kernel's, and more until standard attention has ended too.
 * @param {Header} header
 */
export function stepCount(header) {
  return header.steps.length + Math.ceil(Math.max(0, standardMoves(header) - header.steps.at(-1).moved) / pace(header));
}

/**
 * Numbers moved at a step, of which `share` is over: as many by both.
 * @param {Header} header
 * @param {number} step
 * @param {number} share
 */
export function movedAt(header, step, share) {
  const { steps } = header;
  const at = (/** @type {number} */ k) => (k < 0 ? 0 : k < steps.length ? steps[k].moved : steps.at(-1).moved + pace(header) * (k - steps.length + 1));
  return at(step - 1) + (at(step) - at(step - 1)) * share;
}

/**
 * Numbers per step behind the kernel's last one.
 * @param {Header} header
 */
function pace({ steps }) {
  return Math.max(1, steps.at(-1).moved / Math.max(4, steps.length / 2));
}

/**
 * The step that is shown first: the first one that adds a tile.
 * @param {Header} header
 */
export function firstStep({ steps }) {
  return Math.max(0, steps.findIndex(({ stages }) => stages.includes("add")));
}
