// @ts-check
// Makes the clocks of a text in the visitor's browser, by the model of the server's picture.

import { languageModelAt } from "#components/engine/language.js";
import { clocksOf, pairOf } from "./planes.js";

/** @param {string} address of the model's folder @returns {Promise<import("#canvas/ahead.js").Reader>} */
async function clocksReader(address) {
  const lm = await languageModelAt(address);
  return (text, { engine: { given: { head, query, key, ...turned } } }) => {
    const trace = lm.trace(text);
    return clocksOf(trace, { head, pair: pairOf(trace, head, { query, key }), ...turned });
  };
}

export default clocksReader;
