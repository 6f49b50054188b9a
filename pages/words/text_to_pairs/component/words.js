// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  staysProbabilityThrown: (/** @type {string} */ vocabulary, /** @type {string} */ chance, /** @type {boolean} */ kept) => `${vocabulary}: stays with probability ${chance}${kept ? "" : "; thrown out"}`,
  slideWindowItself: "Slide the window by itself",
  pairsWindowSo: (/** @type {number} */ ownCount, /** @type {number} */ pairs, /** @type {number} */ more, /** @type {number} */ drawnCount, /** @type {number} */ vocabularyCount) => `${ownCount} pairs from this window, ${pairs} so far${more > 0 ? `; drawn are the ${drawnCount} most frequent of ${vocabularyCount} words` : ""}.`,
  rowsMostLike: (/** @type {string} */ wordAt) => `Rows most like that of “${wordAt}” so far`,
  countsAfterWindows: (/** @type {string} */ title, /** @type {number} */ step, /** @type {number} */ pairs) => `${title}: counts after ${step} windows, ${pairs} pairs. Arrow keys slide the window, space plays.`,
  placeWindow: "Place of the window",
  textClickMoves: "The text; a click or the arrow keys move the window",
};
