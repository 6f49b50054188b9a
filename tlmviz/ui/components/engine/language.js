// @ts-check
// A language model of the server's.

import { load } from "#browser/language_model.js";
import { modelAt } from "./files.js";

/** @param {string} address of the model's folder, with a slash */
export const languageModelAt = (address) => modelAt(address, load);
