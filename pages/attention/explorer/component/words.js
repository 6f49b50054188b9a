// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  addsLogit: (/** @type {string} */ adds) => `; adds ${adds} to the logit`,
  layerHeadFlow: (/** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ key, /** @type {string} */ query, /** @type {string} */ flow, /** @type {string} */ logit) => `Layer ${layer}, head ${head}: ${key} to ${query}, ${flow} of the flow${logit}`,
  clickEdgeSee: "Click an edge to see its head and cell in the map above. Arrow keys go through the edges from the largest on, Enter opens one.",
};
