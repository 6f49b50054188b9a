// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  patchesLayerChosen: (/** @type {boolean} */ heads, /** @type {string} */ sentence) => `Patches by layer and ${heads ? "head" : "position"}. Chosen: ${sentence} Arrow keys move.`,
};
