// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  saysLineClosed: "it says that the line is closed",
  goesPoint: (/** @type {number} */ index) => `it goes to point ${index}`,
  pointsLineNetwork: (/** @type {number} */ pointsCount, /** @type {string} */ verdict) => `${pointsCount} points and the line that the network draws. ${verdict} Enter chooses a point, arrow keys move it, Delete removes it, + adds one.`,
  goStepStep: "Go from step to step",
  dragPointDouble: "Drag a point; double-click to add or remove one. Dashed: the exact hull.",
};
