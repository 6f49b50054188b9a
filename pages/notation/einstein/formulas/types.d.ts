// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";

/** A matrix: what its rows and columns are, and their tokens, where they are tokens. */
export interface Drawn {
  name: string;
  detail: string;
  x: string;
  y: string;
  rows: number;
  cols: number;
  row_labels: string[];
  col_labels: string[];
  probability: boolean;
  end: number; // of the colour scale
  ends: [string, string]; // of its key
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Arrays "0", "1": one for each panel. */
export type View = Live<{ panels: Drawn[] }, Record<string, Float32Array>>;
