// @ts-check
// The page RoPE planes on a static site: its part Clocks.

import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { controls, menu } from "#site/controls.js";
import { asked, element, given, link, onlyPart, picture, say } from "#site/frame.js";
import { languageModels } from "#site/language.js";
import { headPage } from "#site/reading.js";
import { viewOf } from "#site/view_link.js";
import { checkedBase, clocksOf, ownBase, pairOf } from "./planes.js";
import view from "./view.js";

const { model, models, text, part } = given.own;
const linked = viewOf(asked);
const pinned = { query: linked.query, key: linked.key };
const place = { at: Math.trunc(Number(asked.get("rat"))) || 0 };
let shown = 0; // the query
let chosen = /** @type {any} */ ({});

const show = picture("rope_planes", view, ({ at }) => {
  place.at = at;
  link({ rat: at ? String(at) : null });
});
const queries = menu(_("Query"), (at) => pin({ query: Number(at) }));
const keys = menu(_("Key"), (at) => pin({ query: shown, key: Number(at) }));
const page = headPage({
  names: languageModels(model).filter((name) => models.includes(name)),
  control: text,
  draw: (lm, { trace, head: [layer, head] }) => {
    const { ids: { length }, tokens } = trace;
    const [query, key] = pairOf(trace, [layer, head], pinned);
    shown = query;
    const named = (/** @type {number} */ count) => tokens.slice(0, count).map(
      (token, i) => /** @type {[string, string]} */ ([String(i), `${i} · ${visible(token)}`]));
    queries.offer(named(length));
    keys.offer(named(query + 1));
    queries.show(String(query));
    keys.show(String(key));
    link({ query: pinned.query === null ? null : String(query), key: pinned.key === null ? null : String(key) });
    let { base } = chosen;
    try {
      checkedBase(base, ownBase(lm.config));
    } catch (error) {
      say(_("{why} {base} is used instead.", { why: /** @type {Error} */ (error).message, base: ownBase(lm.config).toLocaleString("en") }));
      base = null;
    }
    const { header, arrays } = clocksOf(trace, { head: [layer, head], pair: [query, key], moves: chosen.moves, stride: chosen.stride, base });
    show(header, arrays, { ...place });
  },
});

/** @param {Partial<typeof pinned>} change */
function pin(change) {
  Object.assign(pinned, change);
  page.redraw();
}

controls(["moves"], (values) => {
  chosen = values;
  page.redraw();
}, { more: ["stride", "base"] });
element("controls").prepend(...page.roots, queries.root, keys.root);
onlyPart("rpart", part);
page.start();
