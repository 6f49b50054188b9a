// @ts-check
// Payloads: a JSON header and arrays in one byte string, as `pack` in Python writes it. Free of the DOM.

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, float32: Float32Array };

/**
 * Header and typed arrays of one payload. The bytes are copied: they may arrive unaligned.
 * @param {ArrayLike<number> | { header: any, arrays: Record<string, any> }} bytes or decoded already
 * @returns {{ header: any, arrays: Record<string, any> }}
 */
export function decode(bytes) {
  if ("header" in bytes) return bytes;
  const own = new Uint8Array(bytes);
  const length = new DataView(own.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(own.subarray(4, 4 + length)));
  /** @type {Record<string, Uint8Array | Uint16Array | Float32Array>} */
  const arrays = {};
  /** @type {Record<string, { dtype: keyof typeof TYPES, shape: number[], offset: number }>} */
  const entries = header.arrays;
  for (const [name, { dtype, shape, offset }] of Object.entries(entries)) {
    const size = shape.reduce((a, b) => a * b, 1);
    arrays[name] = new TYPES[dtype](own.buffer, 4 + length + offset, size);
  }
  return { header, arrays };
}
