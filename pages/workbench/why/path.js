// @ts-check
// The path of steps: as buttons, and as a drawing to be saved.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { pictureButton } from "#canvas/picture.js";

/** @typedef {import("./maps.js").View} View */
/** @typedef {import("./maps.js").Step} Step */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

/**
 * The steps that can be chosen from: a button each, a cross on all but the first, and what was taken away to be put back.
 * @param {View} v
 * @param {(change: object) => void} send
 * @param {() => import("#canvas/picture.js").Figure} figure the path as a drawing
 */
export function fillPath(v, send, figure) {
  const { steps, at } = v.header;
  const own = steps.slice(1).map(({ place }) => place);
  const rows = steps.map((step, i) => {
    const shown = make("button", { type: "button", className: "step", title: _("Explain this weight"), "aria-pressed": String(i === at),
      testid: `why-step-${i}` },
      make("b", { textContent: step.name }), ` ${step.from} → ${step.to}`);
    shown.addEventListener("click", () => send({ at: i }));
    const row = make("li", {}, shown);
    if (i) {
      const cut = makeButton("×", _("Take this step and those after it away"), () => {
        v.taken = own;
        send({ path: own.slice(0, i - 1), at: Math.min(at, i - 1) });
      });
      cut.setAttribute("aria-label", _("Take step {n} away", { n: i + 1 }));
      cut.className = "cut";
      row.append(cut);
    }
    return row;
  });
  const tools = [pictureButton(v, _("the path"), figure)];
  if (v.taken.length > own.length && v.taken.join(" ").startsWith(own.join(" ")))
    tools.unshift(makeButton(_("Put back"), _("Put the steps back that were taken away"), () => send({ path: v.taken, at: v.taken.length })));
  v.els.path.replaceChildren(make("h4", { textContent: _("The way back") }), make("ol", {}, ...rows), make("div", { className: "tools" }, ...tools));
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
