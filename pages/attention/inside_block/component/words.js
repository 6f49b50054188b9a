// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  stepStepChosen: (/** @type {string} */ title, /** @type {string} */ step, /** @type {string} */ cell) => `${title}, step by step. Chosen: ${step}${cell}. Up and down arrow keys choose a step, left and right a cell.`,
  hiddenMask: (/** @type {string} */ x, /** @type {number} */ array, /** @type {string} */ label, /** @type {boolean} */ finite, /** @type {string} */ value) => `${x} ${array}${label}: ${finite ? value : "hidden by the mask"}`,
  productsLargest: (/** @type {number} */ count, /** @type {string} */ left, /** @type {string} */ right) => `Σ of ${count} products, ${left} × ${right}; the largest:`,
  sumModelTensor: (/** @type {number} */ bias, /** @type {string} */ bias2, /** @type {string} */ total, /** @type {string} */ actual) => `${bias ? `with bias ${bias2} ` : ""}sum ${total}; in the model's tensor ${actual}`,
};
