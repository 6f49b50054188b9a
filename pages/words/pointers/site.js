// @ts-check
// The page Pointers on a static site: its part about hulls.

import { loadHull } from "#browser/hull.js";
import { _ } from "#canvas/language.js";
import { menu } from "#site/controls.js";
import { opened, textOf } from "#site/fetching.js";
import { asked, attempt, element, given, link, onlyPart, picture, say } from "#site/frame.js";
import view from "./hull.js";
import { hullOf } from "./hulls.js";

/** @typedef {import("./hulls.js").Point} Point */

const { model, sets, seed } = given.own;
const { kind, number, seed: drawn } = given.controls;
const END = 1001; // the last step, whatever the points
const MOST = 1000; // points

/** The points of a link, as it says them: 100.900,450.450. @returns {Point[]} */
function linked() {
  const said = asked.get("hpts") ?? "";
  const points = /^(\d{1,4}\.\d{1,4}(,|$))+$/.test(said) ? said.split(",").map((pair) => /** @type {Point} */ (pair.split(".").map(Number))) : [];
  return points.length <= MOST && points.flat().every((value) => value <= 1000) ? points : [];
}

const chosen = { kind: asked.get(kind.key) ?? kind.default, number: Number(asked.get(number.key) ?? number.default), points: linked(),
  step: Math.min(END, Math.trunc(Number(asked.get("hstep"))) || 0) };

async function start() {
  onlyPart("pointer", "hull");
  const finder = await attempt(() => opened(model, (files) => loadHull(textOf(files["config.json"]), files["model.safetensors"])));
  if (!finder) return;
  const show = picture("pointers", view, (place) => draw(place));
  const kinds = menu(_(kind.label), (value) => draw({ kind: value, points: [] }));
  const numbers = menu(_(number.label), (value) => draw({ number: Number(value), points: [] }));
  kinds.offer(Object.keys(sets).map((name) => [name, name]));
  numbers.offer(Object.keys(sets[kind.default]).map((count) => [count, count]));
  element("controls").replaceChildren(kinds.root, numbers.root);
  /** Show what is chosen, with a change. @param {Partial<typeof chosen>} change */
  const draw = (change) => attempt(() => {
    Object.assign(chosen, change);
    const points = chosen.points.length ? chosen.points : sets[chosen.kind][chosen.number];
    const { header, arrays } = hullOf(finder, points, `${chosen.kind} ${chosen.number}`);
    show(header, arrays, { points: chosen.points, step: chosen.step });
    kinds.show(chosen.kind);
    numbers.show(String(chosen.number));
    link({
      [kind.key]: chosen.kind === kind.default ? null : chosen.kind, [number.key]: chosen.number === number.default ? null : String(chosen.number),
      hpts: chosen.points.length ? chosen.points.map((point) => point.join(".")).join(",") : null, hstep: chosen.step ? String(chosen.step) : null,
    });
  });
  const there = chosen.kind in sets && chosen.number in sets[kind.default] && Number(asked.get(drawn.key) ?? seed) === seed;
  if (!(chosen.kind in sets)) chosen.kind = kind.default;
  if (!(chosen.number in sets[kind.default])) chosen.number = number.default;
  await draw({});
  if (!there && !chosen.points.length) say(_("This set of points only the app draws; this site has draw {seed} of {numbers} points, of each kind.",
    { seed, numbers: Object.keys(sets[kind.default]).join(", ") }));
}

start();
