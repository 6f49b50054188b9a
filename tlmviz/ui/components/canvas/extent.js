// @ts-check
// How far a drawing reaches to the left, to the right and down: what lies beyond is empty, and no part of a saved picture.

import { textWidth } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */

/**
 * The same pen, and how far it has drawn, in pixels. What bends is taken to reach as far as what it is bent by.
 * @param {Pen} pen
 * @param {import("#canvas/pens.js").Fonts} theme
 */
export function measuredPen(pen, theme) {
  const extent = { left: Infinity, right: 0, bottom: 0 };
  let origin = [0, 0];
  const reach = (/** @type {number} */ x, /** @type {number} */ y) => {
    extent.left = Math.min(extent.left, origin[0] + x);
    extent.right = Math.max(extent.right, origin[0] + x);
    extent.bottom = Math.max(extent.bottom, origin[1] + y);
  };
  const spread = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ bottom) => {
    reach(from, bottom);
    reach(to, bottom);
  };
  const along = (/** @type {string} */ d, width = 0) => {
    for (const [x, y] of pathPoints(d)) spread(x - width / 2, x + width / 2, y + width / 2);
  };
  /** @type {Pen} */
  const measured = {
    text(x, y, text, options) {
      const { align = "left", rotate = 0, token = 0, size = 11, weight } = options;
      const wide = textWidth(theme, String(text), size, weight);
      const width = token ? Math.min(token, wide) : wide;
      const from = { left: 0, center: -width / 2, right: -width }[align];
      for (const at of [from, from + width]) {
        for (const off of [-size / 2, size / 2]) reach(x + at * Math.cos(rotate) - off * Math.sin(rotate), y + at * Math.sin(rotate) + off * Math.cos(rotate));
      }
      pen.text(x, y, text, options);
    },
    line(x1, y1, x2, y2, color, options) {
      const half = (options?.width ?? 1) / 2;
      spread(Math.min(x1, x2) - half, Math.max(x1, x2) + half, Math.max(y1, y2) + half);
      pen.line(x1, y1, x2, y2, color, options);
    },
    rect(x, y, width, height, fill, stroke, options) {
      const half = stroke ? (options?.width ?? 1) / 2 : 0;
      if (fill || stroke) spread(x - half, x + width + half, y + height + half);
      pen.rect(x, y, width, height, fill, stroke, options);
    },
    circle(x, y, radius, color, alpha) {
      spread(x - radius, x + radius, y + radius);
      pen.circle(x, y, radius, color, alpha);
    },
    image(source, x, y, width, height, cut) {
      spread(x, x + width, y + height);
      pen.image(source, x, y, width, height, cut);
    },
    path(d, color, width, alpha, dash) {
      along(d, width);
      pen.path(d, color, width, alpha, dash);
    },
    shape(d, color, alpha) {
      along(d);
      pen.shape(d, color, alpha);
    },
    hatch(d, color) {
      along(d);
      pen.hatch(d, color);
    },
    shifted(x, y, draw) {
      const outer = origin;
      origin = [outer[0] + x, outer[1] + y];
      pen.shifted(x, y, draw);
      origin = outer;
    },
  };
  return { extent, pen: measured };
}

const PATH_TAKES = { m: 2, l: 2, t: 2, h: 1, v: 1, c: 6, s: 4, q: 4, a: 7, z: 0 }; // numbers of each command of a path

/**
 * The points of an SVG path, those that bend it and the corners around its arcs included.
 * @param {string} d
 * @returns {[number, number][]}
 */
export function pathPoints(d) {
  /** @type {[number, number][]} */
  const points = [];
  let [x, y] = [0, 0];
  for (const [, letter, said] of d.matchAll(/([a-z])([^a-df-z]*)/gi)) {
    const command = letter.toLowerCase();
    const numbers = (said.match(/-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?/gi) ?? []).map(Number);
    const takes = PATH_TAKES[/** @type {keyof typeof PATH_TAKES} */ (command)] ?? 0;
    for (let i = 0; takes && i + takes <= numbers.length; i += takes) {
      const given = numbers.slice(i, i + takes);
      const [fromX, fromY] = letter === command ? [x, y] : [0, 0];
      if (command === "h") x = fromX + given[0];
      else if (command === "v") y = fromY + given[0];
      else if (command === "a") {
        const [beforeX, beforeY] = [x, y];
        [x, y] = [fromX + given[5], fromY + given[6]];
        points.push([Math.max(beforeX, x), Math.max(beforeY, y) + given[1]]);
      } else {
        for (let k = 0; k + 2 < takes; k += 2) points.push([fromX + given[k], fromY + given[k + 1]]);
        [x, y] = [fromX + given[takes - 2], fromY + given[takes - 1]];
      }
      points.push([x, y]);
    }
  }
  return points;
}
