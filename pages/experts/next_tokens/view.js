// @ts-check
// What is predicted ahead of a position of a text, or what each pass of the model writes; walked by pointer and keys.

import { makeAxis, placeOn } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { _ } from "#canvas/language.js";
import { go, live, makeLegend } from "#canvas/live.js";
import { drawChain } from "./chains.js";
import { drawRounds } from "./rounds.js";

/**
 * `right` is null behind the text's end; `added` where the text ended before; `at` is what is looked at, from 1.
 * @typedef {{ reads: string, right: boolean | null, top: [word: string, p: number][] }} Stage
 * @typedef {{ proposed: [word: string, chance: number][], accepted: number, added: string | null }} Round
 * @typedef {{ kind: "chains" | "rounds", tokens: string[], chains: Stage[][], rounds: Round[], at: number, parallel: boolean }} Header
 * @typedef {import("#canvas/live.js").View<Header, {}, { place: number, step: number }>} View
 */

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const passes = (v) => ({
  end: () => Math.max(0, v.header.rounds.length - 1),
  step: () => 1,
  read: () => (v.place.step || v.header.at) - 1,
  write: (at) => ({ step: at + 1 }),
  says: () => _("pass {at} of {count}", { at: Math.floor(placeOn(v, passes(v))) + 1, count: v.header.rounds.length }),
  label: _("Pass of the model"),
  lasts: () => 700 * v.header.rounds.length,
});

/** @param {View} v @param {number} at from 1 */
const choosePlace = (v, at) => go(v, { place: Math.max(1, Math.min(at, v.header.chains.length)) });

/** @param {Event} event */
const placeUnder = ({ target }) => Number(/** @type {HTMLElement} */ (target).dataset?.place ?? 0) || null;

/** @param {View} v */
function build(v) {
  const axis = makeAxis(v, passes(v));
  const legend = makeLegend(v, () => [
    { name: _("proposed and kept"), color: "var(--good)" },
    { name: _("proposed and dropped"), color: "var(--pale)" },
    { name: _("added by the model; a column a pass"), color: "var(--soft)" },
  ]);
  const [bar, body] = [make("div", { className: "bar" }, ...axis.parts), make("div", {})];
  const look = (/** @type {number | null} */ place) => {
    if (place === v.hover) return;
    v.hover = place;
    v.paint();
  };
  body.addEventListener("pointerover", (event) => look(placeUnder(event)));
  body.addEventListener("pointerleave", () => look(null));
  body.addEventListener("click", (event) => {
    const [place, step] = [placeUnder(event), Number(/** @type {HTMLElement} */ (event.target).closest("button")?.dataset.step ?? 0)];
    v.hover = null;
    if (place) choosePlace(v, place);
    else if (step) go(v, { step });
  });
  body.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || v.header.kind !== "chains") return;
    event.preventDefault();
    v.hover = null;
    choosePlace(v, (v.place.place || v.header.at) + step);
  });
  axis.listen(bar);
  Object.assign(v.els, { axis, bar, body, legend });
  addMenu(v, _("Several tokens predicted at once"), true);
  return [bar, body, legend.root];
}

/** @param {View} v */
function paint(v) {
  const { axis, bar, body, legend } = v.els;
  const writing = v.header.kind === "rounds";
  const step = Math.floor(placeOn(v, passes(v)));
  const at = writing ? step + 1 : Math.min(v.hover ?? (v.place.place || v.header.at), v.header.chains.length);
  const focus = /** @type {HTMLElement | null} */ (/** @type {ShadowRoot} */ (v.root.getRootNode()).activeElement)?.dataset?.testid;
  body.replaceChildren(...(writing ? drawRounds(v.header, step) : drawChain(v.header, at - 1)));
  bar.hidden = legend.root.hidden = !writing;
  axis.repaint();
  legend.repaint();
  v.root.dataset.at = String(at);
  if (focus && focus !== "axis") /** @type {HTMLElement | null} */ (body.querySelector(`[data-testid="${focus}"]`))?.focus({ preventScroll: true });
}

export default live({ id: "ahead", build, paint });
