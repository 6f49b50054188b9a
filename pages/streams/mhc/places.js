// @ts-check
// Where one looks in a text: the token and the sublayer, which the live views of this page walk along and share.

import { _ } from "#canvas/language.js";
import { named } from "#canvas/text.js";

/** @typedef {import("#canvas/axis.js").Axis} Axis */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ token: number | null, sublayer: number }} Place */
/**
 * `first` is the place of the first token that was sent; `warm` what is negative.
 * @typedef {{ tokens: string[], first: number, names: string[], warm: { light: string, dark: string } }} Walked
 * @typedef {import("#canvas/live.js").View<Walked, any, any>} View
 */

/** The token looked at, counted from the first that was sent; the last one while none was chosen. @param {View} v */
export const tokenOf = (v) => Math.max(0, Math.min((v.place.token ?? Infinity) - v.header.first, v.header.tokens.length - 1));

/** @param {View} v */
export const sublayerOf = (v) => Math.min(v.place.sublayer, v.header.names.length - 1);

/** `11 · cat`, counted from the text's first token. @param {View} v */
export const tokenName = (v, token = tokenOf(v)) => named(v.header.tokens, token).replace(/^\d+/, String(v.header.first + token));

/** @param {View} v @param {import("#canvas/theme.js").Theme} theme */
export const warmOf = (v, theme) => v.header.warm[theme.dark ? "dark" : "light"];

/** @param {View} v @returns {Axis} */
export const tokenAxis = (v) => ({
  end: () => v.header.tokens.length - 1,
  step: () => 1,
  read: () => tokenOf(v),
  write: (at) => ({ token: v.header.first + at }),
  says: () => tokenName(v),
  label: _("Token"),
  lasts: () => 300 * v.header.tokens.length,
});

/** @param {View} v @returns {Axis} */
export const sublayerAxis = (v) => ({
  end: () => v.header.names.length - 1,
  step: () => 1,
  read: () => sublayerOf(v),
  write: (at) => ({ sublayer: at }),
  says: () => v.header.names[sublayerOf(v)],
  label: _("Sublayer"),
  lasts: () => 650 * v.header.names.length,
});
