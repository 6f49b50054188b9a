// @ts-check
// The points of a space, which are sent once and kept for the picture: what changes from click to click travels apart from them.

import { decode } from "#canvas/decode.js";

const POINTS = "tlmviz:points";

/**
 * `places` [S, N, 2] in S frames, from 0 to 65535; `groups` [N]; of each point the rows of its neighbours and the cosines [N, k].
 * @typedef {{ space: string, names: string[], arrays: { places: Uint16Array, groups: Uint8Array, near?: Uint16Array, cosines?: Float32Array } }} Points
 * @typedef {Window & { tlmvizPoints?: Points, tlmvizPointsBytes?: any }} PointedPage
 */

/** @returns {Points | undefined} */
export function pointsHere() {
  return /** @type {PointedPage} */ (window).tlmvizPoints;
}

/**
 * Call `action` whenever other points came. Returns what ends that.
 * @param {() => void} action
 */
export function onPoints(action) {
  window.addEventListener(POINTS, action);
  return () => window.removeEventListener(POINTS, action);
}

/**
 * Keep what was sent, once.
 * @param {any} data
 */
export function keepPoints(data) {
  const page = /** @type {PointedPage} */ (window);
  if (!data || data === page.tlmvizPointsBytes) return;
  const { header, arrays } = /** @type {any} */ (decode(data));
  Object.assign(page, { tlmvizPointsBytes: data, tlmvizPoints: { space: header.space, names: header.names.split("\n"), arrays } });
  window.dispatchEvent(new Event(POINTS));
}
