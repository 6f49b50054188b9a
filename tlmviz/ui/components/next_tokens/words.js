// @ts-check
// What the view says: its sentences, whole.

export const NEXT_TEXTS = {
  beforeCutsAfter: (/** @type {string} */ p, /** @type {string} */ after) => `${p} before the cuts, ${after} after them`,
  letGoWord: "Let go of this word",
  whoWroteWord: "Who wrote this word? Shows what each head and MLP adds to it",
  letModelWrite: "Let the model write on, token by token",
  takeLastWritten: "Take the last written token back",
  backTextBefore: "Back to the text before anything was written",
  keepTextBeside: "Keep this text beside another continuation",
  mostProbableTokens: (/** @type {string} */ data) => `${data}: the most probable tokens and their probabilities`,
};
