// @ts-check
// The mixing matrices of a text, as data.py and view.py make them of a family: those of one model, and of its plain twin, which are 1.
// Free of the DOM.

import { concatenated } from "#browser/language_model.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#browser/language_model.js").LanguageModel} LanguageModel */
/** @typedef {{ family: Record<string, string>, titles: Record<string, string>, warm: { light: string, dark: string } }} Given connection -> model,
 * and its title; the colour of what is negative */

const PARTS = ["pre", "post", "res"];
const PLACES = ["attn", "mlp"];

/**
 * The picture's header and arrays.
 * @param {LanguageModel} lm
 * @param {string} text
 * @param {Given} given
 * @throws BadText
 */
export function streamsOf(lm, text, { family, titles, warm }) {
  const { n_layers: layers, connection: { kind: own, streams } } = lm.config;
  const { trace, taps } = lm.watched(text, (name) => /\.join_(attn|mlp)\.(pre|post|res)$/.test(name));
  const { tokens } = trace;
  const arrays = /** @type {Record<string, Float32Array>} */ ({});
  const kinds = Object.keys(family).filter((kind) => kind === own || kind === "residual");
  const places = Array.from({ length: layers }, (_layer, layer) => PLACES.map((place) => `blocks.${layer}.join_${place}`)).flat();
  for (const kind of kinds) {
    for (const part of PARTS) {
      arrays[`${part}.${kind}`] = kind === "residual" ? new Float32Array(places.length * tokens.length).fill(1) : concatenated(
        places.map((place) => taps[`${place}.${part}`]));
    }
  }
  const members = kinds.map((kind) => ({ kind, title: titles[kind], model: family[kind], streams: kind === "residual" ? 1 : streams }));
  const names = Array.from({ length: layers }, (_layer, layer) => [`attention ${layer}`, `MLP ${layer}`]).flat();
  return { header: { title: _("Streams through the sublayers"), tokens, first: 0, names, members, warm }, arrays };
}
