// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  natsBarsLeft: " in nats. Bars to the left are costs; green gives back what the length penalty forgives. Black tick: the score",
  mostProbableText: "The most probable text wins",
  moreProbableWins: (/** @type {string} */ text, /** @type {string} */ text2) => `“${text}” is more probable; “${text2}” wins`,
  orderSame: (/** @type {string} */ winner) => `${winner}. The order is the same.`,
  tokensScoreMean: (/** @type {string} */ text, /** @type {boolean} */ finished, /** @type {number} */ count, /** @type {string} */ terms, /** @type {string} */ total, /** @type {string} */ logp) => `${text}${finished ? "" : " … (unfinished)"}\n${count} tokens; ${terms}; score ${total}` +
    `\nmean probability per token (geometric): ${logp}`,
};
