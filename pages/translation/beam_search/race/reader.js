// @ts-check
// Makes the race of a sentence in the visitor's browser, by the model of the server's picture.

import { translatorAt } from "#components/engine/translator.js";
import { raceOf } from "./raced.js";

/** @param {string} address of the model's folder @returns {Promise<import("#canvas/ahead.js").Reader>} */
async function raceReader(address) {
  const mt = await translatorAt(address);
  let [read, searches] = ["", new Map()];
  return (text, { engine, warm }, state) => {
    const own = [read, engine.text].includes(text) ? state.own : []; // tokens of another sentence say nothing
    if (text !== read) [read, searches] = [text, new Map()];
    const { header } = raceOf(mt, text, { ...engine.given, own }, warm, searches);
    return { header: { ...header, state: { ...state, own } }, arrays: {} };
  };
}

export default raceReader;
