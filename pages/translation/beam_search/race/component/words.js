// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  logPText: "log P of the text so far (nats) by number of tokens",
  chooseFirstToken: (/** @type {string} */ rivals) => `Choose the first token, and go on until ⟨end⟩. To beat, by score: ${rivals}.`,
  afterTokenLog: (/** @type {number} */ t, /** @type {string} */ own, /** @type {string} */ beside) => `After ${t} token${t > 1 ? "s" : ""} your log P is ${own}; ${beside}.`,
  beamsStep: (/** @type {string} */ model, /** @type {string} */ lanes, /** @type {number} */ shownStep) => `${model}: beams of ${lanes} at step ${shownStep}`,
  bestAllWidths: (/** @type {string} */ best) => `Best of all widths, by score: ${best}`,
  wStepNumber: (/** @type {number} */ width, /** @type {number} */ depth, /** @type {number} */ rank, /** @type {number} */ count, /** @type {string} */ names, /** @type {string} */ total, /** @type {number} */ elsewhereCount, /** @type {string} */ elsewhere) => `W = ${width}, step ${depth}, number ${rank} of ${count}: ${names}, log P ${total}; kept ${elsewhereCount ? `at W = ${elsewhere} too` : "by this width only"}`,
  widthScoreLost: (/** @type {number} */ width, /** @type {string} */ text, /** @type {string} */ score, /** @type {boolean} */ lost, /** @type {number} */ step) => `Width ${width}: ${text}, score ${score}${lost ? `; lost the best text at step ${step}` : ""}`,
  letAllBeams: "Let all beams advance together",
  takeLastToken: "Take the last token back",
  takeAllTokens: "Take all tokens back",
};
