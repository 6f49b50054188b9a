// @ts-check
// Tens of thousands of points straight into pixels: a path for each would take a canvas ten times as long. Free of the DOM.

/**
 * The pixels of a disc, as steps from its middle: [dx, dy, dx, dy ...].
 * @param {number} radius in pixels
 */
export function disc(radius) {
  const reach = Math.ceil(radius);
  const steps = [];
  for (let dy = -reach; dy <= reach; dy++) {
    for (let dx = -reach; dx <= reach; dx++) if (dx * dx + dy * dy <= radius * radius) steps.push(dx, dy);
  }
  return Int32Array.from(steps);
}

/**
 * A colour as a pixel: bytes red, green, blue, opacity from the lowest on.
 * @param {number[]} rgb
 * @param {number} [opacity] 0 to 1
 */
export function pixel([r, g, b], opacity = 1) {
  return ((Math.round(255 * opacity) << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

/**
 * Paint points, later ones over earlier ones.
 * @param {Uint32Array} pixels [height * width]
 * @param {number} width
 * @param {number} height
 * @param {object} points
 * @param {ArrayLike<number>} points.order rows, as they are painted
 * @param {ArrayLike<number>} points.xs in pixels, by row
 * @param {ArrayLike<number>} points.ys
 * @param {ArrayLike<number>} points.groups
 * @param {ArrayLike<number>} points.colours by group
 * @param {Int32Array[]} points.stamps by group: the pixels of a point
 */
export function paintPoints(pixels, width, height, { order, xs, ys, groups, colours, stamps }) {
  for (let k = 0; k < order.length; k++) {
    const row = order[k];
    const x = Math.round(xs[row]);
    const y = Math.round(ys[row]);
    if (!(x >= -8 && y >= -8 && x < width + 8 && y < height + 8)) continue;
    const stamp = stamps[groups[row]];
    const colour = colours[groups[row]];
    if (x >= 8 && y >= 8 && x < width - 8 && y < height - 8) {
      const middle = y * width + x;
      for (let s = 0; s < stamp.length; s += 2) pixels[middle + stamp[s + 1] * width + stamp[s]] = colour;
      continue;
    }
    for (let s = 0; s < stamp.length; s += 2) {
      const px = x + stamp[s];
      const py = y + stamp[s + 1];
      if (px >= 0 && py >= 0 && px < width && py < height) pixels[py * width + px] = colour;
    }
  }
}
