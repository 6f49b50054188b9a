// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  timesMoreLatents: (/** @type {string} */ ratio) => `${ratio} times more: latents pay off only where they are fewer than the inputs`,
  selfAttentionN: (/** @type {string} */ among, /** @type {string} */ read, /** @type {string} */ mix, /** @type {string} */ read2, /** @type {string} */ verdict) => `Self-attention: N² = ${among} scores per head. Latents: N·M + M² = ${read} + ${mix} = ${read2}, ${verdict}.`,
  mixMM: "and mix, M × M",
  nNM: "N × N and M × N products",
};
