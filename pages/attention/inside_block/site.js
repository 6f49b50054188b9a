// @ts-check
// The page Inside a block on a static site: a language model's layer, a row for each of its steps.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { menu } from "#site/controls.js";
import { asked, element, given, link, onlyPart, picture } from "#site/frame.js";
import { languageModels } from "#site/language.js";
import { headPage } from "#site/reading.js";
import { viewOf } from "#site/view_link.js";
import { layerOf, LOSS, OPENING } from "./block.js";
import { shareOf } from "./rows.js";
import { readLayer, rowOf, tokenOfChoice } from "./token.js";
import { claimOf } from "./told.js";
import view from "./view.js";

const { model, text, tags, steps, told } = given.own;
const [named, linked] = [asked.get("step"), asked.get("bcell")];
const chosen = { query: viewOf(asked).query, step: named === LOSS ? null : named, cell: linked !== null && /^\d{1,5}$/.test(linked) ? Number(linked) : null };
let read = /** @type {import("./token.js").Read | null} */ (null); // what was read last

/** @param {Partial<typeof chosen>} change */
function choose(change) {
  Object.assign(chosen, change);
  page.redraw();
}

const show = picture("inside_block", view, ({ step, cell }) => choose({ step, cell }));
const tokens = menu(_("Token"), (at) => choose({ query: Number(at) }));
const names = menu(_("Step"), (step) => choose({ step, cell: null }));
const claim = make("p", { testid: "said" });
const said = make("div", { className: "part" });
const page = headPage({
  names: languageModels(model),
  control: text,
  suggest: (trace) => {
    const { layer, head } = rowOf(trace, tags);
    return [layer, head];
  },
  draw: (lm, { text: typed, trace, head: [layer, head] }) => {
    if (read?.lm !== lm || read.text !== typed || read.layer !== layer) read = readLayer(lm, typed, layer);
    const position = tokenOfChoice(trace, chosen.query, tags);
    const { header, arrays } = layerOf(read, { ...chosen, layer, head, position }, steps[lm.name]);
    tokens.offer(trace.tokens.map((token, i) => [String(i), `${i} · ${visible(token)}`]));
    tokens.show(String(position));
    names.offer(header.rows.map(({ name }, i) => [name, `${i + 1}/${header.rows.length} ${name}`]));
    const { step } = header;
    names.show(step);
    claim.textContent = claimOf(read, { head, position }, steps[lm.name].placement);
    tell(lm.name, layer, step);
    link({ query: chosen.query === null ? null : String(position), step: step === OPENING ? null : step,
      bcell: chosen.cell === null ? null : String(chosen.cell) });
    show(header, arrays, { step, cell: chosen.cell });
  },
});

/**
 * What a step does, and the lines of code that do it.
 * @param {string} name of the model
 * @param {number} layer
 * @param {string} step
 */
function tell(name, layer, step) {
  const own = steps[name];
  const [sentence, shape, ...sources] = told[own.told[own.layers[layer]][step]];
  const about = sentence.includes("{share}") ? sentence.replace("{share}", `${Math.round(100 * shareOf(read, own.placement, step))}%`) : sentence;
  const code = sources.flatMap((/** @type {[string, string]} */ [where, lines]) =>
    [make("pre", {}, make("code", { textContent: lines })), make("small", { textContent: where })]);
  said.replaceChildren(make("p", {}, make("b", { textContent: `${step}. ` }), `${about} `,
    make("code", { textContent: shape.replaceAll("{length}", String(read.trace.ids.length)) })), ...code);
}

element("controls").replaceChildren(...page.roots, tokens.root, names.root);
element("view").before(claim);
element("view").after(said, make("p", { className: "part",
  textContent: _(
  "The app also draws the matrices of each step, with its equation, follows the residual stream through all layers, and opens models that translate.") }));
if (named === LOSS) onlyPart("step", OPENING);
page.start();
