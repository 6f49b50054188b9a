// @ts-check
// The translators of the site.

import { loadTranslator } from "#browser/translator.js";
import { opened, textOf } from "#site/fetching.js";

/** @param {string} name */
export const translator = (name) => opened(name, (files) =>
  loadTranslator(textOf(files["config.json"]), files["model.safetensors"], textOf(files["tokenizer.json"])));
