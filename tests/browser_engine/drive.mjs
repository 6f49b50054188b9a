// Runs the engine on what Python asks for: JSON comes in, and numbers go to a file, a line of JSON before each answer's.
//
// Asked: { folder, out, runs, tokenizer }. A run names its model's `kind` of facade, "language" unless given, and may have
// another `config`, and `changed`, a tensor whose numbers are given anew, [name, base64]; what else it holds is that facade's
// (see RUNS). One model is loaded per run. An answer's line says how many numbers each of its arrays has.

import { openSync, readFileSync, writeSync } from "node:fs";

import { loadGguf } from "../../tlmviz/browser/gguf_model.js";
import { loadHull } from "../../tlmviz/browser/hull.js";
import { load as loadLanguage } from "../../tlmviz/browser/language_model.js";
import { loadTranslator } from "../../tlmviz/browser/translator.js";
import { loadWords } from "../../tlmviz/browser/word_vectors.js";

const asked = JSON.parse(readFileSync(0, "utf8"));
const read = (name) => readFileSync(`${asked.folder}/${name}`);
const out = openSync(asked.out, "w");
const answer = (header, arrays = []) => {
  writeSync(out, `${JSON.stringify({ ...header, sizes: arrays.map((array) => array.length) })}\n`);
  for (const array of arrays) writeSync(out, new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
};

/** Bytes of the weights with one tensor's numbers replaced. */
function weightsOf(changed) {
  const bytes = new Uint8Array(read("model.safetensors"));
  if (!changed) return bytes;
  const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
  bytes.set(Buffer.from(changed[1], "base64"), 8 + length + header[changed[0]].data_offsets[0]);
  return bytes;
}

const counted = (count) => Array.from({ length: count }, (_, i) => i);
const configOf = (run) => run.config ?? `${read("config.json")}`;
const tokenizer = () => asked.tokenizer ?? `${read("tokenizer.json")}`;

/** What a run asks for, one answer after the other; an error is an answer too. */
function attempt(work) {
  try {
    work();
  } catch (error) {
    answer({ error: error.message, kind: error.name });
  }
}

/** Of a folder, or of the file `gguf` in it: texts to trace, with heads `muted`; texts to look `ahead` of; texts and numbers of tokens to `generate`. */
function runLanguage(run) {
  const model = run.gguf ? loadGguf(read(run.gguf), run.gguf.replace(/\.gguf$/, "")) : loadLanguage(configOf(run), weightsOf(run.changed), tokenizer());
  answer({ loaded: true });
  for (const text of run.texts ?? []) {
    attempt(() => {
      const trace = model.trace(text, { muted: run.muted });
      const { ids, tokens, layers, heads } = trace;
      const maps = counted(layers).flatMap((layer) => counted(heads).map((head) => trace.map(layer, head)));
      answer({ ids, tokens, layers, heads }, [...maps, trace.logits]);
    });
  }
  for (const text of run.ahead ?? []) {
    attempt(() => {
      const ahead = model.ahead(text);
      const maps = run.heads ? counted(ahead.depth).flatMap((k) => counted(run.heads).map((head) => ahead.map(k + 1, head))) : [];
      answer({ depth: ahead.depth }, [...counted(ahead.depth + 1).map((k) => ahead.logits(k)), ...maps]);
    });
  }
  for (const [text, count] of run.generate ?? []) attempt(() => answer({ text: model.generate(text, count) }));
}

/** Texts with options to `translate`, or to `search` with pins, ranked by a map; texts with translations, as ids, to `read`. */
function runTranslator(run) {
  const model = loadTranslator(configOf(run), weightsOf(run.changed), tokenizer());
  answer({ loaded: true });
  for (const [text, options] of run.translate ?? []) {
    attempt(() => {
      const { attention, ...found } = model.translate(text, options);
      answer(found, [attention]);
    });
  }
  for (const [text, { pins, ...options }, align] of run.search ?? []) {
    attempt(() => {
      const found = model.search(text, { ...options, pins: new Map(pins) }).hypotheses(undefined, align);
      answer({ found: found.map(({ attention, covered, ...rest }) => rest), maps: model.maps }, found.map(({ attention }) => attention));
    });
  }
  for (const [text, translation] of run.read ?? []) {
    attempt(() => {
      const reading = model.read(text, translation);
      const layers = reading.parts ? Object.entries(reading.parts).map(([part, { length }]) => [part, length]) : [["cross", 1]];
      const maps = layers.flatMap(([part, count]) => counted(count).flatMap((layer) => counted(reading.heads).map((head) => reading.map(part, layer, head))));
      answer({ source: reading.source, target: reading.target }, [reading.logits, ...maps]);
    });
  }
}

/** Arguments of `neighbours`, and of `analogy`. */
function runWords(run) {
  const model = loadWords(configOf(run), weightsOf(run.changed), run.vocabulary ?? `${read("vocabulary.tsv")}`);
  answer({ loaded: true });
  for (const asked of run.neighbours ?? []) attempt(() => answer({ near: model.neighbours(...asked) }));
  for (const asked of run.analogy ?? []) attempt(() => answer({ near: model.analogy(...asked) }));
}

/** Sets of points to `draw` the hull of. */
function runHull(run) {
  const model = loadHull(configOf(run), weightsOf(run.changed));
  answer({ loaded: true });
  for (const points of run.draw ?? []) {
    attempt(() => {
      const { order, attention } = model.draw(points);
      answer({ order }, [attention]);
    });
  }
}

const RUNS = { language: runLanguage, translator: runTranslator, words: runWords, hull: runHull };
for (const run of asked.runs) attempt(() => RUNS[run.kind ?? "language"](run));
