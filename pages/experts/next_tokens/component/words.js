// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  textArrowKeys: "The text; arrow keys walk from token to token",
  modelPredictsT: "The model predicts t + 1",
  readsStateLeft: "reads the state from the left and the embedding of ",
  hasReadText: "has read the text up to ",
  passModel: "Pass of the model",
  passReadsText: "The pass that reads the text",
  proposedPassVerifies: (/** @type {string} */ proposed, /** @type {number} */ proposedCount, /** @type {number} */ accepted) => `Proposed: ${proposed}. One pass verifies ${proposedCount === 1 ? "it" : "all"}: ${accepted} of ${proposedCount} ${accepted === 1 ? "stays" : "stay"}`,
  textEndsThere: "; the text ends there.",
  modelAdds: (/** @type {string} */ added) => `, and the model adds “${added}”.`,
  passSoFar: (/** @type {number} */ step, /** @type {number} */ roundsCount, /** @type {string} */ what, /** @type {string} */ added, /** @type {number} */ so, /** @type {number} */ step2, /** @type {string} */ so2) => `Pass ${step} of ${roundsCount}. ${what}${added} So far ${so} ${so === 1 ? "token" : "tokens"} in ${step} ${step2 ? "passes" : "pass"}: ${so2} per pass.`,
  addedModelColumn: " added by the model; a column a pass",
  severalTokensPredicted: "Several tokens predicted at once",
};
