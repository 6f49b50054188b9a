// @ts-check
// Words of the field in a page's text: a dotted line under them, and what they mean on hover or on a tap. Streamlit owns the
// text, so nothing is put into it: the line is a highlight over ranges, the sentence floats above the page.

const NAME = "tlmviz-word";
const TEXTS = ":is([data-testid=stMarkdownContainer], [data-testid=stCaptionContainer])";
const NOT_IN = "button, a, label, summary, code, h2, h3, h4, h5, h6, .katex, [data-testid=stSlider]";
const ROOM = 8; // pixels between a word, its sentence and the edge of the window

/** @typedef {{ range: Range, form: string }} Found */

/** @type {Record<string, string>} */
let meanings = {};
/** @type {RegExp | null} */
let pattern = null;
/** @type {Found[]} */
let found = [];
/** @type {HTMLElement | null} */
let sentence = null;
/** @type {MutationObserver | null} */
let watching = null;
let pending = 0;

/**
 * A pattern for any of some words, the longest first, where no letter or digit goes on.
 * @param {string[]} forms
 */
export function anyOf(forms) {
  const longest = [...forms].sort((a, b) => b.length - a.length);
  const written = longest.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return new RegExp(`(?<![\\p{L}\\p{N}_-])(?:${written})(?![\\p{L}\\p{N}_]|-[\\p{L}])`, "gu");
}

/**
 * Where a text has words of the glossary: each meaning once, as [start, form].
 * @param {string} text
 * @param {RegExp} words as `anyOf` makes it
 * @param {Record<string, string>} told form -> meaning; empty for words that are not explained
 * @param {Set<string>} seen meanings that were there before; this text's are added
 * @returns {[number, string][]}
 */
export function wordsIn(text, words, told, seen) {
  /** @type {[number, string][]} */
  const places = [];
  for (const match of text.matchAll(words)) {
    if (!told[match[0]] || seen.has(told[match[0]])) continue;
    seen.add(told[match[0]]);
    places.push([match.index, match[0]]);
  }
  return places;
}

/**
 * Whether a text is the page's title, and not the claim beside it.
 * @param {Node} node
 */
function isTitle(node) {
  return node.parentElement?.closest("h1, .stMarkdownColoredText")?.tagName === "H1";
}

/** Find the words of all texts of the page, each once in a text, and underline them. */
function mark() {
  found = [];
  for (const part of document.querySelectorAll(`[data-testid=stMain] ${TEXTS}`)) {
    if (part.closest(NOT_IN)) continue;
    const seen = /** @type {Set<string>} */ (new Set());
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest(NOT_IN) || isTitle(node)) continue;
      for (const [start, form] of wordsIn(node.nodeValue ?? "", pattern, meanings, seen)) {
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, start + form.length);
        found.push({ range, form });
      }
    }
  }
  CSS.highlights.set(NAME, new Highlight(...found.map(({ range }) => range)));
}

function markSoon() {
  clearTimeout(pending);
  pending = window.setTimeout(mark, 250); // not while a text is typed
}

/**
 * The word under a point of the window.
 * @param {number} x
 * @param {number} y
 */
function wordAt(x, y) {
  const target = document.elementFromPoint(x, y);
  if (!target?.closest(TEXTS)) return undefined;
  return found.find(
    ({ range }) =>
      target.contains(range.startContainer) &&
      [...range.getClientRects()].some((box) => x >= box.left && x <= box.right && y >= box.top && y <= box.bottom),
  );
}

/** @param {Found | undefined} word */
function tell(word) {
  if (!sentence) return;
  sentence.hidden = !word;
  if (!word) return;
  const app = getComputedStyle(document.querySelector("[data-testid=stApp]"));
  Object.assign(sentence.style, { color: app.color, background: app.backgroundColor, font: app.font });
  sentence.textContent = meanings[word.form];
  const box = word.range.getBoundingClientRect();
  const { width, height } = sentence.getBoundingClientRect();
  const left = Math.max(ROOM, Math.min(box.left, innerWidth - width - ROOM));
  const above = box.top - height - ROOM;
  Object.assign(sentence.style, { left: `${left}px`, top: `${above > ROOM ? above : box.bottom + ROOM}px` });
}

/** @param {PointerEvent} event */
export function pointAtWord({ clientX, clientY }) {
  if (found.length || !sentence?.hidden) tell(wordAt(clientX, clientY));
}

export function forgetWord() {
  tell(undefined);
}

function makeSentence() {
  const box = document.createElement("div");
  box.setAttribute("role", "tooltip");
  box.dataset.testid = "glossary";
  box.hidden = true;
  const look = "position:fixed;z-index:1000000;max-width:min(22rem,calc(100vw - 16px));padding:.4rem .6rem;border-radius:.4rem;";
  box.style.cssText = `${look}border:1px solid #8888;box-shadow:0 2px 10px #0004;pointer-events:none;`;
  document.body.append(box);
  return box;
}

/**
 * Explain these words from now on, wherever the page shows them. A browser without highlights shows none.
 * @param {Record<string, string>} words form -> meaning
 */
export function explainWords(words) {
  if (!("highlights" in CSS)) return;
  if (Object.keys(words).length !== Object.keys(meanings).length) {
    meanings = words;
    pattern = anyOf(Object.keys(words));
  }
  sentence ??= makeSentence();
  if (!watching) {
    watching = new MutationObserver(markSoon);
    watching.observe(document.getElementById("root") ?? document.body, { childList: true, subtree: true, characterData: true });
  }
  markSoon();
}

/** Leave nothing behind. */
export function leaveWords() {
  watching?.disconnect();
  clearTimeout(pending);
  CSS.highlights?.delete(NAME);
  sentence?.remove();
  sentence = watching = null;
  found = [];
}
