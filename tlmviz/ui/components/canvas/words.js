// @ts-check
// What the view says: its sentences, whole.

export const CANVAS_TEXTS = {
  padPixelsDraw: (/** @type {number} */ side) => `Pad of ${side} by ${side} pixels to draw on. Arrow keys move, Space sets or takes away ink, Delete clears.`,
  linkFileData: (/** @type {string} */ what) => `Link, file, data and embedding of ${what}`,
  liveFrameAnother: "A live frame for another page, or a file that needs no network:",
  textArrowKeys: "The text; arrow keys choose the word before or after",
};
