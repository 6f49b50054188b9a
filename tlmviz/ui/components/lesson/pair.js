// @ts-check
// Two texts that face one another, with looks between them: one below the other, on a phone side by side.

import { mark, shareMark } from "./marks.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ from: number, weights: number[], tone: string }} Looking from a word of the second text at those of the first */
/**
 * `words` and `below` are the two texts by word, a piece of a word without its space; `under` is underlined in the second, `bold` is new
 * there; `press` are words of the first that can be pressed, `picked` the one that was.
 * @typedef {{ words: [number, string][], below: string[], looks: Looking[], under: number | null, bold: boolean, press: number[], picked?: number | null,
 *   verb: string }} Pair
 */
/** @typedef {{ text: string, x: number, y: number, w: number }} Laid */

const LEAST_RIBBON = 0.02; // shares below are not drawn
const LEAST_SAID = 0.15; // and those below are not written
const MOSTLY = 0.5; // of all that are as large, each is written
const FIRST_ENDS = 0.43; // of a phone's width: where the first text ends

/** @param {number} W @param {number} H @param {Pair} options @param {Ruler} ruler */
export function pair(W, H, { words, below, looks, under, bold, press, picked = null, verb }, ruler) {
  const [wide, texts] = [W > 600, [words.map(([, text]) => text), below]];
  /** @param {string[]} text @param {number} size */
  const widths = (text, size) => text.map((each) => ruler(each.trim(), size, true));
  const rows = Math.max(...texts.map((text) => text.length));
  let size = wide ? 38 : Math.min(22, (H / rows) * 0.62);
  const along = (/** @type {string[]} */ text) => widths(text, size).reduce((sum, w, n) => sum + w + (n && text[n][0] === " " ? 0.3 * size : 0), 0);
  const fits = () => (wide ? Math.max(...texts.map(along)) <= W - 8 : Math.max(...widths(texts[0], size)) + ruler("100%", size, false) <= FIRST_ENDS * W);
  while (size > 8 && !fits()) size--;
  const [apart, step] = [Math.min(H * 0.5, 5.2 * size), Math.min(H / rows, 48)];
  const left = wide ? (W - Math.max(...texts.map(along))) / 2 : 0;
  /** A text's words in their places. @param {string[]} text @param {number} side @returns {Laid[]} */
  const lay = (text, side) => {
    let x = left;
    return widths(text, size).map((w, n) => {
      const said = text[n].trim();
      if (!wide) return { text: n && /^\p{L}/u.test(text[n]) ? `·${said}` : said, x: side ? W * (FIRST_ENDS + 0.19) : W * FIRST_ENDS - w,
        y: H / 2 + (n - (text.length - 1) / 2) * step + size * 0.34, w };
      if (n && text[n][0] === " ") x += 0.3 * size;
      x += w;
      return { text: said, x: x - w, y: H / 2 + (side ? apart / 2 : -apart / 2) + size * 0.34, w };
    });
  };
  const [first, second] = texts.map(lay);
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Map<number, { w: number, tone: string, most: number[] }>} */
  const lit = new Map();
  for (const { from, weights, tone } of looks) {
    weights.forEach((w, to) => {
      const [q, k] = [second[from], first[to]];
      if (!q || !k || w < LEAST_RIBBON) return;
      const ends = wide
        ? { x1: q.x + q.w / 2, y1: q.y - size * 0.95, x2: k.x + k.w / 2, y2: k.y + size * 0.42, b1: -size * 1.4, b2: size * 1.4, dx: 0 }
        : { x1: q.x - 10, y1: q.y - size * 0.34, x2: k.x + k.w + 10, y2: k.y - size * 0.34, b1: 0, b2: 0, dx: -W * 0.09 };
      marks.push(mark(`look-${from}-${to}`, "line", { ...ends, w: 1 + w * size * 0.28, o: 0.25 + 0.5 * w }, { tone, enter: { w: 0 } }));
      const [best, most] = [lit.get(to), [...(lit.get(to)?.most ?? []), ...(w > MOSTLY ? [w] : [])]];
      lit.set(to, best && best.w >= w ? { ...best, most } : { w, tone, most });
    });
  }
  let taken = -Infinity; // up to where a share is written above a row
  first.forEach(({ text, x, y, w }, n) => {
    const hot = lit.get(n);
    if (hot && hot.w > 0.03) marks.unshift(mark(`lit-${n}`, "rect",
      { x: x - size * 0.14, y: y - size * 0.86, w: w + size * 0.28, h: size * 1.16, rx: size * 0.2, o: 0.06 + 0.22 * hot.w }, { tone: hot.tone }));
    const at = wide ? { x: x + w / 2, y: y - size * 1.04 } : { x: x - size * 0.5, y };
    const to = { ...at, size: Math.max(12, size * (wide ? 0.5 : 0.72)) };
    const said = hot && shareMark(n, to, { tone: hot.tone, anchor: wide ? "middle" : "end", weight: 650 }, hot.w, hot.most);
    const half = ruler(said?.look.text ?? "100%", size * 0.27, false);
    if (said && hot.w > LEAST_SAID && (!wide || at.x - half > taken)) {
      taken = at.x + half;
      marks.push(said);
    }
    if (words[n][0] === picked) marks.push(mark("picked", "rect", { x: x - 3, y: y - size * 0.9, w: w + 6, h: size * 1.24, rx: size * 0.2, o: 0.12 },
      { tone: "ink" }));
    marks.push(mark(`above-${n}`, "text", { x, y, size }, { text, story: true }));
  });
  second.forEach(({ text, x, y, w }, n) => {
    if (n === under) marks.push(mark("under", "rect", { x, y: y + size * 0.24, w, h: Math.max(2.5, size * 0.09), rx: 2 },
      { tone: looks.find(({ from }) => from === n)?.tone ?? "ink" }));
    marks.push(mark(`below-${n}-${text}`, "text", { x, y, size },
      { text, story: true, tone: text === "?" ? "soft" : "ink", weight: bold && n === under ? 700 : 400 }));
  });
  const hits = words.flatMap(([key], n) => {
    const { x, y, w, text } = first[n];
    return press.includes(key) ? [{ key: String(key), label: `${verb} “${text}”`, x: x - 4, y: y - size * (wide ? 1.05 : 0.34) - (wide ? 0 : step / 2),
      w: Math.max(24, w + 8), h: wide ? size * 1.6 : step }] : [];
  });
  return { marks, hits };
}
