// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";

export interface Header {
  title: string;
  words: string[];
  vocabulary: string[];
  drawn: number[]; // rows of the vocabulary that have a row and a column
  window: number; // words on each side
  byDistance: boolean;
  place: number; // where the window opens
}

/** A text as the windows read it; `places` are those of the words that are kept, ids as in the vocabulary. */
export interface Text {
  ids: Uint16Array;
  places: number[];
  window: number;
  byDistance: boolean;
}

/** What the windows so far have counted: rows of the words drawn, columns of all words. */
export interface Counted {
  counts: Float64Array;
  columns: number;
  pairs: number;
}

/** Where the matrix lies, in pixels: its left and top, and the side of a cell. */
export interface Grid {
  left: number;
  top: number;
  side: number;
}

export interface Arrays {
  ids: Uint16Array;
  kept: Uint8Array;
  keep: Float32Array;
}

/** `at` is the center among the words that are kept, from 1; null: `place` of the header. `hover` is a cell of the matrix. */
export type View = Live<Header, Arrays, { at: number | null }> & {
  text: Text;
  rowOf: Int32Array; // of a word of the vocabulary: its row, or -1
  counted: Counted;
  grid: Grid;
  step: number; // the center, from 0
};
