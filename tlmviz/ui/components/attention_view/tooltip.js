// @ts-check
// The tooltip beside the pointer.

import { make } from "#canvas/dom.js";

/** @typedef {import("./types").View} View */
/** @typedef {{ title: string, rows: string[][] }} Tooltip */

/**
 * Show a title and rows of [name, value, colour of the swatch] beside the pointer.
 * @param {View} v
 * @param {PointerEvent} event
 * @param {Tooltip} tooltip
 */
export function showTooltip(v, event, { title, rows }) {
  const { tooltip } = v.els;
  const list = rows.map(([name, value, color]) => {
    const label = make("span", {}, name);
    if (color) {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = color;
      label.prepend(swatch);
    }
    return make("div", { className: "row" }, label, make("b", { textContent: value }));
  });
  tooltip.replaceChildren(make("div", { className: "head", textContent: title }), ...list);
  tooltip.hidden = false;
  const frame = v.root.getBoundingClientRect();
  const x = event.clientX - frame.left;
  const y = event.clientY - frame.top;
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = x + 16 + width > frame.width ? x - width - 12 : x + 16;
  const top = y > frame.height * 0.55 ? y - height - 12 : y + 16;
  tooltip.style.left = `${Math.max(2, Math.min(left, frame.width - width - 2))}px`;
  tooltip.style.top = `${Math.max(2, top)}px`;
}

/** @param {View} v */
export function hideTooltip(v) {
  v.els.tooltip.hidden = true;
}
