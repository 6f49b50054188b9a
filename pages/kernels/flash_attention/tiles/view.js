// @ts-check
// HBM and SRAM step by step, beside the kernel's lines.

import { makeAxis, placeOn } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { live, penOf, saving, widthOf } from "#canvas/live.js";
import { scientific } from "#canvas/text.js";
import { drawLit, joinTokens } from "./lit.js";
import { MACHINE, drawKernel, drawStandard } from "./machines.js";
import { firstStep, movedAt, standardMoves, stepCount } from "./standard.js";

/** @typedef {import("./machines.js").View} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const PACE = 600; // milliseconds of a step while it plays
const BESIDE = 560; // pixels from which the machines stand side by side
const LINE = 13; // pixels of a line of code in a file

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const walked = (v) => ({
  end: () => stepCount(v.header) - 1,
  step: () => 1,
  read: () => v.place.step ?? firstStep(v.header),
  write: (at) => ({ step: at }),
  says: () => _("step {n} of {count}", { n: v.step + 1, count: stepCount(v.header) }),
  label: _("Step"),
  lasts: () => PACE * stepCount(v.header),
});

/** @param {View} v */
function build(v) {
  Object.assign(v, { lit: [], step: 0, share: 1 });
  const axis = makeAxis(v, walked(v));
  const canvas = make("canvas", { testid: "machines", role: "img", tabIndex: 0 });
  const code = make("div", { className: "code", testid: "code", tabIndex: 0, role: "region",
    "aria-label": _("Lines of the Triton kernel; those that run are marked") });
  const words = make("p", { className: "said" });
  axis.listen(canvas);
  joinTokens(v, canvas);
  Object.assign(v.els, { axis, canvas, code, words });
  const save = saving(v, "tlmviz-flash-attention", { height: () => Math.max(MACHINE, LINE * v.header.code.length),
    draw: (pen, theme) => drawFile(v, pen, theme), width: 1420 });
  return [make("div", { className: "bar" }, ...axis.parts, save), words, make("div", { className: "body" }, make("div", { className: "panel" }, canvas), code)];
}

/** @param {View} v */
function renew(v) {
  v.images = undefined;
  v.els.code.replaceChildren(...v.header.code.map(({ number, text }) =>
    make("div", { className: "line" }, make("span", { className: "number", textContent: String(number) }), make("span", { textContent: text }))));
  v.joined.look();
}

/** @param {View} v */
function paint(v) {
  const { axis, canvas, words } = v.els;
  const at = placeOn(v, walked(v));
  v.step = Math.ceil(at - 1e-9);
  v.share = at - v.step + 1; // of the step that is drawn: all of it at rest
  const width = widthOf(canvas);
  const beside = width >= BESIDE;
  const each = beside ? (width - 16) / 2 : width;
  const pen = penOf(v, canvas, beside ? MACHINE : 2 * MACHINE);
  v.box = { x: 0, y: 0, width: each, height: MACHINE };
  drawKernel(pen, v, v.theme, v.box);
  drawLit(pen, v, v.theme);
  drawStandard(pen, v, v.theme, { x: beside ? each + 16 : 0, y: beside ? 0 : MACHINE, width: each, height: MACHINE });
  axis.repaint();
  words.textContent = sentence(v);
  markCode(v);
  const { header } = v;
  const [step, count] = [v.step + 1, stepCount(header)];
  const values = { title: header.title, step, count, said: sentence(v), bytes: Math.round(movedAt(header, v.step, 1) * header.bytes),
    moved: header.steps.at(-1).moved * header.bytes, standard: standardMoves(header) * header.bytes };
  canvas.setAttribute(
    "aria-label",
    _("{title}. Step {step} of {count}: {said} {bytes} bytes moved; the kernel moves {moved} in all, standard attention {standard}. Arrow keys step, space " +
    "plays.", values));
  Object.assign(v.root.dataset, { step: String(v.step), steps: String(count), lit: v.lit.join() });
}

/**
 * What happens at the step.
 * @param {View} v
 */
function sentence({ header, step }) {
  const said = header.steps[step] ? `${header.steps[step].words.join(". ")}.` : _("The kernel is done; standard attention goes on.");
  if (step < header.steps.length - 1) return said;
  return `${said} ${_("Result − softmax(QKᵀ)V: at most {error} of the largest value.", { error: scientific(header.error, 2) })}`;
}

/**
 * The lines that run are marked, and the first of them is in sight.
 * @param {View} v
 */
function markCode({ els, header, step, frame }) {
  const running = new Set(header.steps[step]?.when);
  header.code.forEach(({ when }, k) => els.code.children[k].classList.toggle("lit", running.has(when)));
  const lit = els.code.querySelector(".lit");
  if (lit && !frame) els.code.scrollTop = lit.offsetTop - els.code.clientHeight / 3;
}

/**
 * Both machines and the kernel's lines, on paper.
 * @param {View} v
 * @param {Pen} pen
 * @param {Theme} theme
 */
function drawFile(v, pen, theme) {
  const { code, steps } = v.header;
  const running = new Set(steps[Math.min(v.step, steps.length - 1)].when);
  drawKernel(pen, v, theme, { x: 0, y: 0, width: 380, height: MACHINE });
  drawStandard(pen, v, theme, { x: 396, y: 0, width: 330, height: MACHINE });
  const left = 396 + 330 + 42; // of the code
  code.forEach(({ number, text, when }, k) => {
    const [lit, y, indent] = [running.has(when), 6 + LINE * k, 6 * (text.length - text.trimStart().length)];
    pen.text(left - 8, y, number, { align: "right", color: theme.muted, size: 10 });
    pen.text(left + indent, y, text.trimStart(), { color: lit ? theme.primary : theme.muted, size: 10, weight: lit ? 700 : 400 });
  });
}

export default live({ id: "memory", build, paint, fit: renew });
