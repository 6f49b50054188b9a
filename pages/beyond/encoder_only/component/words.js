// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  layerHeadFirst: (/** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ first, /** @type {string} */ second, /** @type {string} */ special) => `layer ${layer}, head ${head}: ${first} on the first text, ${second} on the second, ${special} on special tokens`,
  layerHeadCls: (/** @type {number} */ layer, /** @type {number} */ head, /** @type {string} */ first, /** @type {string} */ second, /** @type {string} */ special, /** @type {string} */ most) => `Layer ${layer}, head ${head}: [CLS] has ${first} of its weight on the first text, ${second} on the second, ${special} on [CLS] and [SEP]; the darkest token gets ${most}.`,
  headsHowMuch: "Heads: how much of [CLS]'s weight lies on each text",
  whatClsReads: "What [CLS] reads, head by head: ",
  hiddenGuessedP: (/** @type {string} */ both, /** @type {string} */ causal) => `hidden, it is guessed with p = ${both}; from the left alone ${causal}`,
  whatMayStand: "What may stand at [MASK]:",
  hiddenPBoth: (/** @type {string} */ truth, /** @type {string} */ both, /** @type {string} */ causal) => `“${truth}” hidden: p = ${both} from both sides, ${causal} from the left alone.`,
  textPressToken: "The text: press a token to hide it, arrow keys for its neighbours",
  causalMaskLeft: "Causal mask on: the left alone",
  readsOfTwo: "What [CLS] reads of two texts",
  hiddenWordGuessed: "A hidden word, guessed from both sides and from the left",
};
