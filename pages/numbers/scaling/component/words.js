// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  sqnrLoudestNumber: (/** @type {string} */ see) => `SQNR of each ${see === "x" ? "channel" : "output"}, by its loudest number`,
  scaleAll: "one scale for all",
  sizesUnderScale: (/** @type {string} */ name) => `Sizes in ${name} under one scale for all`,
  sqnrScale: "SQNR by that scale",
  scaleAll2: (/** @type {string} */ plain) => `, ${plain} with one scale for all`,
  xWhatRead: "X, what is read",
  sizeEveryNumber: "size of every number",
  errorShareNumber: "error as a share of the number",
  cellLargest: (/** @type {number} */ cell, /** @type {number} */ cell2) => `; a cell is the largest of ${cell} × ${cell2}`,
  largestNumberLargest: (/** @type {string} */ named, /** @type {string} */ value, /** @type {string} */ error) => `${named}: largest number ${value}, largest error ${error}`,
  cutRounded: (/** @type {string} */ scale, /** @type {string} */ sqnr, /** @type {string} */ cut, /** @type {string} */ lost) => `S = ${scale}: ${sqnr}, ${cut} cut, ${lost} rounded to 0`,
  sizesCurveNumbers: (/** @type {number | string} */ valuesCount) => ` Sizes and curve are of ${valuesCount} numbers, the largest among them.`,
  pointCellDot: (/** @type {string} */ part) => `Point at a cell or a dot, or move the scale.${part}`,
  moveScaleLeast: "Move to the scale with the least error",
};
