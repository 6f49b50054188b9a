// @ts-check
// Texts in a PNG, as `about_png` of tlmviz/shots/files.py writes them. Free of the DOM.

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/**
 * A tEXt chunk, or an iTXt chunk for a text that Latin-1 has no letters for.
 * @param {string} name
 * @param {string} text
 */
function textChunk(name, text) {
  const latin = [...text].every((letter) => letter.charCodeAt(0) < 256);
  const said = latin ? Uint8Array.from(text, (letter) => letter.charCodeAt(0)) : new TextEncoder().encode(text);
  const head = new TextEncoder().encode(latin ? `tEXt${name}\0` : `iTXt${name}\0\0\0\0\0`);
  const chunk = new Uint8Array(head.length + said.length + 8);
  const view = new DataView(chunk.buffer);
  chunk.set(head, 4);
  chunk.set(said, 4 + head.length);
  view.setUint32(0, head.length - 4 + said.length);
  view.setUint32(chunk.length - 4, crc32(chunk.subarray(4, -4)));
  return chunk;
}

/**
 * The same PNG with Title, Description and Source as texts behind its header; its parts, as a Blob takes them.
 * @param {Uint8Array} png
 * @param {{ title: string, caption: string, link: string }} about
 * @returns {Uint8Array[]}
 */
export function describedPng(png, { title, caption, link }) {
  const end = 8 + 12 + new DataView(png.buffer, png.byteOffset).getUint32(8); // the signature, and the first chunk
  const named = Object.entries({ Title: title, Description: caption, Source: link, Software: "tlmviz" });
  return [png.subarray(0, end), ...named.map(([name, text]) => textChunk(name, text)), png.subarray(end)];
}
