// What the files of this view hand to each other.

import type { Axis } from "#canvas/axis.js";
import type { View as Live } from "#canvas/live.js";

/** One width: everything it kept, in order of step and rank. Places are indices into these lists. */
export interface Lane {
  width: number;
  steps: number;
  parents: number[]; // place, -1 for the empty text
  depths: number[]; // from 1
  ranks: number[]; // from 0, within a step
  totals: number[]; // log P in nats
  ended: boolean[];
  names: string[];
  leaders: string[]; // text of the best beginning of each step
  way: number[]; // places of the best text of all widths, as far as this one kept it
  lost: { step: number; how: "dropped" | "ended" } | null;
  text: string;
  score: number;
  logp: number;
}

export interface Duel {
  tokens: number[];
  fixed: number; // tokens of a forced beginning
  text: string;
  logps: number[];
  ended: boolean;
  score: number | null;
  offers: { token: number; name: string; p: number }[];
  rivals: { name: string; text: string; logps: number[]; score: number }[];
}

export interface Header {
  lanes: Lane[];
  best: string;
  duel: Duel;
  origin: string; // the model and the sentence, and a forced beginning
  warm: { light: string; dark: string };
}

/** Pixels: `step` from a step to the next, `rank` from a rank to the next, `top` of rank 0. */
export interface LanePlan {
  x: number;
  y: number;
  width: number;
  height: number;
  step: number;
  rank: number;
  top: number;
}

/** A step of -1 is the end. */
export type View = Live<Header, {}, { step: number; own: number[] }> & {
  axis: Axis;
  plans: LanePlan[];
  hover: { lane: number; place: number } | null;
};
