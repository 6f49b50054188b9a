// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  chosenRouterHas: (/** @type {string} */ rows, /** @type {boolean} */ biased) => `Chosen: ${rows}.${biased ? "" : " This router has no bias."}`,
  moreExpertsScore: (/** @type {number} */ left) => `${left} more experts score lower.`,
  crossedExpertDid: "A crossed expert did not read this token: it was full, or muted.",
  notesFormulaSoftmax: (/** @type {string} */ rows) => `By the notes' formula, softmax over the chosen of logit plus bias, the weights would be ${rows}.`,
  chosenBiasWithout: (/** @type {string} */ withText) => `Chosen with the bias and without it: ${withText}.`,
  chosenBiasWithout2: (/** @type {string} */ withText, /** @type {string} */ without) => `Chosen with the bias: ${withText}. Without it: ${without}.`,
  scoreRouter: " score of the router ",
  addedBias: " added by the bias ",
  orangeFramePicture: ". An orange frame in the picture: the bias changed this choice.",
  barsShareTokens: (/** @type {string} */ clicks) => `${clicks || "Click on a row to see what the router says of its token."} Bars: the share of the tokens that reach an expert.`,
  layerExpertTokens: (/** @type {number} */ layer, /** @type {number} */ expert, /** @type {string} */ load, /** @type {string} */ chosen, /** @type {string} */ clicks) => `Layer ${layer}, expert ${expert}: ${load} % of the tokens; shared evenly it would be ${chosen} %. ${clicks}`,
  scoreBias: (/** @type {string} */ score, /** @type {boolean} */ biased, /** @type {string} */ score2) => `score ${score}${biased ? `, with the bias ${score2}` : ""}`,
  layerExpertWeight: (/** @type {string} */ token, /** @type {number} */ layer, /** @type {number} */ expert, /** @type {string} */ scores, /** @type {boolean} */ chosen, /** @type {boolean} */ kept, /** @type {string} */ weight, /** @type {number | boolean} */ plain, /** @type {boolean} */ biased) => `${token}, layer ${layer}, expert ${expert}: ${scores}; ${chosen ? (kept ? `weight ${weight}` : "chosen, but the expert was full") : "not chosen"}${plain !== chosen && biased ? " (the bias decided)" : ""}.`,
  expertsTokenReaches: "The experts that each token reaches, darker with more weight",
  whatRouterGives: "What the router gives every expert, before the bias",
  tokensExpertsLayers: "Tokens by experts, layers side by side; arrow keys walk through tokens and layers",
};
