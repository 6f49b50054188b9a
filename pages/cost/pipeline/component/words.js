// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  microBatchesHeld: "Micro-batches held, by device",
  sendsWhatMade: "sends what it made of",
  deviceMicroBatch: (/** @type {number} */ device, /** @type {string} */ what, /** @type {number} */ micro, /** @type {number} */ stage, /** @type {string} */ start, /** @type {string} */ end, /** @type {string} */ beside) => `Device ${device}: ${what} micro-batch ${micro}, stage ${stage} of the model, from ${start} to ${end}${beside}.`,
  devicesTimeSo: (/** @type {string} */ run) => `${run}% of the devices' time so far was spent waiting`,
  afterAllDone: (/** @type {string} */ time, /** @type {string} */ passed, /** @type {string} */ peaks) => `After ${time} all is done; ${passed}. At most they held ${peaks}.`,
  workWaitThey: (/** @type {string} */ at, /** @type {string} */ time, /** @type {number} */ working, /** @type {number} */ stages, /** @type {number} */ stages2, /** @type {string} */ passed, /** @type {string} */ held) => `At ${at} of ${time}: ${working} of ${stages} work, ${stages2} wait; ${passed}. They hold ${held}.`,
  arrowKeysMove: (/** @type {string} */ title, /** @type {string} */ momentSentence) => `${title}. ${momentSentence} Arrow keys move through time, space plays.`,
};
