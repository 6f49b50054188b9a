// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  headQueriesDown: (/** @type {number} */ layer, /** @type {number} */ head) => `Head ${layer}.${head}: queries down, keys across`,
  showText: "Show it in the text",
  clickRowPin: (/** @type {string} */ said) => `${said} Click a row to pin its query.`,
  darkWhatReads: "dark is what it reads, by the square root of the weight",
  darkSurprisingNats: (/** @type {number} */ surprised) => `dark is surprising: 0 to ${surprised} nats`,
  pinnedHeadPuts: (/** @type {string} */ name, /** @type {string} */ loss, /** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ sum, /** @type {number} */ topCount, /** @type {string} */ colored) => `Pinned ${name}${loss}: head ${layer}.${head} puts ${sum} of its weight on these ${topCount}. Colour of the text: ${colored}.`,
  textArrowKeys: "The text; arrow keys move the pinned word",
  headsReadFar: "Heads that read far",
  whatHeadReads: "What the head reads",
  colourWordsPinned: "Colour words by the pinned query's weights",
  colourWordsHow: "Colour words by how surprising they were",
  colourText: "Colour of the text",
  headsReadFar2: "Heads that read far:",
};
