// @ts-check
// The bars as a figure on paper, and how their numbers are written.

/** @typedef {import("#canvas/theme.js").Palette} Palette */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {{ token: number, name: string, p: number, after: number, before: number | null, pinned: boolean }} Row as `Bar` in Python */
/** @typedef {{ label: string, rows: number | null, p: number | null }} Cut */
/** @typedef {{ next: [number, string] | null, written: number, note: string }} Writing */
/** @typedef {{ rows: Row[], after: string, cuts: Cut[], note: string, writing: Writing | null, attributed: boolean, text: string, height: number,
 * colors: Palette }} Data */

export const PAGE = { width: 420, row: 26, top: 40, left: 130, right: 60 }; // pixels of the saved figure

/**
 * A probability in per cent with one decimal.
 * @param {number} p
 */
export function percent(p) {
  return p >= 0.0005 ? `${(100 * p).toFixed(1)}%` : "<0.1%";
}

/** @param {Data} data */
export function titleOf({ after }) {
  return `Next token after “${after}”`;
}

/**
 * The bars with their cuts.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Theme} theme
 */
export function draw(pen, data, theme) {
  const { width, row, top, left, right } = PAGE;
  const span = width - left - right;
  const bottom = top + row * data.rows.length;
  pen.text(12, 18, titleOf(data), { color: theme.text, weight: 600, size: 13 });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    pen.line(left + share * span, top, left + share * span, bottom, theme.faint);
    pen.text(left + share * span, bottom + 12, `${100 * share}%`, { color: theme.muted, align: "center" });
  }
  data.rows.forEach(({ name, p, after }, i) => {
    const y = top + row * (i + 0.5);
    pen.text(left - 8, y, name, { color: theme.text, align: "right", token: left - 20 });
    pen.rect(left, y - 8, Math.max(1, p * span), 16, after ? theme.primary : theme.faint);
    pen.text(width - 12, y, after ? percent(after) : "cut", { color: theme.muted, align: "right" });
  });
  for (const { label, rows, p } of data.cuts) {
    if (rows !== null && rows <= data.rows.length) {
      pen.line(12, top + row * rows, width - 12, top + row * rows, theme.text, { dash: "4 3" });
      pen.text(width - right, top + row * rows - 6, label, { color: theme.text, align: "right", size: 10 });
    }
    if (p !== null) pen.line(left + p * span, top, left + p * span, bottom, theme.text, { dash: "4 3" });
  }
}
