// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";

/** Numbers of a tensor by size: `counts` has a row of `columns` for each exponent from `lowest` on. */
export interface Sizes {
  lowest: number;
  columns: number;
  counts: ArrayLike<number>;
  zeros: number;
  broken: number;
}

export interface Limits {
  lost: number;
  normal: number;
  normal_bin: number;
  top: number;
  top_bin: number;
}

export interface Format {
  key: string;
  name: string;
  limits: Limits;
}

export interface Part {
  name: string; // as the network names it
  row: number; // in the grid
  column: number;
  lowest: number;
  rows: number; // exponents
  zeros: number;
  broken: number;
}

export interface Header {
  formats: Format[];
  scales: [number, number];
  most_lost: number; // share that a safe scale may lose
  columns: number;
  parts: Part[];
  rows: string[];
  names: string[]; // of the grid's columns
  outside: string[]; // names in the last row, of tensors outside the blocks
}

export interface Grid {
  left: number;
  top: number;
  cell: number;
  tall: number;
  width: number;
  height: number;
}

export type View = Live<Header, { low: Uint16Array; high: Uint16Array }, { format: string; k: number; part: string }> & {
  sizes: Sizes[]; // of every part
  whole: Sizes;
};
