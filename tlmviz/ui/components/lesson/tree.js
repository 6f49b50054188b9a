// @ts-check
// A tree of words: each with its share behind those before it; what is on nobody's way is faint.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, parent: string | null, label: string, share: number, says: string, end: string, tone: string,
 * faint: boolean }} Node its `share` makes its branch thick; `says` stands below, `end` behind it */
/** @typedef {{ nodes: Node[], press?: number[], verb?: string }} Tree nodes in the order of drawing, parents first; `press` are those that can be pressed,
 * by number */

/** @param {number} W @param {number} H @param {Tree} options @param {Ruler} ruler */
export function tree(W, H, { nodes, press = [], verb = "" }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  /** @type {Map<string | null, { depth: number, y: number }>} */
  const place = new Map([[null, { depth: 0, y: 0 }]]);
  const children = (/** @type {string | null} */ id) => nodes.filter((node) => node.parent === id);
  let leaves = 0;
  /** Leaves one below another, a parent amid its children. @param {string | null} id @param {number} depth */
  const lay = (id, depth) => {
    const below = children(id);
    for (const child of below) lay(child.id, depth + 1);
    const ys = below.map((child) => place.get(child.id)?.y ?? 0);
    place.set(id, { depth, y: below.length ? (ys[0] + ys[ys.length - 1]) / 2 : leaves++ });
  };
  lay(null, 0);
  const deepest = Math.max(1, ...[...place.values()].map(({ depth }) => depth));
  const ends = Math.max(0, ...nodes.map(({ end }) => (end ? ruler(end === "?" ? "88%" : end, big ? 19 : 15, false) * 1.1 + 16 : 0)));
  const wide = Math.min(W - (tiny ? 0 : ends), big ? 860 : W);
  const column = (wide - 10) / (deepest + 0.1);
  const longest = Math.max(...nodes.map(({ label }) => ruler(label, 1, true)), 1);
  const size = tiny ? 0 : Math.min(big ? 24 : 17, (column * 0.66) / longest);
  const step = Math.min(H / Math.max(leaves, 1), big ? 110 : 86);
  const top = (H - step * leaves) / 2;
  const x0 = (W - wide - (tiny ? 0 : ends)) / 2 + 6;
  const at = (/** @type {string | null} */ id) => {
    const { depth, y } = place.get(id) ?? { depth: 0, y: 0 };
    return { x: x0 + column * depth, y: top + step * (y + 0.5) };
  };
  /** The words from the root on. @param {string | null} id @returns {string} */
  const wayTo = (id) => {
    const node = nodes.find((one) => one.id === id);
    return node ? `${wayTo(node.parent)} ${node.label}`.trim() : "";
  };
  const width = (/** @type {string | null} */ id) => (id === null || tiny ? 6 : ruler(nodes.find((node) => node.id === id)?.label ?? "", size, true));
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Hit[]} */
  const hits = [];
  const root = at(null);
  marks.push(mark("root", "rect", { x: root.x - 5, y: root.y - 5, w: 10, h: 10, rx: 5 }, { tone: "soft" }));
  nodes.forEach(({ id, parent, label, share, says, end, tone, faint }, n) => {
    const [to, from, o] = [at(id), at(parent), faint ? 0.35 : 1];
    const [w, gap] = [width(id), tiny ? 0 : 6];
    const left = to.x - w; // words end at their column
    marks.push(mark(`${id}-branch`, "line", { x1: from.x + gap, y1: from.y, x2: left - gap, y2: to.y, b1: 0, b2: 0, dx: (left - from.x) * 0.45,
      w: 1 + share * (tiny ? 5 : 9), o: o * 0.7 }, { tone, enter: { x2: from.x + gap, y2: from.y } }));
    if (tiny) return;
    marks.push(mark(`${id}-word`, "text", { x: left, y: to.y + size * 0.34, size, o }, { text: label, story: true, tone: faint ? "soft" : tone }));
    const small = Math.max(12, size * 0.68);
    if (says) marks.push(mark(`${id}-says`, "text", { x: left + w / 2, y: to.y + size * 0.5 + small, size: small, o },
      { text: says, anchor: "middle", tone: "soft" }));
    if (end) marks.push(mark(`${id}-end`, "text", { x: to.x + 12, y: to.y + size * 0.34, size: big ? 19 : 15 },
      { text: end, weight: 600, tone: end === "?" ? "soft" : tone }));
    if (press.includes(n)) {
      const over = { x: left - 10, w: w + 20 + (end ? ends : 0) };
      const high = Math.min(step * 0.8, big ? 48 : 40);
      marks.push(mark(`${id}-may`, "rect", { ...over, y: to.y - high / 2, h: high, rx: 10, o: 0.1 }, { tone: "soft" }));
      hits.push({ key: String(n), label: `${verb} “${wayTo(id)}”`, ...over, y: to.y - high / 2, h: high });
    }
  });
  return { marks, hits };
}
