// @ts-check
// How strongly a token is coloured, and what a row reads most. Free of the DOM.

export const SURPRISED = 8; // nats: the end of the scale of losses

/**
 * The largest weights of a row, largest first; weights of 0 are left out.
 * @param {ArrayLike<number>} row
 * @param {number} count
 * @returns {number[]} positions
 */
export function heaviest(row, count) {
  const order = Array.from({ length: row.length }, (_, i) => i).filter((i) => row[i] > 0);
  return order.sort((a, b) => row[b] - row[a]).slice(0, count);
}

/**
 * Shares of the colour scale, 0 to 1: of a row's weights the square root in parts of the largest one, of losses in parts of
 * SURPRISED nats. The first token has no loss.
 * @param {{ row: ArrayLike<number>, loss: ArrayLike<number> }} arrays
 * @param {"reads" | "loss"} color
 * @param {number} count of tokens
 */
export function shares({ row, loss }, color, count) {
  if (color === "loss") return Array.from({ length: count }, (_, i) => (i ? Math.min(1, loss[i - 1] / SURPRISED) : 0));
  let most = 1e-9;
  for (let i = 0; i < row.length; i++) most = Math.max(most, row[i]);
  return Array.from({ length: count }, (_, i) => (i < row.length ? Math.sqrt(row[i] / most) : 0));
}
