// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  gSoCopied: (/** @type {string} */ next, /** @type {string} */ undefined, /** @type {string} */ g, /** @type {string} */ g2) => `${next === undefined ? "What would follow" : `“${next}”`}: g = ${g}, so ${g2} % copied.`,
  textArrowKeys: "The text; arrow keys walk from word to word",
  writtenVocabularySoftmax: " written by the vocabulary's softmax ",
  copiedPointer: " copied by the pointer",
};
