// @ts-check
// Several files as one: a ZIP archive without compression, for weights hardly get smaller.
// Source: PKWARE's APPNOTE, sections 4.3.7, 4.3.12 and 4.3.16; CRC-32 as in RFC 1952, section 8.

const VERSION = 20; // that is needed to extract folders
const DATE = 0x21; // 1 January 1980, the first that the format has: the same files give the same bytes
const UTF8 = 0x800; // names are UTF-8

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** @param {Uint8Array} bytes */
function checksum(bytes) {
  let rest = 0xffffffff;
  for (const byte of bytes) rest = (rest >>> 8) ^ TABLE[(rest ^ byte) & 255];
  return ~rest >>> 0;
}

/** Numbers of 2 and 4 bytes, least byte first. @param {[number, 2 | 4][]} fields */
function packed(fields) {
  return Uint8Array.from(fields.flatMap(([value, bytes]) => Array.from({ length: bytes }, (_, i) => (value >>> (8 * i)) & 255)));
}

/**
 * @param {Record<string, Uint8Array>} files name, with slashes between folders, -> bytes
 * @returns {Blob}
 */
export function zipOf(files) {
  const parts = /** @type {Uint8Array<ArrayBuffer>[]} */ ([]);
  const directory = /** @type {Uint8Array<ArrayBuffer>[]} */ ([]);
  let at = 0;
  for (const [name, bytes] of Object.entries(files)) {
    const path = new TextEncoder().encode(name);
    const common = /** @type {[number, 2 | 4][]} */ ([
      [VERSION, 2], [UTF8, 2], [0, 2], [0, 2], [DATE, 2], [checksum(bytes), 4], [bytes.length, 4], [bytes.length, 4], [path.length, 2], [0, 2],
    ]);
    directory.push(packed([[0x02014b50, 4], [VERSION, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]]), path);
    for (const part of [packed([[0x04034b50, 4], ...common]), path, new Uint8Array(bytes)]) {
      parts.push(part);
      at += part.length;
    }
  }
  const count = Object.keys(files).length;
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = packed([[0x06054b50, 4], [0, 2], [0, 2], [count, 2], [count, 2], [size, 4], [at, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
