// @ts-check
// A translator of the server's.

import { loadTranslator } from "#browser/translator.js";
import { modelAt } from "./files.js";

/** @param {string} address of the model's folder, with a slash */
export const translatorAt = (address) => modelAt(address, loadTranslator);
