// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  theCellAt: (/** @type {string} */ name) => `the cell at the ${name}`,
  pictureThreeThree: (/** @type {string} */ name) => `The picture, three by three cells. Chosen: ${name}. Arrow keys choose another, a digit key puts that digit there, Delete empties it.`,
  picturePatchesUnder: (/** @type {string} */ said) => `The picture in 36 patches under the weights of a word. ${said} Arrow keys choose a patch, Escape none.`,
  pictureWhatMarked: (/** @type {string} */ turnedSaid) => `The picture with what is marked. ${turnedSaid} Arrow keys choose a patch, Escape none.`,
  meanAllHeads: "The mean of all heads",
  chosenPatchWas: (/** @type {string} */ head, /** @type {string} */ word, /** @type {string} */ looked) => `${head}: the chosen patch was looked at most for “${word}” (${looked} of that word's weight).`,
  chooseWordSee: "Choose a word to see where it looked.",
  weightCell: (/** @type {string} */ head, /** @type {string} */ verb, /** @type {string} */ word, /** @type {string} */ sum, /** @type {string} */ name) => `${head}, ${verb} “${word}”: ${sum} of the weight is on the cell at the ${name}.`,
  chosenPatchCell: (/** @type {string} */ head, /** @type {string} */ name, /** @type {string} */ most, /** @type {string} */ read) => `${head}: the chosen patch, in the cell at the ${name}, gives “${most}” ${read} of its weight.`,
  chooseWordSee2: "Choose a word to see which patches look at it.",
  lookedMostCell: (/** @type {string} */ head, /** @type {string} */ turnedWord, /** @type {string} */ name, /** @type {string} */ mean) => `${head}: “${turnedWord}” is looked at most from the cell at the ${name} (${mean} of a patch's weight).`,
  meanHeadSmall: "The mean and each head, small. Left and right choose one.",
  pictureAsksText: "The picture asks the text",
  patchesAskWords: "The patches ask the words",
  textAsksPicture: "The text asks the picture",
  wordsAskPatches: "The words ask the patches",
  putHeldOut: (/** @type {number} */ digit) => `Put a held-out ${digit} there; again for another`,
};
