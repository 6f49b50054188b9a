// @ts-check
// A strip of tokens with looks: arcs from one word to those that it looks at.

import { mark, shareMark } from "./marks.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, from: number, weights: Record<string, number>, tone: string,
 * off?: boolean }} Looking a head's look from one token: token -> share */
/**
 * As `pictures.strip` in Python has it: `words` by token, a piece of a word without its space; `blank` what stands at the end;
 * `notes` are tags below words; `under` the underlined token, `faint` those not there yet, `press` those that can be pressed, `picked` the one that was.
 * @typedef {{ words: [number, string][], blank: string, told: boolean, under: number | null, looks: Looking[], faint: number[], press: number[],
 *   picked: number | null, swapped: number[], notes?: [number, string][], verb: string }} Strip
 */
/** @typedef {{ i: number, text: string, x: number, y: number, w: number, line: number }} Laid */

const [LARGEST, LEAST, LINE] = [40, 13, 2.5]; // sizes of type in pixels, and lines in sizes
const BOLD = 1.12; // times as wide: the word that is told
const END = /^[.!?]["”]?$/;
const CLOSING = /^[.,!?;:'’"”)]/;
const LEAST_LOOK = 0.02; // shares below are not drawn

/**
 * A line for each sentence where they fit; the largest type that fits.
 * @param {[number, string][]} tokens
 * @param {number} W
 * @param {number} H
 * @param {Ruler} ruler
 */
export function lay(tokens, W, H, ruler) {
  for (let size = LARGEST; ; size--) {
    /** @type {Laid[]} */
    const words = [];
    let [x, line, broken] = [0, 0, 0];
    const widths = tokens.map(([i, token]) => ruler(token.trim(), size, true) * (i < 0 ? BOLD : 1));
    tokens.forEach(([i, token], n) => {
      const text = token.trim();
      const w = widths[n];
      const begins = token[0] === " ";
      const gap = begins && x ? 0.3 * size : 0;
      const ended = n && END.test(tokens[n - 1][1].trim());
      let whole = w; // of the word that begins here, with all its pieces
      for (let at = n + 1; tokens[at] && tokens[at][1][0] !== " " && !CLOSING.test(tokens[at][1]); at++) whole += widths[at];
      if (x && begins && (ended || x + gap + whole > W - 4)) {
        if (!ended) broken++;
        [x, line] = [0, line + 1];
      } else x += gap;
      words.push({ i, text, x, y: 0, w, line });
      x += w;
    });
    const [lines, widest] = [line + 1, Math.max(...words.map((word) => word.x + word.w))];
    const unbroken = !broken || size <= (W < 600 ? 22 : 26); // rather smaller than with a sentence on two lines
    if ((lines * size * LINE <= H && widest <= W && unbroken) || size <= LEAST) {
      const step = Math.min(size * 2.8, H / lines);
      for (const word of words) {
        word.x += (W - widest) / 2;
        word.y = (H - lines * step) / 2 + word.line * step + step * 0.66;
      }
      return { words, size };
    }
  }
}

/** @param {number} W @param {number} H @param {Strip} options @param {Ruler} ruler */
export function strip(W, H, { words: tokens, blank, told, under, looks, faint, press, picked, swapped, notes = [], verb }, ruler) {
  const all = /** @type {[number, string][]} */ (blank ? [...tokens, [-1, ` ${blank}`]] : tokens);
  const { words, size } = lay(all, W, H, ruler);
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Map<number, { w: number, tone: string, same: boolean, all: number[] }>} */
  const lit = new Map();
  const few = 2 * press.length < tokens.length; // where only some words can be pressed, they are marked
  const place = new Map(words.map((word) => [word.i, word]));
  const tags = new Map(notes);
  const below = (/** @type {number} */ i) => (tags.has(i) ? size * 0.7 : 0); // what a tag takes
  for (const { id, from, weights, tone, off } of looks) {
    const q = place.get(from);
    if (!q) continue;
    for (const [key, w] of Object.entries(weights)) {
      const k = place.get(Number(key));
      if (!k || w < LEAST_LOOK) continue;
      const same = k.line === q.line;
      const [x1, x2, y1] = [q.x + q.w / 2, k.x + k.w / 2, q.y - size * 0.86];
      const to = same ? { x1, y1, x2, y2: k.y - size * 0.86, b1: -size * 0.7, b2: -size * 0.7, dx: (x2 - x1) * 0.25 } : {
        x1, y1, x2, y2: k.y + size * 0.34 + below(k.i), b1: -size * 0.8, b2: size * 0.8, dx: 0 };
      marks.push(mark(`look-${id}-${key}`, "line", { ...to, w: 1 + w * size * 0.28, o: off ? 0.12 : 0.25 + 0.55 * w },
        { tone: off ? "soft" : tone, enter: { w: 0 } }));
      if (w <= 0.03 || off) continue;
      const [best, all] = [lit.get(k.i), [...(lit.get(k.i)?.all ?? []), w]];
      lit.set(k.i, best && best.w >= w ? { ...best, all } : { w, tone, same, all });
    }
  }
  for (const word of words) {
    const hot = lit.get(word.i);
    if (hot) {
      marks.unshift(mark(`lit-${word.i}`, "rect", { x: word.x - size * 0.14, y: word.y - size * 0.86, w: word.w + size * 0.28, h: size * 1.16, rx: size * 0.2,
        o: 0.06 + 0.22 * hot.w }, { tone: hot.tone }));
      const several = hot.all.filter((w) => w > 0.1); // in the looks' order
      const aside = !hot.same && looks.some(({ from }) => from === word.i) ? size * 0.9 : 0; // of the arc of its own look
      const [x, y] = [word.x + word.w / 2 + aside, word.y + (hot.same ? size * 0.92 + below(word.i) : -size * 1.02)];
      const [at, look] = [{ x, y, size: Math.max(13, size * 0.5) }, { tone: hot.tone, anchor: "middle", weight: 650 }];
      if (several.length > 1 || hot.w > 0.15) marks.push(shareMark(word.i, at, look, hot.w, several));
    }
    const tag = tags.get(word.i);
    if (tag !== undefined) { // by its own name: the tag of another word glides there
      const type = Math.max(12, size * 0.46);
      const [w, x, y] = [ruler(tag, type, false) + type, word.x + word.w / 2, word.y + size * 0.64];
      marks.push(mark(`note-${tag}`, "rect", { x: x - w / 2, y: y - type * 0.66, w, h: type * 1.4, rx: type * 0.3, o: 0.16 }, { tone: "note" }));
      marks.push(mark(`noted-${tag}`, "text", { x, y: y + type * 0.36, size: type }, { text: tag, anchor: "middle", tone: "note", weight: 600 }));
    }
    if (word.i === under) marks.push(mark("under", "rect", { x: word.x, y: word.y + size * 0.24, w: word.w, h: Math.max(2.5, size * 0.09), rx: 2 },
      { tone: looks[0]?.tone ?? "ink" }));
    if (few && press.includes(word.i)) marks.push(mark(`may-${word.i}`, "rect", { x: word.x, y: word.y + size * 0.3, w: word.w, h: 2, rx: 1 },
      { tone: "soft" }));
    if (word.i === picked) marks.push(mark("picked", "rect", { x: word.x - 3, y: word.y - size * 0.9, w: word.w + 6, h: size * 1.24, rx: size * 0.2, o: 0.12 },
      { tone: "ink" }));
    const last = word.i === -1;
    const tone = last ? (told ? "ink" : "soft") : swapped.includes(word.i) ? "does" : "ink";
    marks.push(mark(last ? "blank" : `word-${word.i}-${word.text}`, "text", { x: word.x, y: word.y, size, o: faint.includes(word.i) ? 0.28 : 1 },
      { text: word.text, story: true, tone, weight: last && told ? 700 : 400 }));
  }
  const hits = press.filter((i) => place.has(i)).map((i) => {
    const { x, y, w, text } = /** @type {Laid} */ (place.get(i));
    return { key: String(i), label: `${verb} “${text}”`, x: x - 5, y: y - size * 1.05, w: Math.max(24, w + 10), h: Math.max(26, size * 1.6) };
  });
  return { marks, hits };
}
