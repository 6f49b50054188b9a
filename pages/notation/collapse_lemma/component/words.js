// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  headMAll: "head 0's M in all",
  meanM: "and the mean M's",
  meanHeads: "mean of the heads",
  headMeanM: "one head, mean M",
  headMeanM2: "one head with the mean M",
  softmaxBetweenScores: (/** @type {number} */ heads, /** @type {string} */ missed) => `A softmax between the scores and the values: the mean of ${heads} softmaxes is not the softmax of the mean. One head with the mean M misses ${missed} of the layer's output.`,
  weightsScoresThemselves: (/** @type {number} */ heads, /** @type {string} */ missed) => `Weights are the scores themselves: ${heads} heads, each with its own M, add up to one head with the mean M. It misses ${missed} of the output: rounding.`,
  sameWQ: "each with the same W_Q and W_K",
  wQW: "each with a W_Q and a W_K of its own",
  headsM: (/** @type {string} */ between, /** @type {number} */ heads, /** @type {string} */ factors) => `${between}; ${heads} heads with one M, ${factors}: `,
  mWQ: (/** @type {number} */ heads, /** @type {string} */ factors) => `One M = W_Q W_K' in ${heads} heads, ${factors}, nothing between: `,
  logitsUpApart: (/** @type {string} */ logits, /** @type {string} */ maps, /** @type {string} */ output) => `logits up to ${logits} apart, probabilities up to ${maps}. One head with the sum of all W_V W_O misses ${output} of the layer's output`,
  roundingTheyHead: (/** @type {string} */ intro, /** @type {string} */ found, /** @type {number} */ output) => `${intro}${found}${output < 1e-9 ? ": rounding. They are one head." : "."}`,
  hiddenMask: "hidden by the mask",
  wQW2: "One W_Q W_K' in all heads",
  wVW: "One W_V W_O in all heads",
  whatAllHeads: "What all heads share",
};
