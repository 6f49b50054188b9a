// @ts-check
// Makes the steps of a generation in the visitor's browser, by the model of the server's picture.

import { languageModelAt } from "#components/engine/language.js";
import { decodingOf } from "./decoded.js";

/** @param {string} address of the model's folder @returns {Promise<import("#canvas/ahead.js").Reader>} */
async function decodingReader(address) {
  const lm = await languageModelAt(address);
  return (text, { engine: { given: { head, tokens, costs } } }) => decodingOf(lm, text, { tokens, head }, { [lm.name]: costs });
}

export default decodingReader;
