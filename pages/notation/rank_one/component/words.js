// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  lastTermColumn: "the last term: column × row",
  singularValuesWhich: (/** @type {number} */ valuesCount, /** @type {number} */ rank) => `singular values: ${valuesCount}, of which ${rank} above 0`,
  leftAfterK: "left after k terms (share of the norm)",
  singularTermsLeast: "singular terms: the least there is",
  theyStandDotted: "as they stand (dotted)",
  noOtherTerms: "No other terms, as many, leave less.",
  firstSingularTerm: (/** @type {number} */ count, /** @type {number} */ count2, /** @type {string} */ best) => `The ${count === 1 ? "first singular term alone leaves" : `first ${count2} singular ones leave`} ${best}.`,
  noTermYet: (/** @type {number} */ rows, /** @type {number} */ cols, /** @type {number} */ rank) => `No term yet: 100 % is left. The matrix is ${rows} × ${cols} of rank ${rank}.`,
  termsLeaveMatrix: (/** @type {number} */ count, /** @type {number} */ count2, /** @type {string} */ left, /** @type {string} */ beside, /** @type {string} */ last) => `${count} of ${count2} terms leave ${left} of the matrix. ${beside} Added last: ${last}.`,
  columnMatrixSum: (/** @type {string} */ where, /** @type {number} */ col, /** @type {string} */ whole, /** @type {string} */ sum, /** @type {string} */ whole2, /** @type {string} */ term) => `${where}, column ${col}: the matrix ${whole}, the sum ${sum}, left ${whole2}${term}.`,
  addTermTerm: "Add term by term",
  arrowKeysAdd: (/** @type {string} */ title, /** @type {string} */ sumSentence) => `${title}. ${sumSentence} Arrow keys add and take away terms, space plays.`,
  largestTermsFirst: "Largest terms first, or as they stand",
};
