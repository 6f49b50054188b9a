// @ts-check
// Which points are named, so that no name covers another. Free of the DOM.

/** @typedef {{ row: number, x: number, y: number, width: number }} Name */

const TRIED = 4000; // rows that are looked at
const LINE = 14; // pixels from one name to the next

/**
 * Names to write beside their points, the first ones first; those outside the picture or over another one are left out.
 * @param {Iterable<number>} rows
 * @param {(row: number) => number[]} placeOf x and y in pixels
 * @param {(row: number) => number} widthOf
 * @param {{ width: number, height: number, most: number }} room
 * @returns {Name[]}
 */
export function placeNames(rows, placeOf, widthOf, { width, height, most }) {
  /** @type {Name[]} */
  const placed = [];
  const taken = new Set();
  let tried = 0;
  for (const row of rows) {
    if (placed.length >= most || tried >= TRIED) break;
    if (taken.has(row)) continue;
    const [px, y] = placeOf(row);
    if (!(px >= 0 && px <= width && y >= 8 && y <= height - 8)) continue;
    tried += 1;
    const wide = widthOf(row);
    const x = px + 6 + wide > width ? px - 6 - wide : px + 6;
    if (x < 0) continue;
    if (placed.some((other) => Math.abs(other.y - y) < LINE && x < other.x + other.width + 4 && other.x < x + wide + 4)) continue;
    taken.add(row);
    placed.push({ row, x, y, width: wide });
  }
  return placed;
}
