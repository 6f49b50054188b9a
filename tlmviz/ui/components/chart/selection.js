// @ts-check
// What Plotly says was selected, as plain values that the server can read.

/**
 * A value without typed arrays, which JSON would write as objects.
 * @param {any} value
 * @returns {any}
 */
function plainValue(value) {
  return ArrayBuffer.isView(value) || Array.isArray(value) ? Array.from(/** @type {ArrayLike<any>} */ (value), plainValue) : value;
}

/**
 * The points that were clicked: which of which trace, where they are, and what the figure says of them.
 * @param {{ points?: any[] } | undefined} event
 */
export function pickedPoints(event) {
  return (event?.points ?? []).map(({ curveNumber, pointNumber, x, y, customdata }) => ({
    curve_number: curveNumber,
    point_number: pointNumber,
    x,
    y,
    customdata: plainValue(customdata),
  }));
}

/**
 * The rectangles that were dragged, by their corners.
 * @param {{ selections?: any[] } | undefined} event
 */
export function pickedBoxes(event) {
  const boxes = (event?.selections ?? []).filter(({ type }) => type === "rect");
  return boxes.map(({ xref, yref, x0, x1, y0, y1 }) => ({ xref, yref, x: [x0, x1], y: [y0, y1] }));
}
