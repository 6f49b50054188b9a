// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  arrowKeysMove: (/** @type {string} */ sentence) => `${sentence} Arrow keys move, Enter opens the reader.`,
  doesNotCome: (/** @type {string} */ name, /** @type {string} */ name2) => `${name} does not come after ${name2}, and so reads nothing of it.`,
  readMatricesWithout: (/** @type {string} */ name, /** @type {string} */ through, /** @type {string} */ name2, /** @type {string} */ array, /** @type {string} */ chance) => `${name}'s ${through} read ${name2}: ${array} (matrices without relation: about ${chance}). Click to see it on your text.`,
  whoLooksWhom: (/** @type {string} */ name) => `${name}: who looks at whom`,
  scoreSourceSource: "The score, source by source",
  takeStepThose: "Take this step and those after it away",
  putStepsBack: "Put the steps back that were taken away",
  allNumbersAdd: (/** @type {number} */ rowsCount, /** @type {string} */ score, /** @type {string} */ weight) => `All ${rowsCount} numbers add up to the score, ${score}; softmax makes a weight of ${weight} of it.`,
  attentionArrowKeys: (/** @type {string} */ name) => `Attention of ${name}. Arrow keys move the pin.`,
  arrowKeysChoose: (/** @type {string} */ said) => `${said} Arrow keys choose a pair of sources, Enter follows a head.`,
  readThereClick: (/** @type {string} */ name, /** @type {string} */ read, /** @type {string} */ read2) => `; ${name} read ${read} there (${read2}): click to follow`,
  keyGivesAll: (/** @type {string} */ column, /** @type {string} */ down, /** @type {string} */ column2) => `${column} at the key gives ${down} in all${column2}.`,
  queryGivesAll: (/** @type {string} */ row, /** @type {string} */ acros, /** @type {string} */ row2) => `${row} at the query gives ${acros} in all${row2}.`,
  queryKey: (/** @type {string} */ row, /** @type {string} */ column, /** @type {string} */ value, /** @type {string} */ column2, /** @type {string} */ row2) => `${row} at the query × ${column} at the key = ${value}${column2 || row2}.`,
  showEverySource: "Show every source, or the largest and the sum of all others",
  thenWritesLogits: (/** @type {string} */ name) => `${name} then writes: logits up`,
  valueSources: (/** @type {string} */ first) => `${first}: by the value's sources`,
};
