// @ts-check
// A sentence as words to point at: the chosen word is framed, and every word is as blue as it is looked at.

import { followTyping } from "#canvas/ahead.js";
import { make } from "#canvas/dom.js";
import { _, chooseLanguage } from "#canvas/language.js";
import { mounted } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ name: string, label: string, weights: number[][], row: number }} Head */
/** @typedef {{ tokens: string[], expected: [string, number][], heads: Head[], asks?: boolean, picture: number, color: string, lang: string }} Data */
/** @typedef {{ root: HTMLElement, component: Component, data: Data, head: number, row: number, guessed: boolean, guess: number | null, timer: number,
 * words: HTMLElement, names: HTMLElement, said: HTMLElement }} View */

const FIRST = 12000; // milliseconds that it stands on the word it opens on, as the sentence above speaks of that one
const PACE = 1500; // milliseconds from word to word, as long as nobody points
const STRONG = 0.55; // how blue a word is that gets everything; more, and its letters lack contrast in one theme or the other

/** Whether the visitor is to guess first: where the first head looks, if that is one earlier word for the most part. @param {View} v */
function asked({ data, guessed }) {
  const { weights, row } = data.heads[0];
  const most = weights[row].indexOf(Math.max(...weights[row]));
  return Boolean(data.asks) && !guessed && most !== row && weights[row][most] >= 0.5;
}

/** What is said of a guess. @param {View} v @param {number} most the word that is looked at most @param {number[]} row */
function verdict({ data: { tokens }, guess, row: from }, most, row) {
  if (guess === null) return "";
  if (tokens[guess] === tokens[most]) return _("Well guessed.");
  if (guess === from) return _("“{word}” is the word that looks.", { word: tokens[guess] });
  if (guess > from) return _("“{word}” stands after it, and is not seen yet.", { word: tokens[guess] });
  return _("Your “{word}” gets {percent}% only.", { word: tokens[guess], percent: Math.round(100 * row[guess]) });
}

/** @param {View} v */
function draw(v) {
  const { tokens, expected, heads, color } = v.data;
  const { weights, label } = heads[v.head];
  const row = weights[v.row];
  const asks = asked(v);
  v.names.hidden = asks;
  [...v.names.children].forEach((name, index) => name.setAttribute("aria-pressed", String(index === v.head)));
  [...v.words.children].forEach((word, index) => {
    const element = /** @type {HTMLElement} */ (word);
    element.className = index === v.row ? "from" : index > v.row ? "later" : "";
    const share = asks ? 0 : Math.round(100 * STRONG * (row[index] ?? 0));
    element.style.background = `color-mix(in srgb, ${color} ${share}%, transparent)`;
  });
  const most = row.indexOf(Math.max(...row));
  const percent = Math.round(100 * row[most]);
  const [next, likely] = expected[v.row];
  if (asks) {
    v.said.textContent = _("“{query}” is framed. Which earlier word does it look at most? Tap your guess.", { query: tokens[v.row] });
    return;
  }
  v.said.textContent = [
    v.row === heads[0].row && v.head === 0 ? verdict(v, most, row) : "",
    _("{head}: “{query}” looks most at “{key}”, with {percent}% of its weight.", { head: label, query: tokens[v.row], key: tokens[most], percent }),
    _("The model expects “{next}” after it, with {likely}%.", { next, likely: Math.round(100 * likely) }),
  ].filter(Boolean).join(" ");
}

/** @param {View} v */
function stop(v) {
  clearTimeout(v.timer);
}

/** @param {View} v */
function walk(v) {
  stop(v);
  if (asked(v) || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const on = () => {
    v.row = v.row + 1 < v.data.tokens.length ? v.row + 1 : 1;
    draw(v);
    v.timer = window.setTimeout(on, PACE);
  };
  v.timer = window.setTimeout(on, FIRST);
}

/**
 * @param {View} v
 * @param {number} row
 */
function point(v, row) {
  if (asked(v)) return;
  stop(v);
  v.row = row;
  draw(v);
}

/** A word is pressed: the guess, where one is asked for. @param {View} v @param {number} row */
function press(v, row) {
  if (!asked(v)) return point(v, row);
  Object.assign(v, { guessed: true, guess: row });
  draw(v);
  walk(v);
  return v.component.setStateValue?.("guessed", true);
}

/** @param {HTMLElement} host */
function create(host) {
  const words = make("div", { className: "words", testid: "look-words" });
  const names = make("div", { className: "heads", role: "group" });
  const said = make("p", { testid: "look-said", role: "status" });
  const root = make("div", { className: "look" }, names, words, said);
  host.append(root);
  return /** @type {View} */ (/** @type {unknown} */ ({ root, words, names, said, head: 0, row: 0, guessed: false, guess: null, timer: 0 }));
}

/**
 * @param {View} v
 * @param {{ header: Data }} sent
 */
function receive(v, { header: data }) {
  const same = v.data && v.data.tokens.join(" ") === data.tokens.join(" ");
  chooseLanguage(data.lang);
  v.names.ariaLabel = _("Heads");
  v.data = data;
  if (!same) {
    v.guess = null;
    v.row = data.heads[v.head].row;
    v.words.replaceChildren(
      ...data.tokens.map((token, row) =>
        make("button", {
          type: "button", textContent: token, onclick: () => press(v, row), onfocus: () => point(v, row),
          onpointerenter: () => point(v, row),
        }),
      ),
    );
    walk(v);
  }
  v.names.replaceChildren(
    ...data.heads.map(({ name }, index) =>
      make("button", { type: "button", textContent: name, onclick: () => ((v.head = index), point(v, data.heads[index].row)) }),
    ),
  );
  draw(v);
  announcePicture(data.picture);
}

export default followTyping(mounted({ create, receive, leave: stop }));
