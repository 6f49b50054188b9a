// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** One step, as `one_step.Step` in Python: scores, errors and what moves them. */
export interface Step {
  scores: ArrayLike<number>;
  error?: ArrayLike<number>;
  gradient?: Float64Array;
  signs?: number[];
  toward: ArrayLike<number>;
  pull: ArrayLike<number>;
  vv: number;
  vg: number;
  lift: number;
}

export interface State {
  rate: number;
  all: boolean; // all vectors move, not v alone
  seed: number;
  at: number | null; // CBOW: the word that is predicted
  word: string; // a word that was clicked, "" for none
  seq: number;
}

export interface Header {
  mode: "softmax" | "negative" | "cbow";
  title: string;
  center: string;
  context: string;
  words: string[];
  target?: number; // softmax: the context word's row
  v?: [number, number]; // softmax: v in the plane
  g?: [number, number];
  shown?: number; // share of v's length that lies in the plane
  vv?: number;
  vg?: number;
  text?: string[]; // CBOW: the sentence
  radius?: number; // CBOW: words on each side
  first?: number; // seed of the first throw that is here
  throws?: number; // how many throws are here
  colors: Palette;
  state: State;
}

export interface Dot {
  x: number;
  y: number;
  weight: number; // 0 to 1: its area
  before?: number; // its area before the step
  name: string;
  kind: "target" | "other" | "member";
  says: string;
}

export interface Arrow {
  from: [number, number];
  to: [number, number];
  name: string;
  kind: "v" | "u" | "g" | "step" | "push" | "mean" | "after";
}

export interface Row {
  name: string;
  before: number;
  after: number;
  kind: "target" | "other" | "out";
  says: string;
}

/** Everything that is drawn: the same for all three methods. */
export interface Scene {
  dots: Dot[];
  cloud: { x: Float32Array; y: Float32Array; p: Float64Array } | null;
  arrows: Arrow[];
  reach: [number, number][]; // points that have to be seen
  rows: Row[];
  rowsTitle: string;
  said: string;
  shown: number;
  loss: (rate: number) => number;
}

export interface View {
  root: HTMLElement;
  els: Record<"rate" | "rateName" | "all" | "throwing" | "canvas" | "words" | "tip" | "strip", any>;
  component: Component;
  observer: ResizeObserver;
  bytes?: Uint8Array;
  header: Header;
  arrays: Record<string, any>;
  scene: Scene;
  state: State;
  seq: number;
  unsent: boolean;
  sendSoon: (() => void) & { cancel: () => void };
  places: { x: number; y: number; dot: Dot }[]; // of dots, in pixels
  theme: Theme;
  rolled: number; // when the die was thrown; 0 at rest
  frame: number;
  width?: number;
}
