// Colours of a picture that is saved without any.

import assert from "node:assert/strict";
import { test } from "node:test";

import { greyed } from "#canvas/theme.js";

test("what is left of a colour is its lightness, however it is written; an image is filtered", () => {
  const svg =
    '<svg width="9"><rect fill="rgb(255, 0, 0)"/><text style="fill: rgba(0,0,255,0.5)"/><path stroke="color(srgb 0 1 0 / 0.25)"/><image href="x"/></svg>';
  assert.equal(
    greyed(svg),
    '<svg width="9"><filter id="tlmviz-grey"><feColorMatrix type="saturate" values="0"/></filter><rect fill="rgb(54,54,54)"/><text style="fill: ' +
      'rgba(18,18,18,0.5)"/><path stroke="rgb(182 182 182 / 0.25)"/><image filter="url(#tlmviz-grey)" href="x"/></svg>',
  );
});
