// @ts-check
// Which terms a search means, and the letter that a term stands under.

/** @typedef {{ name: string, aliases: string[], text: string }} Searched */

/**
 * Whether every word of a search begins a word of a term's name, its other forms or what it means.
 * @param {Searched} entry
 * @param {string} find
 */
export function fits({ name, aliases, text }, find) {
  const within = ` ${[name, ...aliases, text].join(" ").toLowerCase()}`;
  const begins = (/** @type {string} */ word) => within.split(word).slice(0, -1).some((before) => /[^\p{L}\p{N}]$/u.test(before));
  return find.toLowerCase().split(/\s+/).filter(Boolean).every(begins);
}

/** The first letter of a name in upper case; # for a digit. @param {string} name */
export function initial(name) {
  const [first] = name.match(/[\p{L}\p{N}]/u) ?? ["#"];
  return /\p{L}/u.test(first) ? first.toUpperCase() : "#";
}
