// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  latentLayerThen: (/** @type {number} */ chosen, /** @type {number} */ chosen2, /** @type {string} */ reads, /** @type {number} */ takenCount, /** @type {string} */ taken) => `Latent ${chosen} in layer ${chosen2} ${reads}; then it takes most from ${takenCount > 1 ? "latents" : "latent"} ${taken}, as the bars say.`,
  pixelReadMost: (/** @type {string} */ pixel, /** @type {number} */ latent, /** @type {number} */ layer, /** @type {string} */ weight) => `The pixel at ${pixel} is read most by latent ${latent} in layer ${layer}: ${weight}; the bars say how much by each.`,
  pointMapPixel: "Point at a map, or at a pixel of the pad. Click a map to keep it.",
  mapsLatentsLayers: (/** @type {number} */ latents, /** @type {number} */ layers, /** @type {string} */ said) => `Maps of ${latents} latents in ${layers} layers. ${said} Arrow keys choose a map, M mutes its latent.`,
  takeChosenLatent: "Take the chosen latent out: no other one sees it, and the answer leaves it out",
  letAllLatents: "Let all latents take part",
  drawPaperPlace: "Draw with paper in place of ink",
  emptyPadDraw: "Empty the pad, to draw a digit of your own",
};
