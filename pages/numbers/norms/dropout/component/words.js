// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  errorMeanRms: "error of the mean (RMS)",
  nothingDroppedNo: "nothing is dropped: no error",
  numbersUnderMask: (/** @type {string} */ zeros, /** @type {number | string} */ xCount, /** @type {string} */ zeros2) => `${zeros} of ${xCount} numbers are 0 under this mask (${zeros2} %)`,
  meanOffExpected: (/** @type {string} */ masks, /** @type {string} */ off, /** @type {string} */ size, /** @type {string} */ size2) => `The mean of ${masks} is off by ${off}; expected ${size} (dashed), where RMS(X) is ${size2}.`,
  evaluationNothingDropped: "In evaluation nothing is dropped and nothing scaled: X passes as it is.",
  othersWithoutQ: (/** @type {string} */ share, /** @type {string} */ others, /** @type {string} */ error, /** @type {boolean} */ scaled) => `${share}, the others are ${others}. ${error}${scaled ? "" : " Without 1/q the mean comes to q·X, and no number of masks mends that."}`,
  droppedUnderMask: (/** @type {string} */ title, /** @type {number} */ p, /** @type {string} */ masks) => `${title} with ${p} % dropped: as it is, under a mask, and the mean of ${masks}`,
  dropoutMasksTheir: "Dropout: masks and their mean",
};
