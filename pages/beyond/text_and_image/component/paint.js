// @ts-check
// What the view shows: pictures under weights, words as buttons, and sentences.

import { makeButton } from "#canvas/dom.js";
import { drawPixels } from "#canvas/pad.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { asksWeights, byCell, cellOf, columnOf, drawHeads, drawPicture, headName, headPlaces, rowOf, turnedWeights } from "./maps.js";
import { send, show } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const GRID = 216; // pixels of the picture that is laid out
const PICTURE = 290; // of the largest picture with weights
const PAD = 144;

/** @param {View} v */
export function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header, shown } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  const { theme } = v;
  drawLayout(v);
  v.pad.paint(theme, PAD);
  els.cellName.textContent = TEXTS.theCellAt(header.names[v.cell]);
  els.picks.replaceChildren("Ask:", ...header.picks.map((pick) => makeButton(pick, "Ask this", () => send(v, { question: pick }))));
  els.verdict.textContent = header.problem || header.verdict;
  els.verdict.className = `verdict${header.wrong || header.problem ? " wrong" : ""}`;
  els.answered.forEach((element) => (element.hidden = Boolean(header.problem)));
  if (!header.problem) paintAnswer(v);
  Object.assign(v.root.dataset, { cell: String(v.cell), shown: Object.values(shown).join("."), answer: header.words.join(" "), seq: String(v.seq) });
}

/** @param {View} v */
function drawLayout(v) {
  const { theme, els } = v;
  const pen = canvasPen(fit(els.grid, GRID, GRID), theme);
  drawPixels(pen, theme, v.pixels, 24, GRID);
  const step = GRID / 3;
  for (let i = 0; i < 9; i++) pen.rect((i % 3) * step + 0.5, Math.floor(i / 3) * step + 0.5, step - 1, step - 1, null, theme.faint);
  pen.rect((v.cell % 3) * step + 1.5, Math.floor(v.cell / 3) * step + 1.5, step - 3, step - 3, null, theme.primary, { width: 3 });
  els.grid.setAttribute("aria-label", TEXTS.pictureThreeThree(v.header.names[v.cell]));
}

/** @param {View} v */
function paintAnswer(v) {
  const { els, header, shown, theme } = v;
  const inner = els.asks.parentElement?.clientWidth ?? PICTURE;
  const size = Math.min(PICTURE, inner);
  const [weights, turned] = [asksWeights(v), turnedWeights(v)];
  drawPicture(canvasPen(fit(els.asks, size, size), theme), v, theme, size, { weights, full: Math.max(...(weights ?? [0])), patch: shown.patch });
  drawPicture(canvasPen(fit(els.turned, size, size), theme), v, theme, size, { weights: turned, full: 1, marks: v.marks, patch: shown.patch });
  drawHeads(canvasPen(fit(els.heads, inner, headPlaces(v.asks.layers * v.asks.heads, inner).height), theme), v, theme, inner, v.asks, shown.head, (head) => asksWeights(v, head));
  drawHeads(canvasPen(fit(els.turnedHeads, inner, headPlaces(v.turned.layers * v.turned.heads, inner).height), theme), v, theme, inner, v.turned, shown.turnedHead, (head) => turnedWeights(v, head), 1);
  const looked = shown.patch ? columnOf(v.asks, shown.patch - 1, shown.head) : null;
  chips(v, els.words, [...header.asked, ...header.words], header.asked.length, shown.word, looked, (word) => show(v, { word }));
  const read = shown.patch ? rowOf(v.turned, shown.patch - 1, shown.turnedHead) : null;
  chips(v, els.turnedWords, header.read, header.read.length, shown.turnedWord, read, (turnedWord) => show(v, { turnedWord }));
  els.marking.textContent = header.marking;
  els.marking.className = `verdict${header.markedWrong ? " wrong" : ""}`;
  els.said.textContent = asksSentence(v, weights, looked);
  els.turnedSaid.textContent = turnedSentence(v, turned, read);
  els.asks.setAttribute("aria-label", TEXTS.picturePatchesUnder(els.said.textContent));
  els.turned.setAttribute("aria-label", TEXTS.pictureWhatMarked(els.turnedSaid.textContent));
}

/**
 * Words as buttons, shaded by weights where there are some; those of the answer in bold, behind an arrow.
 * @param {View} v
 * @param {HTMLElement} host
 * @param {string[]} words
 * @param {number} asked how many are the question's
 * @param {number} chosen from 1
 * @param {number[] | null} weights
 * @param {(word: number) => void} onChoose
 */
function chips(v, host, words, asked, chosen, weights, onChoose) {
  const full = Math.max(...(weights ?? [1]));
  const focused = document.activeElement?.shadowRoot ? null : Array.from(host.children).indexOf(/** @type {Element} */ (host.getRootNode() instanceof ShadowRoot ? /** @type {ShadowRoot} */ (host.getRootNode()).activeElement : document.activeElement));
  const made = words.map((word, i) => {
    const chip = makeButton(word === "⟨end⟩" ? "end" : word, "Where it looked", () => onChoose(chosen === i + 1 ? 0 : i + 1));
    chip.className = `word${i >= asked ? " answer" : ""}${chosen === i + 1 ? " chosen" : ""}`;
    chip.setAttribute("aria-pressed", String(chosen === i + 1));
    if (i === asked && asked) chip.classList.add("first");
    if (i >= asked) chip.title = `Probability ${v.header.probabilities[i - asked].toFixed(3)}`;
    if (weights) chip.style.boxShadow = `inset 0 -${Math.round((16 * weights[i]) / full)}px 0 color-mix(in srgb, ${v.theme.heads[1]} 45%, transparent)`;
    return chip;
  });
  host.replaceChildren(...made);
  if (focused !== null && focused >= 0) made[focused]?.focus();
}

/**
 * @param {View} v
 * @param {number[] | null} weights
 * @param {number[] | null} looked
 */
function asksSentence(v, weights, looked) {
  const { header, shown } = v;
  const words = [...header.asked, ...header.words];
  const head = shown.head ? `Head ${headName(v.asks, shown.head)}` : TEXTS.meanAllHeads;
  if (looked) {
    const most = looked.indexOf(Math.max(...looked));
    return TEXTS.chosenPatchWas(head, words[most], percent(looked[most]));
  }
  if (!weights) return TEXTS.chooseWordSee;
  const sums = byCell(weights);
  const most = sums.indexOf(Math.max(...sums));
  const verb = shown.word > header.asked.length ? "to say" : "at the word";
  return TEXTS.weightCell(head, verb, words[shown.word - 1], percent(sums[most]), header.names[most]);
}

/**
 * @param {View} v
 * @param {number[] | null} weights
 * @param {number[] | null} read
 */
function turnedSentence(v, weights, read) {
  const { header, shown } = v;
  const head = shown.turnedHead ? `Head ${headName(v.turned, shown.turnedHead)}` : TEXTS.meanAllHeads;
  const name = (/** @type {number} */ i) => (header.read[i] === "⟨end⟩" ? "end" : header.read[i]);
  if (read) {
    const most = read.indexOf(Math.max(...read));
    return TEXTS.chosenPatchCell(head, header.names[cellOf(shown.patch - 1)], name(most), percent(read[most]));
  }
  if (!weights) return TEXTS.chooseWordSee2;
  const means = byCell(weights).map((sum) => sum / 4);
  const most = means.indexOf(Math.max(...means));
  return TEXTS.lookedMostCell(head, name(shown.turnedWord - 1), header.names[most], percent(means[most]));
}

/** @param {number} share */
function percent(share) {
  return `${(100 * share).toFixed(0)} %`;
}

/**
 * Save both pictures side by side, on white paper.
 * @param {View} v
 */
export function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const [weights, turned] = [asksWeights(v), turnedWeights(v)];
  return figureOf("tlmviz-text-and-image", { width: 2 * PICTURE + 40, height: PICTURE + 30, theme }, (pen) => {
    pen.text(0, 12, `${[...v.header.asked].join(" ")}? ${v.header.words.join(" ")}`, { color: theme.text, size: 13 });
    pen.shifted(0, 28, () => drawPicture(pen, v, theme, PICTURE, { weights, full: Math.max(...(weights ?? [0])) }));
    pen.shifted(PICTURE + 36, 28, () => drawPicture(pen, v, theme, PICTURE, { weights: turned, full: 1, marks: v.marks }));
  });
}
