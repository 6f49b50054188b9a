// @ts-check
// Tells who waits how many are before them: the model computes for one visitor after the other.
//
// The server says for how long each in line has been there; who has waited longer came before. It is asked only while the page
// is being drawn anew for longer than PATIENCE, which on one's own machine it hardly ever is.

import { _ } from "#canvas/language.js";

const PATIENCE = 1500; // milliseconds without a word
const LOOK = 1000;
const NOTE = "tlmviz-line";
const STYLE =
  "position:fixed;z-index:1000000;right:1rem;bottom:1rem;padding:.45rem .8rem;border-radius:.5rem;font:.9rem/1.3 system-ui;" +
  "background:var(--st-secondary-background-color,#eef);color:var(--st-text-color,#123);box-shadow:0 1px 6px #0004";

/** Whether Streamlit is drawing the page. */
const isRunning = () => document.querySelector('.stApp[data-test-script-state="running"]') !== null;

/** @param {string} words what to say; "" to say nothing any more */
function say(words) {
  let note = document.getElementById(NOTE);
  if (!words) return note?.remove();
  if (!note) {
    note = document.body.appendChild(document.createElement("div"));
    note.id = NOTE;
    note.setAttribute("role", "status");
    note.style.cssText = STYLE;
  }
  if (note.textContent !== words) note.textContent = words;
}

/**
 * How many came before somebody.
 * @param {number[]} ages for how many seconds each in line has been there
 * @param {number} waited for how many seconds somebody has waited
 */
export const before = (ages, waited) => ages.filter((age) => age > waited).length;

/** Watch until the returned function is called. */
export function watchLine() {
  let since = 0;
  const timer = setInterval(async () => {
    if (!isRunning()) {
      since = 0;
      return say("");
    }
    since ||= Date.now();
    if (Date.now() - since < PATIENCE) return;
    try {
      const answer = await fetch(new URL("line", new URL(".", document.baseURI)));
      const count = before(await answer.json(), (Date.now() - since) / 1000);
      say(count && isRunning() ? _("{count} before you in line.", { count }) : "");
    } catch {
      say(""); // the server is busy or gone, of which Streamlit speaks
    }
  }, LOOK);
  return () => {
    clearInterval(timer);
    say("");
  };
}
