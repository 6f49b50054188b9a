// @ts-check
// The page Projector on a static site: its map of word vectors.

import { loadWords } from "#browser/word_vectors.js";
import { textBox } from "#site/controls.js";
import { opened, textOf } from "#site/fetching.js";
import { asked, attempt, element, given, link, modelMenu, namesOf, onlyPart, picture } from "#site/frame.js";
import { foundOf, NOTHING, spaceOf } from "./mapped.js";
import { keepPoints } from "./points.js";
import view from "./view.js";

const { model, near } = given.own;
const { word: declared } = given.controls;
/** @type {import("#browser/word_vectors.js").WordVectors | null} */
let words = null;
/** @type {ReturnType<typeof spaceOf> | null} */
let space = null;

const camera = (asked.get("wpz") ?? "").split(",").map(Number);
const place = { word: "", camera: camera.length === 3 && camera.every(Number.isFinite)
  ? [clipped(camera[0], 0, 1), clipped(camera[1], 0, 1), clipped(camera[2], 0.5, 200)] : null, frame: -1 };
const show = picture("projector", view, (left) => {
  if (left.word !== place.word) box.set(left.word);
  Object.assign(place, left);
  draw();
});
const box = textBox(declared, () => draw());
element("controls").replaceChildren(box.root);

/** @param {number} value @param {number} least @param {number} most */
function clipped(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

async function draw() {
  if (!words) return;
  place.word = box.value;
  const found = (await attempt(() => foundOf(words, space, box.value, near))) ?? { word: box.value, ...NOTHING };
  show({ ...space.header, ...found }, {}, { ...place });
  link({ [declared.key]: box.value === declared.default ? null : box.value,
    wpz: place.camera && place.camera.map((part) => Number(part.toPrecision(4))).join(",") });
}

onlyPart("wpv", "Map");
onlyPart("wps", "words");
modelMenu("wpm", namesOf("words", model), async (name) => {
  if (words) place.camera = null;
  words = await opened(name, (files) => loadWords(textOf(files["config.json"]), files["model.safetensors"], textOf(files["vocabulary.tsv"])));
  space = spaceOf(words, given.own);
  keepPoints(space.points);
  await draw();
});
