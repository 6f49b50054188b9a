// @ts-check
// Networks that learn while one looks: one, or two side by side of which the second has one thing changed.

import { download, make, makeButton } from "#canvas/dom.js";
import { filmButton } from "#canvas/film.js";
import { _ } from "#canvas/language.js";
import { cells, live, makeLegend, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { visible } from "#canvas/text.js";
import { zipOf } from "#canvas/zip.js";
import { cellAt, cellBeside, curvesOf, drawRun, isCell, layoutOf, saidOfCell } from "./drawing.js";
import { bestHead, folderOf, headName, liveFileOf, makeLearner, nextStep, outcome, saidOf } from "./learning.js";

/** @typedef {import("./learning.js").Learner} Learner */
/** @typedef {import("./drawing.js").Kind & { title: string, question: string, why?: string, live?: string, runs: { name: string,
 * asked: import("#browser/training/run.js").Asked }[] }} Header */
/** @typedef {import("#canvas/live.js").View<Header> & { learners: Learner[], begun: number, pace: string, playing: boolean, guess: string, until: number,
 * cell: Cell | null }} View `cell`: the one that was chosen */
/** @typedef {import("./drawing.js").Cell & { run: number }} Cell */

const RUN_NAME = 18; // pixels for it in a saved picture
const PACES = /** @type {() => [string, string, string][]} */ (() => [
  ["5", _("Slow"), _("5 steps a second")],
  ["25", _("To watch"), _("25 steps a second, where the machine can")],
  ["0", _("As fast as it can"), _("As many steps a second as the machine gives")],
]);

/** @param {View} v */
function build(v) {
  Object.assign(v, { learners: [], pace: "25", playing: false, guess: "", until: 0 });
  const play = makeButton("", _("Train, or pause"), () => playOrPause(v));
  const back = makeButton(_("Step back"), _("Back to the last step that was kept: a power of two"), () => stepBack(v));
  const again = makeButton(_("From the start"), _("Draw the weights anew and begin again"), () => startAgain(v));
  const pace = segments(PACES, () => v.pace, (value) => {
    v.pace = value;
    tell(v, { pace: Number(value) });
    v.paint();
  }, _("Speed"));
  const model = makeButton(_("Save the model"), "", () => saveModels(v));
  const file = makeButton(_("Live file"), _("The model as one file that runs it where it is opened: type, and its heads follow"), () => saveLive(v));
  const legend = makeLegend(v, () => curvesOf(v.theme, v.header));
  const question = make("div", { className: "question", testid: "train-question" });
  const heard = make("p", { className: "heard", role: "status", testid: "train-outcome" });
  const panels = make("div", { className: "runs" });
  const next = make("p", { className: "next", testid: "train-next" });
  Object.assign(v.els, { play, back, pace, model, file, legend, question, heard, panels, next });
  v.ends.push(() => endRuns(v));
  const save = saving(v, "tlmviz-training", {
    height: (width) => v.learners.reduce((sum, learner) => sum + RUN_NAME + layoutFor(learner, width).height + 12, 0),
    draw: (pen, theme, width) => v.learners.reduce((y, learner, i) => {
      const layout = layoutFor(learner, width);
      pen.text(0, y + 6, runName(v, i), { color: theme.text, size: 12, weight: 600 });
      pen.shifted(0, y + RUN_NAME, () => drawRun(pen, learner, layout, theme, v.header));
      return y + RUN_NAME + layout.height + 12;
    }, 0),
    legend: (theme) => curvesOf(theme, v.header),
  });
  const film = filmButton(() => panels.querySelector("canvas"), () => v.theme.background, "tlmviz-training");
  v.ends.push(film.end);
  return [make("div", { className: "bar" }, play, back, again, pace.root, film.button, model, file, save), question, legend.root, heard, panels, next];
}

/** Which run it is, and how far it is. @param {View} v @param {number} i */
function runName(v, i) {
  const step = _("step {step}", { step: (v.learners[i].points.at(-1)?.step ?? 0).toLocaleString("en") });
  return [v.learners[i].name, step].filter(Boolean).join(", ");
}

/** @param {Learner} learner @param {number} width */
function layoutFor({ moment }, width) {
  return moment ? layoutOf(width, moment.previous.length, moment.previous[0].length) : layoutOf(width, 1, 4);
}

/** @param {View} v @param {import("#browser/training/trainer.js").Order} order to all runs */
function tell(v, order) {
  for (const { worker } of v.learners) worker.postMessage(order);
}

/** New data: other runs than those that are there begin, where nothing is asked first. @param {View} v */
function begin(v) {
  if (v.begun === v.content) return;
  v.begun = v.content;
  startAgain(v);
}

/** @param {View} v */
function startAgain(v) {
  endRuns(v);
  const { runs, question, steps } = v.header;
  Object.assign(v, { guess: "", playing: !question, until: steps });
  v.learners = runs.map(({ name }) => makeLearner(name, (learner) => changed(v, learner)));
  Object.assign(v, { cell: null, hover: null, pointAgain: undefined });
  v.els.panels.replaceChildren(...v.learners.map((learner, run) => makePanel(v, learner, run)));
  v.els.question.replaceChildren(...(question ? asking(v, question) : []));
  v.learners.forEach(({ worker }, i) => {
    worker.postMessage({ start: runs[i].asked, pace: Number(v.pace), until: steps, ...(question ? { pause: true } : {}) });
  });
}

/** @param {View} v */
function endRuns(v) {
  for (const { worker } of v.learners) worker.terminate();
  v.learners = [];
}

/** @param {View} v @param {Learner} learner @param {number} run */
function makePanel(v, learner, run) {
  const canvas = make("canvas", { role: "img", testid: "train-canvas" });
  const cell = make("p", { className: "cell", testid: "train-cell" });
  const ofRun = (/** @type {import("./drawing.js").Cell | null} */ found) => found && { run, ...found };
  cells(v, canvas, {
    under: (x, y) => ofRun(learner.moment && cellAt(learner.moment, layoutFor(learner, widthOf(canvas)), x, y)),
    choose: (chosen) => {
      v.cell = chosen;
      v.paint();
    },
    beside: (dx, dy) => ofRun(learner.moment && (v.cell?.run === run ? cellBeside(learner.moment, v.cell, dx, dy) : { layer: 0, head: 0, row: 0, column: 0 })),
  });
  return make("div", { className: "run" }, make("h3"), make("div", { className: "panel" }, canvas), cell, make("div", { className: "sample" }),
    make("p", { className: "said", testid: "train-said" }));
}

/**
 * The question before a second run begins.
 * @param {View} v
 * @param {string} question
 */
function asking(v, question) {
  const answer = (/** @type {string} */ guess) => () => {
    v.guess = guess;
    v.els.question.replaceChildren();
    v.playing = true;
    tell(v, { resume: true });
    v.paint();
  };
  return [make("span", { textContent: question }), makeButton(_("Yes"), _("Guess yes, and train"), answer("yes")),
    makeButton(_("No"), _("Guess no, and train"), answer("no")), makeButton(_("Just show me"), _("Train without a guess"), answer(""))];
}

/** @param {View} v */
function playOrPause(v) {
  v.playing = !v.playing;
  v.els.question.replaceChildren();
  const done = v.learners.every(({ moment }) => moment && moment.step >= v.until);
  if (v.playing && done) v.until += v.header.steps;
  tell(v, v.playing ? { until: v.until, resume: true } : { pause: true });
  v.paint();
}

/** @param {View} v */
function stepBack(v) {
  v.playing = false;
  for (const learner of v.learners) learner.problem = "";
  tell(v, { back: true });
  v.paint();
}

/** Runs whose networks are language models, as the app has them. @param {View} v */
function modelsOf({ header, learners }) {
  return learners.filter(({ moment }, i) => moment && header.runs[i].asked.causal && header.runs[i].asked.norm);
}

/** @param {View} v */
async function saveModels(v) {
  const folders = modelsOf(v).map((learner) => folderOf(learner, nameOf(v, learner)));
  download(zipOf(Object.assign({}, ...(await Promise.all(folders)))), "tlmviz-trained.zip");
}

/** @param {View} v */
async function saveLive(v) {
  for (const learner of modelsOf(v)) {
    const name = nameOf(v, learner);
    download(new Blob([await liveFileOf(learner, name, v.header.live)], { type: "text/html" }), `${name}.html`);
  }
}

/** What the model of a run is called. @param {View} v @param {import("./learning.js").Learner} learner */
function nameOf({ header, learners }, learner) {
  const at = learners.indexOf(learner);
  return `trained-${header.runs[at].asked.task}${at ? "-beside" : ""}`;
}

/** A run has told something: it is painted with the next frame, and tells more once that is done. @param {View} v @param {Learner} learner */
function changed(v, learner) {
  if (!v.learners.includes(learner)) return;
  if (v.learners.every(({ moment, problem }) => problem || (moment?.paused && moment.step >= v.until))) v.playing = false;
  requestAnimationFrame(() => {
    v.paint();
    v.pointAgain?.();
    learner.worker.postMessage({ seen: true });
  });
}

/** @param {View} v */
function paint(v) {
  const { play, pace, legend, heard, panels, back, model, file } = v.els;
  play.textContent = v.playing ? _("Pause") : _("Train");
  back.disabled = !v.learners.some(({ moment }) => moment?.step > 0);
  model.disabled = file.disabled = !modelsOf(v).length;
  file.hidden = !v.header.live; // where no server gives it
  model.title = model.disabled ? _("A model of the app has a causal mask and norms; train one with both to save it") : _(
    "As a folder in a ZIP file: unpack it, and “tlmviz run FOLDER” opens it on every page");
  pace.repaint();
  legend.repaint();
  v.learners.forEach((learner, i) => paintRun(v, learner, panels.children[i]));
  const came = outcome(v.learners, v.header.steps, v.guess);
  const told = came && v.header.why ? `${came} ${v.header.why}` : came; // why: not before it is guessed
  if (heard.textContent !== told) heard.textContent = told; // it is read out when it changes
  v.els.next.textContent = `→ ${nextStep(v.learners, { steps: v.header.steps, asked: Boolean(v.els.question.firstChild), playing: v.playing })}`;
  const [first] = v.learners;
  const grown = v.learners.length > 0 && v.learners.every(({ moment, formed, problem }) => problem || formed !== null || moment?.step >= v.header.steps);
  Object.assign(v.root.dataset, { step: first?.moment?.step ?? 0, playing: v.playing, grown, right: (first?.moment?.right ?? 0).toFixed(2) });
}

/** @param {View} v @param {Learner} learner @param {Element} panel */
function paintRun(v, learner, panel) {
  const [name, , cell, sample, said] = /** @type {HTMLElement[]} */ ([...panel.children]);
  const canvas = panel.querySelector("canvas");
  name.textContent = learner.name;
  name.hidden = !learner.name;
  const layout = layoutFor(learner, widthOf(canvas));
  drawRun(penOf(v, canvas, layout.height), learner, layout, v.theme, v.header);
  said.textContent = saidOf(learner);
  const shown = [v.hover, v.cell].find((at) => at?.run === v.learners.indexOf(learner));
  cell.textContent = shown && learner.moment && isCell(learner.moment, shown) ? saidOfCell(learner.moment, shown) : "";
  canvas.setAttribute("aria-label", describe(learner));
  sample.replaceChildren(...(learner.moment ? sampleOf(learner.moment) : []));
}

/** @param {Learner} learner */
function describe({ moment }) {
  if (!moment) return _("Attention maps of a network that is being made");
  const best = bestHead(moment.induction ?? moment.previous);
  return _("Attention maps of {count} heads and curves of what they have learnt by step {step}; strongest: {head}, {score}. Arrow keys go from cell to cell.",
    { count: moment.previous.flat().length, step: moment.step, head: headName(best), score: best.score.toFixed(2) });
}

/**
 * What the network says now: a text that it writes, or its answers on the sequence of the maps.
 * @param {import("./learning.js").Moment} moment
 */
function sampleOf({ written, tokens, targets, guesses, names }) {
  if (written !== null) return [make("b", { textContent: _("It writes:") }), " ", make("span", { className: "written", textContent: written })];
  const from = targets.findIndex((target) => target >= 0);
  const given = [...tokens.subarray(0, from + 1)].map((id) => visible(names[id])).join(" ");
  const said = [...guesses.subarray(from)].map((guess, i) => {
    const right = guess === targets[from + i];
    return make("span", { className: right ? "right" : "wrong", textContent: visible(names[guess]),
      title: right ? _("Right") : _("{right} would be right", { right: visible(names[targets[from + i]]) }) });
  });
  return [make("b", { textContent: _("Given") }), ` ${given} `, make("b", { textContent: _("it says") }), " ", ...said];
}

export default live({ id: "train", build, paint, fit: begin });
