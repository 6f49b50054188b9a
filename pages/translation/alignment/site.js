// @ts-check
// The page Alignment on a static site: its part Ribbons.

import { _ } from "#canvas/language.js";
import { make } from "#canvas/dom.js";
import { minus } from "#canvas/text.js";
import { menu, textBox } from "#site/controls.js";
import { asked, attempt, element, given, link, modelMenu, namesOf, onlyPart, picture } from "#site/frame.js";
import { translator } from "#site/translation.js";
import { coverageSaid, mapMenu, readPins, ribbonsOf, writePins } from "./ribbons/woven.js";
import view from "./ribbons/view.js";

/** @typedef {import("#browser/translator.js").Translator} Translator */

const { best, model } = given.own;
const { sentence: declared } = given.controls;
const chosen = { rank: Math.max(1, Number(asked.get("ahyp")) || 1), map: asked.get("amap") ?? "best", pins: readPins(asked.get("arib") ?? "") };
/** @type {Translator | null} */
let mt = null;

const show = picture("ribbons", view, (place) => draw(place));
const sentence = textBox(declared, () => draw({ pins: [], rank: 1 }));
const ranks = menu(_("Hypothesis"), (rank) => draw({ rank: Number(rank), pins: [] }));
const maps = menu(_("Attention map"), (map) => draw({ map }));
const covered = make("p", { className: "part" });
element("view").after(covered);
element("controls").replaceChildren(sentence.root, ranks.root, maps.root);

/** Show what is chosen, with a change. @param {Partial<typeof chosen>} change */
function draw(change) {
  Object.assign(chosen, change);
  const { value: text } = sentence;
  if (!mt) return;
  attempt(() => {
    const { header, arrays, hypotheses, pins } = ribbonsOf(mt, text, chosen, best[mt.name]);
    Object.assign(chosen, { pins, rank: Math.min(chosen.rank, hypotheses.length) });
    const options = mapMenu(mt, best[mt.name]);
    if (!options.some(([name]) => name === chosen.map)) chosen.map = "best";
    ranks.offer(hypotheses.map(({ tokens, parts }, i) => [String(i + 1), `${i + 1}. ${mt.text(tokens) || _("(nothing)")} (${minus(parts.total.toFixed(3))})`]));
    ranks.show(String(chosen.rank));
    maps.offer(options);
    maps.show(chosen.map);
    show(header, arrays, { pins });
    covered.textContent = coverageSaid(header, arrays.weights);
    link({
      [declared.key]: text === declared.default ? null : text, ahyp: chosen.rank === 1 ? null : String(chosen.rank),
      amap: chosen.map === "best" ? null : chosen.map, arib: pins.length ? writePins(pins) : null,
    });
  });
}

onlyPart("aview", "Ribbons");
modelMenu("mt", namesOf("translation", model), async (name) => {
  const first = !mt;
  mt = await translator(name);
  draw(first ? {} : { pins: [], rank: 1 });
});
