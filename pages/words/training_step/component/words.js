// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  xAlongStep: (/** @type {number} */ shown, /** @type {string} */ mode) => `x: along the step; ${shown} % of ${mode === "cbow" ? "the mean" : "v"} lies in this plane`,
  lossNatsStep: (/** @type {string} */ start, /** @type {string} */ now, /** @type {number} */ now2, /** @type {number} */ start2) => `Loss ${start} → ${now} nats${now2 > start2 ? ": the step is too long" : ""}`,
  howOftenStands: "by how often it stands in the text",
  powerHereNumbers: "by that to the power ¾: here the numbers fall",
  everyWordPart: (/** @type {number} */ width, /** @type {string} */ name) => `${width > 500 ? "Every word's part of the line, " : "Parts "}${name}`,
  prWordAll: (/** @type {string} */ center, /** @type {number | string} */ wordsCount) => `Pr(word | ${center}), all ${wordsCount} words sum to 1`,
  stepMovesV: (/** @type {string} */ rate, /** @type {string} */ context, /** @type {string} */ center, /** @type {string} */ before, /** @type {string} */ after) => `The step moves v by rate · (u_o − E[u]), ${rate} long: Pr(${context} | ${center}) goes from ${before} to ${after}.`,
  wordWasThere: (/** @type {string} */ word) => `“${word}” is the word that was there: this draw is left out`,
  uVWas: "σ(u·v): was this word there? 1 for the first, 0 for the drawn",
  drawnOutputVectors: (/** @type {number} */ rowsCount, /** @type {number} */ rowsCount2, /** @type {number | string} */ wordsCount, /** @type {string} */ word, /** @type {string} */ before, /** @type {string} */ after) => `${rowsCount} drawn, ${rowsCount2} of ${wordsCount} output vectors move. σ of “${word}” goes from ${before} to ${after}.`,
  vMean: (/** @type {string} */ text, /** @type {number} */ placesCount) => `v of “${text}”, one of ${placesCount} that the mean is of`,
  meanWordsPredicts: (/** @type {number} */ placesCount, /** @type {string} */ text, /** @type {string} */ said) => `The mean of ${placesCount} words predicts “${text}”. ${said}`,
  learningRatePower: "Learning rate, as a power of ten",
  drawOtherWords: "Draw other words: the next seed",
  textChooseWord: "The text; choose the word that is predicted",
  allVectorsMove: "all vectors move, not v alone",
};
