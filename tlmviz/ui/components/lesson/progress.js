// @ts-check
// Progress in the address: the lesson, the scene, what was told, and the visitor's sentence.

const NONE = "-"; // a scene that was not answered
export const LONGEST = 160; // characters of a sentence that the server reads, as in runner.py
const WORN = ["lang", "read", "embed", "room", "wall"]; // what an address keeps while a lesson is taken

/** @typedef {{ lesson: string, scene: number, told: (number | null)[], sentence: string }} Place `scene` counts from 1 */

/** @param {string} search of an address @returns {Place} */
export function placeIn(search) {
  const said = new URLSearchParams(search);
  const told = (said.get("told") ?? "").split(".").map((part) => (/^\d{1,4}$/.test(part) ? Number(part) : null));
  return { lesson: said.get("lesson") ?? "", scene: Math.max(1, Number.parseInt(said.get("scene") ?? "1") || 1), told,
    sentence: [...(said.get("sentence") ?? "")].slice(0, LONGEST).join("") };
}

/**
 * Where the address says that one is; where a page that was left has written its own there, late, where the server was asked for.
 * @param {string} asked the query that the server was asked with
 * @param {string} search of the address
 */
export function placeNow(asked, search) {
  const keys = [...new URLSearchParams(search).keys()];
  return placeIn(keys.includes("lesson") || keys.every((key) => WORN.includes(key)) ? search : asked);
}

/** @param {Place} place @param {string} [search] of the address that is left */
export function linkTo({ lesson, scene, told, sentence }, search = "") {
  const left = new URLSearchParams(search);
  const said = new URLSearchParams({ lesson });
  if (scene > 1) said.set("scene", String(scene));
  const written = told.map((one) => one ?? NONE).join(".").replace(/[.-]+$/, "");
  if (written) said.set("told", written);
  if (sentence) said.set("sentence", sentence);
  for (const key of WORN) if (left.has(key)) said.set(key, left.get(key) ?? "");
  return `lessons?${said}`;
}

/** Go to another address of the app, as its own links do: the open session follows. @param {string} link */
export function follow(link) {
  history.pushState({}, "", link);
  dispatchEvent(new PopStateEvent("popstate"));
}
