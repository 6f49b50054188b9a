// @ts-check
// The page KV cache on a static site: its part Steps.

import { _ } from "#canvas/language.js";
import { make } from "#canvas/dom.js";
import { controls } from "#site/controls.js";
import { asked, element, given, link, onlyPart, picture } from "#site/frame.js";
import { languageModels } from "#site/language.js";
import { headPage } from "#site/reading.js";
import { decodingOf } from "./decoded.js";
import view from "./view.js";

const { model, costs, part } = given.own;
const { prompt } = given.controls;
const linked = asked.get("kstep");
const place = { at: linked !== null && /^\d{1,2}$/.test(linked) ? Number(linked) : null };
let tokens = 0;

const show = picture("kv_cache", view, ({ at }) => {
  place.at = at;
  link({ kstep: at === null ? null : String(at) });
});
const page = headPage({
  names: languageModels(model).filter((name) => name in costs),
  control: prompt,
  draw: (lm, { text, head }) => {
    const { header, arrays } = decodingOf(lm, text, { tokens, head }, costs);
    show(header, arrays, { ...place });
  },
});

controls(["tokens"], (values) => {
  tokens = values.tokens;
  page.redraw();
});
element("controls").prepend(...page.roots);
element("controls").append(make("p", { className: "part",
  textContent: _("Here the likeliest token is written each time; the app also draws at a temperature, and shows the cost and several models.") }));
onlyPart("kview", part);
page.start();
