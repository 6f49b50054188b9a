// @ts-check
// The language models of the site.

import { loadGguf } from "#browser/gguf_model.js";
import { load } from "#browser/language_model.js";
import { opened, textOf } from "#site/fetching.js";
import { namesOf } from "#site/frame.js";

/** The names of the language models, a given one first where it is here. @param {string} first */
export const languageModels = (first) => namesOf("language", first);

/** @param {string} name */
export const languageModel = (name) => opened(name, (files) =>
  (files["model.gguf"] ? loadGguf(files["model.gguf"], name) : load(
  textOf(files["config.json"]), files["model.safetensors"], textOf(files["tokenizer.json"]))));
