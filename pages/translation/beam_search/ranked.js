// @ts-check
// The rows of a ranking, as data.py makes them. Free of the DOM.

import { coverageOf } from "#browser/decoding/penalties.js";
import { _ } from "#canvas/language.js";

const SENT = 200; // texts of a ranking, the most probable ones

/**
 * The ranking's header: a row for each text that a search ended with, in order of log P.
 * @param {import("#browser/translator.js").Translator} mt
 * @param {import("#browser/decoding/beam.js").Search} search
 */
export function rankingOf(mt, search) {
  const rows = search.hypotheses().map(({ node, tokens, logps, finished, covered }) => ({
    id: node, text: mt.text(tokens), way: [0, ...search.wayTo(node)], count: tokens.length, logp: logps.reduce((sum, logp) => sum + logp, 0),
    coverage: coverageOf(covered), ends: tokens.length / covered.length, finished,
  }));
  const title = _("{model}, beam of {width}: final ranking in nats", { model: mt.name, width: search.options.width });
  return { title, rows: rows.sort((a, b) => b.logp - a.logp).slice(0, SENT), kind: "gnmt", source: true };
}
