// @ts-check
// Makes the picture of a text in the visitor's browser, by the model of the server's picture.

import { languageModelAt } from "#components/engine/language.js";
import { layerOf } from "./block.js";
import { readLayer, tokenOfChoice } from "./token.js";

/** @param {string} address of the model's folder @returns {Promise<import("#canvas/ahead.js").Reader>} */
async function blockReader(address) {
  const lm = await languageModelAt(address);
  let read = /** @type {import("./token.js").Read | null} */ (null);
  return (text, { engine: { given: { layer, head, query, steps, tags } } }, { step, cell }) => {
    if (read?.text !== text || read.layer !== layer) read = readLayer(lm, text, layer);
    return layerOf(read, { layer, head, position: tokenOfChoice(read.trace, query, tags), step, cell }, steps);
  };
}

export default blockReader;
