// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  looksMostWeight: (/** @type {string} */ label, /** @type {string} */ token, /** @type {string} */ token2, /** @type {number} */ percent) => `${label}: “${token}” looks most at “${token2}”, with ${percent} % of its weight.`,
};
