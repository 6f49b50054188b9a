// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  clickSeeWhat: (/** @type {string} */ kind) => `Click a ${kind} to see what is nearest to it.`,
  notVocabularyMade: "not in the vocabulary: made from its letters",
  nearestCosineAll: "Nearest, by the cosine of all numbers:",
  neighboursTheirWay: "Its neighbours are on their way …",
  arrowKeysMove: (/** @type {string} */ title, /** @type {string} */ said) => `${title}. ${said} Arrow keys move, plus and minus zoom, 0 shows all.`,
  zoomClickPicture: "Zoom in (or click the picture and turn the wheel)",
  howFarTraining: "How far the training was",
};
