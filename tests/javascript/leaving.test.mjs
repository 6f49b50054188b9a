// When a page counts as left: a plain click on a link to another page of the app, or the browser going to one, for a while.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.Element = class {};
globalThis.HTMLAnchorElement = class extends Element {
  target = "";
  origin = "http://here";
  constructor(pathname, more = {}) {
    super();
    Object.assign(this, { pathname }, more);
  }
  closest() {
    return this;
  }
};
globalThis.window = {};
const app = { rests: true };
globalThis.document = { querySelector: (selector) => (selector.includes("notRunning") && app.rests ? {} : null) };
globalThis.location = { origin: "http://here", pathname: "/why" };
const { isLeft, noteBack, noteLink } = await import("../../tlmviz/ui/components/canvas/leaving.js");
const clicked = (path, more = {}, event = {}) => noteLink({ target: new HTMLAnchorElement(path, more), button: 0, ...event });

test("links that stay, or open elsewhere, leave nothing", () => {
  clicked("/why");
  clicked("/patch", { target: "_blank" });
  clicked("/patch", { origin: "http://there" });
  clicked("/patch", {}, { ctrlKey: true });
  clicked("/patch", {}, { button: 1 });
  noteBack();
  assert.ok(!isLeft(0));
});

test("a link to another page leaves what was made before it, and nothing after", () => {
  const before = performance.now() - 1;
  clicked("/patch");
  assert.ok(isLeft(before) && !isLeft(performance.now() + 1));
  window.tlmvizLeft -= 3001;
  app.rests = false;
  assert.ok(isLeft(before - 3001), "a busy server may take longer to bring the next page");
  app.rests = true;
  assert.ok(!isLeft(before - 3001), "a link that led nowhere is forgotten");
});

test("going back leaves too, but not within a page", () => {
  window.tlmvizLeft = -Infinity;
  location.pathname = "/patch";
  noteBack();
  assert.ok(!isLeft(0));
  location.pathname = "/why";
  noteBack();
  assert.ok(isLeft(0));
});
