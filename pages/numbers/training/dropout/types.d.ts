// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";
import type { Theme } from "#canvas/theme.js";

export interface State {
  p: number; // percent
  seed: number;
  masks: number;
  raw: boolean; // without 1/q
  evaluating: boolean;
}

export interface Header {
  tokens: string[];
  channels: number;
  first: number; // channel that is drawn
  most: [number, number]; // of p, and of masks
}

/** x: [tokens, channels]. */
export interface Arrays {
  x: Float32Array;
}

export interface Layout {
  width: number;
  height: number;
  shown: number; // channels
  rows: number; // tokens
  cell: number;
  row: number;
  panels: { x: number; y: number }[];
  chart: { x: number; y: number; width: number; height: number };
}

export interface Scene {
  header: Header;
  layout: Layout;
  theme: Theme;
  state: State;
  panels: { name: string; x: ArrayLike<number> }[];
  errors: { n: number; error: number }[];
  size: number; // RMS(X)
  range: number; // of the colours
}

export type View = Live<Header, Arrays, State>;
