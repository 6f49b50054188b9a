// A PDF of one page with a picture's pixels: every object where its table says, and the pixels as they were.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";

import { pdfOf } from "../../tlmviz/ui/components/canvas/pdf.js";

const ABOUT = { title: "Head − 5.4 😀", caption: "(a) \\ b", link: "https://host/?text=ä" };

async function written(pixels, width, height) {
  const parts = await pdfOf({ data: Uint8ClampedArray.from(pixels), width, height }, { width: 200, height: 100 }, ABOUT);
  return Buffer.concat(parts);
}

/** The objects of a PDF by its table. */
function objectsOf(pdf) {
  const text = pdf.toString("latin1");
  const table = text.slice(Number(text.match(/startxref\n(\d+)\n%%EOF\n$/)[1]));
  const rows = [...table.matchAll(/(\d{10}) (\d{5}) ([nf]) \n/g)];
  assert.equal(Number(table.match(/^xref\n0 (\d+)\n/)[1]), rows.length);
  return rows.slice(1).map(([, offset], i) => {
    const object = text.slice(Number(offset));
    assert.ok(object.startsWith(`${i + 1} 0 obj\n`), object.slice(0, 20));
    return object.slice(0, object.indexOf("endobj"));
  });
}

const streamOf = (object) => {
  const start = object.indexOf("stream\n") + 7;
  return Buffer.from(object.slice(start, start + Number(object.match(/\/Length (\d+)/)[1])), "latin1");
};

test("opaque pixels are an image without a mask, on a page of the picture's size", async () => {
  const objects = objectsOf(await written([1, 2, 3, 255, 250, 251, 252, 255], 2, 1));
  assert.equal(objects.length, 6);
  assert.match(objects[2], /MediaBox \[0 0 150 75\]/);
  assert.equal(streamOf(objects[3]).toString(), "q 150 0 0 75 0 0 cm /Picture Do Q");
  assert.match(objects[4], /Width 2 \/Height 1/);
  assert.doesNotMatch(objects[4], /SMask/);
  assert.deepEqual([...inflateSync(streamOf(objects[4]))], [1, 2, 3, 250, 251, 252]);
});

test("what is not opaque is a mask", async () => {
  const objects = objectsOf(await written([9, 9, 9, 255, 0, 0, 0, 0], 1, 2));
  assert.match(objects[4], /SMask 7 0 R/);
  assert.deepEqual([...inflateSync(streamOf(objects[6]))], [255, 0]);
});

test("it says what it shows in any letters", async () => {
  const said = objectsOf(await written([0, 0, 0, 255], 1, 1))[5];
  for (const [name, text] of Object.entries({ Title: ABOUT.title, Subject: ABOUT.caption, Keywords: ABOUT.link, Creator: "tlmviz" })) {
    const hex = said.match(new RegExp(`/${name} <([0-9A-F]+)>`))[1];
    assert.equal(Buffer.from(hex, "hex").swap16().toString("utf16le"), `\ufeff${text}`);
  }
});
