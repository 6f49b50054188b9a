// @ts-check
// The runs of the page: workers that train, what they have told, and what is said of it.

import { trainingWorker } from "#browser/training/worker.js?source";
import { _ } from "#canvas/language.js";

/** @typedef {import("#browser/training/trainer.js").Moment} Moment */
/** @typedef {{ step: number, loss: number, right: number, whole: number | null, previous: number,
 * induction: number | null }} Point of the curves; the best head of each kind */
/** @typedef {{ name: string, worker: Worker, moment: Moment | null, points: Point[], problem: string, formed: number | null, best: { step: number,
 * loss: number }, saved: (files: Record<string, Uint8Array>) => void }} Learner `formed`: the step at which it was right most of the time;
 *   `best`: that of the least loss on fresh data */

export const ENOUGH = 0.9; // share of right answers at which a task counts as learnt
export const NAMED = 0.3; // weight from which a head is said to do something
const RISEN = 0.1; // nats above the least loss from which on a loss has risen
const MOST_POINTS = 800;

/**
 * The head with the most of something.
 * @param {number[][]} scores by layer and head
 */
export function bestHead(scores) {
  let best = { layer: 0, head: 0, score: -1 };
  scores.forEach((heads, layer) => heads.forEach((score, head) => score > best.score && (best = { layer, head, score })));
  return best;
}

export const headName = (/** @type {{ layer: number, head: number }} */ { layer, head }) => `L${layer}H${head}`;

/**
 * A run in a worker of its own, which is told later to start. `changed` is called when it has told something.
 * @param {string} name
 * @param {(learner: Learner) => void} changed
 * @returns {Learner}
 */
export function makeLearner(name, changed) {
  const url = URL.createObjectURL(new Blob([trainingWorker], { type: "text/javascript" }));
  const worker = new Worker(url);
  const learner = /** @type {Learner} */ ({ name, worker, moment: null, points: [], problem: "", formed: null, best: { step: 0, loss: Infinity },
    saved: () => {} });
  worker.onmessage = ({ data }) => {
    URL.revokeObjectURL(url);
    if (data.saved) {
      learner.saved(data.saved);
      return;
    }
    if (data.problem) learner.problem = data.problem;
    else takeMoment(learner, data);
    changed(learner);
  };
  worker.onerror = () => {
    learner.problem = _("Training stopped: this browser could not go on with it. Reload the page, or take a smaller model.");
    changed(learner);
  };
  return learner;
}

/**
 * A run's network as it is now, as the files of a folder that tlmviz opens.
 * @param {Learner} learner
 * @param {string} name of the model
 * @returns {Promise<Record<string, Uint8Array>>} path -> bytes
 */
export async function folderOf(learner, name) {
  const files = await new Promise((/** @type {Learner["saved"]} */ resolve) => {
    learner.saved = resolve;
    learner.worker.postMessage({ save: name });
  });
  return Object.fromEntries(Object.entries(files).map(([file, bytes]) => [`${name}/${file}`, bytes]));
}

/**
 * The same as one file that runs the model where it is opened, on the head that has learnt most.
 * @param {Learner} learner
 * @param {string} name
 * @param {string} template its address
 */
export async function liveFileOf(learner, name, template) {
  const [files, { page, opening }] = await Promise.all([folderOf(learner, name), fetch(template).then((answer) => answer.json())]);
  const text = (/** @type {string} */ file) => new TextDecoder().decode(files[`${name}/${file}`]);
  const { induction, previous, tokens, text: read } = learner.moment;
  const { layer, head } = bestHead(induction ?? previous);
  const data = { ...opening, text: read, config: text("config.json"), state: { ...opening.state, layer, head, query: tokens.length - 1 } };
  const inside = (/** @type {string} */ json) => json.replaceAll("<", "\\u003c"); // no text ends the element that it stands in
  const weights = files[`${name}/model.safetensors`];
  let bytes = "";
  for (let i = 0; i < weights.length; i += 4096) bytes += String.fromCharCode(...weights.subarray(i, i + 4096));
  const parts = { name, data: inside(JSON.stringify(data)), tokenizer: inside(text("tokenizer.json")), weights: btoa(bytes) };
  return Object.entries(parts).reduce((whole, [part, given]) => whole.replaceAll(`{{tlmviz ${part}}}`, () => given), page);
}

/** @param {Learner} learner @param {Moment} moment */
function takeMoment(learner, moment) {
  const { step, loss, right, whole, previous, induction } = moment;
  learner.moment = moment;
  learner.points = learner.points.filter((point) => point.step < step);
  learner.points.push({ step, loss: loss / Math.log(moment.names.length), right, whole, previous: bestHead(previous).score,
    induction: induction && bestHead(induction).score });
  if (learner.points.length > MOST_POINTS) learner.points = learner.points.filter((point, i) => i % 2 || point.step === 0);
  if (learner.formed !== null && learner.formed > step) learner.formed = null; // stepped back
  if (learner.best.step > step) learner.best = { step, loss };
  if (loss < learner.best.loss) learner.best = { step, loss };
  if (right > ENOUGH) learner.formed ??= step;
}

const percent = (/** @type {number} */ share) => `${Math.round(100 * share)}%`;

/**
 * Whether a text is learnt by heart: on what it was not shown a network gets worse, and far better on what it was.
 * @param {Learner} learner
 */
const byHeart = ({ moment, best }) => moment?.written !== null && moment?.loss > best.loss + RISEN && moment.taught < moment.loss / 2;

/**
 * Where a run stands, in one or two sentences.
 * @param {Learner} learner
 */
export function saidOf({ moment, problem }) {
  if (!moment) return problem || _("The network is being made.");
  const { step, loss, taught, right, whole, names, speed, previous, induction } = moment;
  const parts = [
    _("Step {step}: {right} right on fresh data, loss {loss} (a guess has {guess}).",
      { step: step.toLocaleString("en"), right: percent(right), loss: loss.toFixed(2), guess: Math.log(names.length).toFixed(2) }),
  ];
  if (whole !== null) parts.push(_("Whole answers right: {whole}.", { whole: percent(whole) }));
  if (taught < loss / 2 && loss > 0.5) parts.push(_("On its own data the loss is {taught}.", { taught: taught.toFixed(2) }));
  const [back, after] = [bestHead(previous), induction && bestHead(induction)];
  if (back.score > NAMED) parts.push(_("{head} looks at the position before ({score}).", { head: headName(back), score: back.score.toFixed(2) }));
  if (after && after.score > NAMED) parts.push(_("{head} looks for what came after ({score}).", { head: headName(after), score: after.score.toFixed(2) }));
  if (speed) parts.push(_("{count} tokens a second.", { count: (Math.round(speed / 100) * 100).toLocaleString("en") }));
  return [problem, ...parts].filter(Boolean).join(" ");
}

/**
 * What is said of a run that is over and has not come to be right.
 * @param {Moment} moment
 */
function unlearnt({ step, right, names, written }) {
  const said = { steps: step.toLocaleString("en"), right: percent(right), guess: percent(1 / names.length) };
  if (written !== null) return _("After {steps} steps {right} of what follows is foreseen in text that it was not shown; a guess has {guess}.", said);
  return _("Not learnt: after {steps} steps {right} are right, and a guess has {guess}.", said);
}

/**
 * What to do now, by where the runs stand.
 * @param {Learner[]} learners
 * @param {{ steps: number, asked: boolean, playing: boolean }} page `asked`: whether a guess is waited for
 */
export function nextStep(learners, { steps, asked, playing }) {
  const [first, second] = learners;
  if (asked) return _("Guess, and both begin to train.");
  if (learners.some(({ problem }) => problem)) return _("Step back, or choose something else above.");
  const over = learners.every(({ moment, formed }) => formed !== null || moment?.step >= steps);
  if (!over) return playing ? _("Watch until the curves rise. Point at a map to read it.") : _("Press Train to go on.");
  if (second) return _("Compare the maps; then choose something else beside it, or another task.");
  if (byHeart(first)) return _("Step back to where the loss was least, or give it a longer text.");
  if (first.formed === null && first.moment.written === null) return _("Train longer, or give it what it lacks: layers, positions, another rate.");
  if (first.moment.written !== null) return _("Give it a text of yours, or save the model and open it.");
  return _("Choose what stands beside it, and guess what comes of it.");
}

/**
 * What has come of the runs so far, for those who listen too: only what changes rarely.
 * @param {Learner[]} learners
 * @param {number} steps
 * @param {string} guess "yes", "no", or "" where none was asked for
 */
export function outcome(learners, steps, guess) {
  const [first, second] = learners;
  const trouble = learners.find(({ problem }) => problem);
  if (trouble) return [trouble.name && `${trouble.name}:`, trouble.problem].filter(Boolean).join(" ");
  if (!second) {
    const { moment, best } = first;
    const counted = { step: best.step.toLocaleString("en"), least: best.loss.toFixed(2), now: moment?.loss.toFixed(2), taught: moment?.taught.toFixed(2) };
    if (byHeart(first))
      return _(
      "It learns its text by heart: on text that it was not shown the loss was least at step {step}, {least}, and is {now} now; on its own it is {taught}.",
      counted);
    if (first.formed === null) return moment?.step >= steps ? unlearnt(moment) : "";
    const head = first.moment.induction && bestHead(first.moment.induction);
    const formed = first.formed.toLocaleString("en");
    if (head && head.score > 0.5) return _("At step {step} 9 of 10 were right: {head} looks for what came after.", { step: formed, head: headName(head) });
    return _("At step {step} 9 of 10 were right.", { step: formed });
  }
  const over = second.formed !== null || second.moment?.step >= steps;
  if (!over) return "";
  const truth = second.formed === null ? "no" : "yes";
  const found = truth === "yes"
    ? _("Beside it, 9 of 10 were right at step {step}.", { step: second.formed.toLocaleString("en") })
    : _("Beside it, {right} are right after {steps} steps.", { right: percent(second.moment.right), steps: second.moment.step.toLocaleString("en") });
  const verdict = !guess ? "" : guess === truth ? _("You guessed right.") : _("You guessed otherwise.");
  const { induction } = second.moment;
  const how = truth === "yes" && induction && bestHead(induction).score < NAMED
    ? _("No head looks for what came after: the best gives {score} to it.", { score: bestHead(induction).score.toFixed(2) }) : "";
  return [verdict, found, how].filter(Boolean).join(" ");
}
