// @ts-check
// Reads a text in the visitor's browser by the model of the server's picture. A script of its own, which is fetched once somebody types.

import { surveyOf } from "../../../browser/survey.js";
import { measured } from "../../../browser/tags.js";
import { languageModelAt } from "../engine/language.js";
import { payloadOf } from "./payload.js";

/** @typedef {import("./types").Header} Header */

/** What the server says of its own text alone. @type {Partial<Header>} */
const OF_THAT_TEXT = { written: undefined, groups: undefined, engine: undefined };

/**
 * What reads texts, once the model's files are here.
 * @param {string} address of the model's folder, with a slash
 * @returns {Promise<(text: string, header: Header, state: import("./types").State) => import("./types").Payload>} throws EngineError
 */
async function readerOf(address) {
  const model = await languageModelAt(address);
  return (text, header, state) => {
    const reading = model.trace(text);
    const there = state.query !== null && state.query < reading.ids.length;
    const tags = header.tags && { table: header.tags.table, ...measured(reading) };
    return payloadOf(reading, surveyOf(reading, header.overview_size), there ? state : { ...state, query: null, key: null },
      { ...header, ...OF_THAT_TEXT, tags });
  };
}

export default readerOf;
