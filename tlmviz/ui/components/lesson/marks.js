// @ts-check
// Marks that move: what stays under its key glides to its new place, what comes fades in, what goes fades out.

/** @typedef {Record<string, number>} Numbers */
/**
 * How a mark looks. `tone` is one of the style's colours, `enter` what its numbers are when it comes, `path` an outline around its place.
 * @typedef {{ tone?: string, text?: string, anchor?: string, weight?: number, story?: boolean, path?: string, enter?: Numbers, delay?: number,
 *   time?: number }} Look
 */
/** @typedef {{ key: string, type: "text" | "rect" | "line" | "ring" | "ink", to: Numbers, look: Look }} Mark */
/** @typedef {{ key: string, label: string, x: number, y: number, w: number, h: number, round?: boolean, pressed?: boolean }} Hit where a mark is pressed */
/** @typedef {{ marks: Mark[], hits: Hit[], range?: { x: number, y: number, w: number },
 * frame?: string }} Picture `range`: where a value is dragged; `frame`: a page of the app in place of marks */
/** @typedef {(text: string, size: number, story?: boolean) => number} Ruler the width of a text, in pixels */
/** @typedef {Mark & { node: SVGElement, now: Numbers, from: Numbers, start: number | null, going: boolean }} Live */

const TIME = 650; // milliseconds of a glide
const TAGS = { text: "text", rect: "rect", line: "path", ring: "circle", ink: "path" };

/**
 * @param {string} key
 * @param {Mark["type"]} type
 * @param {Numbers} to
 * @param {Look} [look]
 * @returns {Mark}
 */
export const mark = (key, type, to, look = {}) => ({ key, type, to: { o: 1, ...to }, look });

/** A share in whole per cent, rounded as Python does: halves to even; none but 0 is 0%, none but 1 is 100%. @param {number} share */
export function percent(share) {
  const [value, low] = [100 * share, Math.floor(100 * share)];
  if (share > 0 && value < 0.5) return "<1%";
  if (share < 1 && value >= 99.5) return `${Math.min(99.9, Math.round(10 * value) / 10)}%`;
  return `${value - low === 0.5 ? low + (low % 2) : Math.round(value)}%`;
}

/**
 * What a word gets of one look; of several looks, each share in their order.
 * @param {string | number} n
 * @param {Numbers} at
 * @param {Look} look
 * @param {number} share
 * @param {number[]} several
 */
export function shareMark(n, at, look, share, several) {
  if (several.length > 1) return mark(`shares-${n}`, "text", at, { ...look, text: several.map(percent).join(", ") });
  return mark(`share-${n}`, "text", { ...at, share }, { ...look, enter: { share: 0 } });
}

/** Points that are added to a score. @param {number} value */
export const points = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`;

/**
 * A picture moved down, its keys made its own.
 * @param {Picture} picture
 * @param {string} name
 * @param {number} dy
 * @returns {Picture}
 */
export function placed({ marks, hits, range, frame }, name, dy) {
  const shift = (/** @type {Numbers} */ to) => Object.fromEntries(
    Object.entries(to ?? {}).map(([key, value]) => [key, /^y\d?$/.test(key) ? value + dy : value]));
  return {
    marks: marks.map((m) => ({ ...m, key: `${name}:${m.key}`, to: shift(m.to), look: { ...m.look, enter: shift(m.look.enter) } })),
    hits: hits.map((hit) => ({ ...hit, y: hit.y + dy })),
    range: range && { ...range, y: range.y + dy },
    frame,
  };
}

/** @type {Record<Mark["type"], (put: (name: string, value: string | number) => void, m: Numbers, node: SVGElement) => void>} */
const WRITTEN = { // how the numbers of a mark become attributes
  text(put, m, node) {
    for (const name of ["x", "y"]) put(name, m[name]);
    put("font-size", m.size);
    if (m.share !== undefined) node.textContent = percent(m.share);
  },
  rect(put, m) {
    for (const name of ["x", "y", "rx"]) put(name, m[name]);
    put("width", Math.max(0, m.w));
    put("height", m.h);
  },
  line(put, m) {
    put("d", `M${m.x1} ${m.y1}C${m.x1 + m.dx} ${m.y1 + m.b1} ${m.x2 - m.dx} ${m.y2 + m.b2} ${m.x2} ${m.y2}`);
    put("stroke-width", m.w);
  },
  ring(put, m) {
    for (const [name, value] of [["cx", m.x], ["cy", m.y], ["r", m.r], ["stroke-width", m.w]]) put(String(name), value);
    put("stroke-dasharray", `${m.share} 2`);
    put("transform", `rotate(-90 ${m.x} ${m.y})`);
  },
  ink: (put, m) => put("transform", `translate(${m.x} ${m.y}) scale(${m.size})`),
};

/** @param {Live} live */
function dress({ node, type, look }) {
  const color = look.tone ? `var(--${look.tone})` : type === "text" ? "var(--ink)" : "none";
  const drawn = type === "line" || type === "ring";
  node.style.fill = drawn ? "none" : color;
  node.style.stroke = drawn ? color : "none";
  node.style.fontWeight = String(look.weight ?? 400);
  node.style.fontFamily = look.story ? "var(--story)" : "";
  if (type === "line") node.setAttribute("stroke-linecap", "round");
  if (type === "ring") node.setAttribute("pathLength", "1");
  if (look.text !== undefined) node.textContent = look.text;
  if (look.path !== undefined) node.setAttribute("d", look.path);
  node.setAttribute("text-anchor", look.anchor ?? "start");
}

/**
 * What shows marks in an SVG element. At once where less motion is asked for, or the call says so.
 * @param {SVGSVGElement} svg
 */
export function makeStage(svg) {
  /** @type {Map<string, Live>} */
  const live = new Map();
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let pending = 0;

  /** @param {number} time */
  function frame(time) {
    let moving = false;
    for (const [key, m] of live) {
      if (m.start === null) continue;
      const late = (time - m.start - (m.look.delay ?? 0)) / (m.look.time ?? TIME);
      const t = Math.min(1, Math.max(0, late));
      const eased = t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
      for (const name in m.to) m.now[name] = (m.from[name] ?? m.to[name]) * (1 - eased) + m.to[name] * eased;
      WRITTEN[m.type]((name, value) => m.node.setAttribute(name, String(value)), m.now, m.node);
      m.node.style.opacity = String(m.now.o);
      if (t < 1) moving = true;
      else m.start = null;
      if (t === 1 && m.going) {
        m.node.remove();
        live.delete(key);
      }
    }
    if (moving) pending = requestAnimationFrame(frame);
  }

  return {
    /** @param {Mark[]} marks @param {boolean} [quick] */
    show(marks, quick = false) {
      const [now, keys] = [performance.now(), new Set(marks.map((m) => m.key))];
      for (const [key, old] of live) if (!keys.has(key)) Object.assign(
        old, { from: { ...old.now }, to: { ...old.now, o: 0 }, start: now, going: true, look: { ...old.look, delay: 0, time: 260 } });
      for (const m of marks) {
        let one = live.get(m.key);
        if (!one) {
          const node = document.createElementNS("http://www.w3.org/2000/svg", TAGS[m.type]);
          one = { ...m, node, now: { ...m.to, ...m.look.enter, o: 0 }, from: {}, start: now, going: false };
          live.set(m.key, one);
        }
        Object.assign(one, { from: { ...one.now }, to: m.to, look: m.look, start: now, going: false });
        dress(one);
        svg.append(one.node); // the list's order is the order of drawing
      }
      cancelAnimationFrame(pending);
      if (quick || calm.matches) frame(Infinity);
      else frame(now); // places before the next paint
    },
    stop: () => cancelAnimationFrame(pending),
  };
}
