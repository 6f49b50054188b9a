// What the files of this view hand to each other.

import type { Joined } from "#canvas/hovered.js";
import type { View as Live } from "#canvas/live.js";

export type Side = "source" | "target";
export type Pin = [step: number, token: number];

/** A token's place along its row: `at` is its middle, `size` what it takes of the row. */
export interface Slot {
  at: number;
  size: number;
}

/** One weight of the map: where it begins at the target and ends at the source, as [from, to] along the rows. */
export interface Ribbon {
  step: number;
  token: number;
  weight: number;
  target: [number, number];
  source: [number, number];
}

/** Rows lie across (`upright` false) or stand side by side (true); the ribbons lie between `near` and `far`. */
export interface Plan {
  upright: boolean;
  source: Slot[];
  target: Slot[];
  ribbons: Ribbon[];
  near: number;
  far: number;
  width: number;
  height: number;
}

export interface Place {
  side: Side;
  index: number;
}

/** `changed` says which written tokens are new; `origin` names the text that is rewritten. */
export interface Header {
  source: string[];
  target: string[];
  changed: boolean[];
  was: { text: string; logp: number };
  now: { text: string; logp: number };
  pins: Pin[];
  origin: string;
}

/** What is pointed at: a token, or one ribbon. */
export interface Hover {
  step: number | null;
  token: number | null;
}

export interface Drag {
  step: number;
  x: number;
  y: number;
  moved: boolean;
}

/** `past`: what undo brings back; `pending`: asked for, not yet decoded; `held`: the step whose ribbon is moved; `lit`: pointed at elsewhere. */
export type View = Live<Header, { weights: Float32Array }, { pins: Pin[] }> & {
  plan: Plan;
  planned: number;
  past: Pin[][];
  pending: Pin | null;
  hover: Hover | null;
  joined: Record<Side, Joined>;
  lit: Record<Side, number[]>;
  held: number | null;
  cursor: Place | null;
  drag: Drag | null;
  pressed: { x: number; y: number; at: Hover } | null;
};
