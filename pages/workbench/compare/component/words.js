// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  everyHeadWeight: "every head: weight in B − weight in A",
  headAttentionMoved: (/** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ moved) => `head ${layer}.${head}: ${moved} of its attention moved`,
  residualStreamsDifferent: "residual streams: of different width, no cosine",
  streamsCosineUp: (/** @type {string} */ most) => `streams: 1 − cosine, up to ${most}`,
  behindLayerAlong: "behind each layer, along the text →",
  layerHeadAverage: (/** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ moved) => `Layer ${layer}, head ${head}: on average ${moved} of a token's attention goes elsewhere. Click to see it in detail.`,
  cosineBetweenBoth: (/** @type {number} */ layer, /** @type {number} */ layer2, /** @type {string} */ row, /** @type {string} */ value) => `${layer ? `Behind layer ${layer2}` : "Before layer 0"} at ${row}: cosine ${value} between both streams.`,
  looksB: (/** @type {string} */ where, /** @type {string} */ row, /** @type {string} */ col, /** @type {string} */ a, /** @type {string} */ b, /** @type {string} */ difference) => `${where}: ${row} looks at ${col} with ${a} in A and ${b} in B: ${difference}.`,
  bBehindPredictions: (/** @type {string} */ where, /** @type {string} */ row, /** @type {number} */ cellsCount, /** @type {string} */ cells, /** @type {string} */ kl) => `${where} at ${row}, from A to B: ${cellsCount ? cells : "no weight changes"}. Behind it the predictions are ${kl} nats apart (KL).`,
  arrowKeysPin: (/** @type {string} */ title, /** @type {string} */ said) => `${title}. ${said} Arrow keys pin other tokens.`,
  leftOutB: "left out of B",
  klPredictionsBehind: (/** @type {string} */ kl) => `KL of the predictions behind it: ${kl} nats`,
  layerHeadShare: (/** @type {number} */ layer, /** @type {number} */ head) => `Layer ${layer}, head ${head}: the share of its attention that goes elsewhere`,
  bothTextsAligned: "Both texts, aligned; bars: KL of the predictions",
};
