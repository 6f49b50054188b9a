// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";

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
  at: number | null; // CBOW: the word that is predicted; null: `place` of the header
  widths: "model" | "text"; // of the tree's nodes
  context: string; // a word that is clicked becomes it
}

export interface Header {
  mode: "softmax" | "negative" | "cbow" | "tree";
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
  place?: number; // CBOW: where it opens
  radius?: number; // CBOW: words on each side
  first: number; // seed of the first throw that is here
  throws: number; // how many throws are here
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

/** Where each leaf and then each inner node lies: share of the width, left end, depth; and its parent, -1 for the root. */
export interface Layout {
  share: Float64Array;
  left: Float64Array;
  depth: Uint8Array;
  parent: Int32Array;
  deepest: number;
}

/** One decision on the path: the node, which way, its probability before and after, and what lies on the other side. */
export interface Decision {
  node: number;
  turn: "left" | "right";
  before: number;
  after: number;
  product: number; // after, of all decisions so far
  others: string;
}

export type View = Live<Header, Record<string, any>, State> & {
  scene: Scene;
  places: { x: number; y: number; dot: Dot }[]; // of dots, in pixels
  rolled: number; // when the die was thrown
  rolling: number; // its frame
  tree: Layout;
  reached: Float64Array; // after the step, leaves and then inner nodes
  decisions: Decision[];
};
