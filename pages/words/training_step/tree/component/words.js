// @ts-check
// What the view says: its sentences, whole.

export const TREE_TEXTS = {
  widePr: (/** @type {string} */ center) => `as wide as its Pr(· | ${center})`,
  wideShareText: "as wide as its share of the text",
  allWordsNode: (/** @type {string} */ size, /** @type {string} */ what) => `All ${size} words: each node is ${what}`,
  wayTurnProbability: (/** @type {string} */ context) => `The way to “${context}”: turn, probability`,
  decisionsLeadTheir: (/** @type {number} */ decisionsCount, /** @type {string} */ context, /** @type {string} */ center, /** @type {string} */ before, /** @type {string} */ after, /** @type {number | string} */ wordsCount, /** @type {string} */ sum, /** @type {string} */ loss, /** @type {string} */ rate) => `${decisionsCount} decisions lead to “${context}”; their product is Pr(${context} | ${center}): ${before}, after the step ${after}. All ${wordsCount} leaves sum to ${sum}. Loss ${loss} → ${rate} nats.`,
  wordsBelowTogether: (/** @type {string} */ count, /** @type {string} */ reached, /** @type {string} */ named) => `${count} words below, together ${reached}; the likeliest: ${named}`,
  learningRatePower: "Learning rate, as a power of ten",
  widthsNodes: "Widths of the nodes",
  widthsShareText: "widths: share of the text",
  allVectorsMove: "all vectors move, not v alone",
};
