// @ts-check
// Which terms a search means, and the letter that a term stands under.

/** @typedef {{ name: string, aliases: string[], text: string }} Searched */

/**
 * Whether every word of a search is in a term's name, its other forms or what it means.
 * @param {Searched} entry
 * @param {string} find
 */
export function fits({ name, aliases, text }, find) {
  const within = [name, ...aliases, text].join(" ").toLowerCase();
  return find.toLowerCase().split(/\s+/).every((word) => within.includes(word));
}

/** The first letter of a name in upper case; # for a digit. @param {string} name */
export function initial(name) {
  const [first] = name.match(/[\p{L}\p{N}]/u) ?? ["#"];
  return /\p{L}/u.test(first) ? first.toUpperCase() : "#";
}
