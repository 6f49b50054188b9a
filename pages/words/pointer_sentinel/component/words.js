// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  gSoCopied: (/** @type {string | undefined} */ next, /** @type {string} */ g, /** @type {string} */ copied) => `${next === undefined ? "What would follow" : `“${next}”`}: g = ${g}, so ${copied} % copied.`,
  textArrowKeys: "The text; arrow keys walk from word to word",
  writtenVocabularySoftmax: " written by the vocabulary's softmax ",
  copiedPointer: " copied by the pointer",
};
