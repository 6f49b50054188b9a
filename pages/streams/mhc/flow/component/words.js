// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  widthsWhatLeft: "widths: what is left of the embedding",
  widthsEntriesH: "widths: entries of each H_res",
  streamsThroughSublayers: (/** @type {string} */ tokenName, /** @type {string} */ widths) => `Streams through the sublayers at token ${tokenName} · ${widths}`,
  readsStreamsWrites: (/** @type {string} */ title, /** @type {string} */ name, /** @type {string} */ pre, /** @type {string} */ post) => `${title}, ${name}: reads streams × ${pre}; writes to them × ${post}`,
  embeddingCarriedEnd: (/** @type {string} */ min, /** @type {string} */ max) => `embedding carried to the end × ${min} to × ${max}`,
  sumsLastRows: (/** @type {string} */ min, /** @type {string} */ max) => `sums of the last rows ${min} to ${max}`,
  streamEveryMatrix: (/** @type {string} */ model) => `${model} · one stream, every matrix is 1`,
  hResOff: (/** @type {string} */ model, /** @type {string} */ left, /** @type {string} */ far) => `${model} · ${left} · H_res off the identity by ${far} at most`,
  walkThroughSublayers: "Walk through the sublayers",
  streamsThroughSublayers2: (/** @type {number} */ p, /** @type {string} */ tokenName, /** @type {string} */ shownMembers) => `Streams through ${p} sublayers at token ${tokenName}. ${shownMembers}. Left and right arrow keys choose a sublayer, up and down a token, space plays.`,
  allModelsFamily: "All models of this family",
  widthsWhatLeft2: "Widths: what is left of the embedding in each stream, exactly",
  widthsEntriesH2: "Widths: the entries of each H_res by themselves",
};
