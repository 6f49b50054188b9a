// @ts-check
// Reads a sentence in the visitor's browser, by the model of the server's picture.

import { languageModelAt } from "#components/engine/language.js";
import { lookOf } from "./reading.js";

/** @param {string} address of the model's folder @returns {Promise<import("#canvas/ahead.js").Reader>} */
async function lookReader(address) {
  const lm = await languageModelAt(address);
  return (text, { engine: { given } }) => ({ header: lookOf(lm, text, given), arrays: {} });
}

export default lookReader;
