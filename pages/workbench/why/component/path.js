// @ts-check
// The path of steps: as buttons, and as a drawing to be saved.

import { make, makeButton } from "#canvas/dom.js";
import { pictureButton } from "#canvas/picture.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Step} Step */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

/**
 * The steps that can be chosen from: a button each, a cross on all but the first, and what was taken away to be put back.
 * @param {View} v
 * @param {(act: object) => void} send
 * @param {() => import("#canvas/picture.js").Figure} figure the path as a drawing
 */
export function fillPath(v, send, figure) {
  const { steps, at } = v.header;
  const rows = steps.map((step, i) => {
    const shown = make("button", { type: "button", className: "step", title: "Explain this weight", "aria-pressed": String(i === at), testid: `why-step-${i}` },
      make("b", { textContent: step.name }), ` ${step.from} → ${step.to}`);
    shown.addEventListener("click", () => send({ do: "show", at: i }));
    const row = make("li", {}, shown);
    if (i) {
      const cut = makeButton("×", TEXTS.takeStepThose, () => {
        v.taken = steps.slice(1).map(({ path }) => path).join();
        send({ do: "cut", at: i });
      });
      cut.setAttribute("aria-label", `Take step ${i + 1} away`);
      cut.className = "cut";
      row.append(cut);
    }
    return row;
  });
  const tools = [pictureButton(v, "the path", figure)];
  const own = steps.slice(1).map(({ path }) => path).join();
  if (v.taken && v.taken !== own && v.taken.startsWith(own)) tools.unshift(makeButton("Put back", TEXTS.putStepsBack, () => send({ do: "put", path: v.taken })));
  v.els.path.replaceChildren(make("h4", { textContent: "The way back" }), make("ol", {}, ...rows), make("div", { className: "tools" }, ...tools));
}

/**
 * The path from left to right: a token, the head that looks from it, the token that it reads.
 * @param {Pen} pen
 * @param {Step[]} steps
 * @param {Theme} theme
 */
export function drawPath(pen, steps, theme) {
  steps.forEach(({ name, from, to }, i) => {
    const y = 26 + 44 * i;
    pen.text(16, y, from, { color: theme.text, size: 13 });
    pen.line(170, y, 400, y, theme.muted, { width: 1.5 });
    pen.shape(`M400 ${y - 5}L410 ${y}L400 ${y + 5}Z`, theme.muted);
    pen.rect(245, y - 13, 80, 26, theme.background, theme.primary, { width: 1.5 });
    pen.text(285, y, name, { color: theme.text, align: "center", weight: 600, size: 13 });
    pen.text(420, y, to, { color: theme.text, size: 13 });
  });
}
