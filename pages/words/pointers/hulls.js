// @ts-check
// What the network draws through points beside their exact hull, as data.py makes it. Free of the DOM.

import { _ } from "#canvas/language.js";

/** @typedef {[x: number, y: number]} Point whole thousandths of a square */

/**
 * Indices of the hull's corners, counterclockwise from the leftmost (the lower one of two). Points on an edge are no corners, nor
 * is a second one of two equal points. Where all lie on a line its ends are the hull.
 * @param {Point[]} points whole numbers, so that nothing is rounded
 */
export function exactHull(points) {
  const order = [...points.keys()].sort((a, b) => points[a][0] - points[b][0] || points[a][1] - points[b][1]);
  const distinct = order.filter((i, at) => !at || String(points[i]) !== String(points[order[at - 1]]));
  const left = (/** @type {number} */ a, /** @type {number} */ b, /** @type {number} */ c) =>
    (points[b][0] - points[a][0]) * (points[c][1] - points[a][1]) - (points[b][1] - points[a][1]) * (points[c][0] - points[a][0]) > 0;
  const chain = (/** @type {number[]} */ some) => {
    /** @type {number[]} */
    const found = [];
    for (const i of some) {
      while (found.length > 1 && !left(found.at(-2), found.at(-1), i)) found.pop();
      found.push(i);
    }
    return found.slice(0, -1);
  };
  const corners = distinct.length > 2 ? [...chain(distinct), ...chain(distinct.toReversed())] : [];
  if (corners.length > 2) return corners;
  return distinct.length === 1 ? [order[0]] : [order[0], order.at(-1)];
}

/**
 * The picture's header and arrays.
 * @param {import("#browser/hull.js").HullFinder} finder
 * @param {Point[]} points
 * @param {string} origin a name of the set
 */
export function hullOf(finder, points, origin) {
  const { order, attention } = finder.draw(points.map(([x, y]) => [x / 1000, y / 1000]));
  const [exact, columns] = [exactHull(points), points.length + 1];
  const entropies = Array.from({ length: order.length + 1 }, (_row, t) =>
    attention.subarray(t * columns, (t + 1) * columns).reduce((sum, weight) => sum - weight * Math.log(Math.max(weight, 1e-30)), 0));
  const without = (/** @type {number[]} */ some, /** @type {number[]} */ others) => [...new Set(some)].filter((i) => !others.includes(i)).sort((a, b) => a - b);
  const header = {
    title: _("The line that a pointer network draws through {count} points", { count: points.length }),
    order, exact, missed: without(exact, order), extra: without(order, exact), doubtful: entropies.indexOf(Math.max(...entropies)) + 1, origin,
  };
  return { header, arrays: { points: Uint16Array.from(points.flat()), attention } };
}
