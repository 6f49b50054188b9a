// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  timesTexts: (/** @type {number} */ count) => `${count} times in its texts`,
  noTermHas: "No term has this; try a shorter word.",
  softmaxCacheLearning: "softmax, cache, learning rate …",
};
