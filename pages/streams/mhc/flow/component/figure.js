// @ts-check
// The picture as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { tokenName } from "./numbers.js";
import { layOut, paintParts } from "./view.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const PAGE = { width: 1060, margin: 16, title: 40 };

/**
 * Save what is shown, as on a wide screen.
 * @param {View} v
 */
export function savedFlow(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const parts = layOut(v, PAGE.width - 2 * PAGE.margin);
  const height = parts.height + PAGE.title + PAGE.margin;
  const name = `tlmviz-streams-${v.header.members.map(({ kind: own }) => own).join("-")}-token-${v.state.token}`;
  return figureOf(name, { width: PAGE.width, height, theme }, (pen) => {
    const widths = v.state.widths === "carried" ? TEXTS.widthsWhatLeft : TEXTS.widthsEntriesH;
    pen.text(PAGE.margin, 20, TEXTS.streamsThroughSublayers(tokenName(v), widths), { color: theme.text, weight: 600, size: 14 });
    pen.shifted(PAGE.margin, PAGE.title, () => paintParts(pen, v, theme, parts));
  });
}
