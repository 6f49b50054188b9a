// @ts-check
// Sentences in the visitor's language: looked up as they stand, then filled.

/** @typedef {Record<string, string | number>} Values what stands in the holes of a sentence, by name */

const [UNACCENTED, ACCENTED] = ["aceginosuyzACEGINOSUYZ", "áćéǵíńóśúýźÁĆÉǴÍŃÓŚÚÝŹ"].map((letters) => [...letters]);
const ACCENTS = Object.fromEntries(UNACCENTED.map((letter, i) => [letter, ACCENTED[i]]));

const spokenOn = /** @type {{ tlmvizLanguage?: string }} */ (globalThis); // each component has its copy of this file: the page has one language

/**
 * Choose the language of all sentences of the page from now on.
 * @param {string} [language]
 */
export function chooseLanguage(language) {
  spokenOn.tlmvizLanguage = language;
}

/**
 * A sentence as it stands; in "en-XA" with accents on its letters, so that what was forgotten shows.
 * @param {string} message
 */
function lookup(message) {
  return spokenOn.tlmvizLanguage === "en-XA" ? message.replace(/\{[^{}]*\}|[a-z]/gi, (part) => ACCENTS[part] ?? part) : message;
}

/** Marks what is declared where a file is read and looked up where it is shown. @param {string} message */
export const N_ = (message) => message;

/**
 * A sentence with `{names}` in it, and what stands there.
 * @param {string} message
 * @param {Values} [values]
 */
export function _(message, values = {}) {
  return lookup(message).replace(/\{(\w+)\}/g, (hole, name) => String(values[name] ?? hole));
}

/**
 * A sentence for a count `n`, which is also a value.
 * @param {string} one
 * @param {string} many
 * @param {number} n
 * @param {Values} [values]
 */
export function ngettext(one, many, n, values = {}) {
  return _(n === 1 ? one : many, { n, ...values });
}
