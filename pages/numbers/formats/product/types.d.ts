// What the files of this view hand to each other.

import type { Format } from "#canvas/bits.js";
import type { View as Live } from "#canvas/live.js";

export type Name = "x" | "w" | "o";
export type Color = "size" | "error" | "relative";

/** A matrix: its shape, how many numbers share a cell of its map, its SQNR in decibels (null: nothing is lost); of X and W a sample. */
export interface Side {
  shape: [number, number];
  cell: [number, number];
  sqnr: number | null;
  tail?: number; // numbers of the sample that stand for themselves: the largest
  weight?: number; // numbers that each of the others stands for
  scale?: number; // S, one for the whole matrix, that cuts nothing
}

export interface Header {
  title: string;
  format: Format;
  per: "tensor" | "channel" | "block" | "mx";
  block: number;
  tokens: string[];
  sides: Record<Name, Side>;
  range: [number, number]; // doublings of the slider
}

/** What one scale makes of a sample: in decibels, and shares of the numbers. */
export interface Outcome {
  sqnr: number;
  cut: number;
  lost: number;
}

/** SQNR [dB] of scales so many doublings from the one that cuts nothing, and the best of them. */
export interface Curve {
  doublings: number[];
  sqnr: number[];
  best: number; // index
}

export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Layout {
  map: Box;
  dots: Box;
  sizes: Box;
  curve: Box;
  height: number;
}

export type View = Live<Header, Record<string, Float32Array>, { see: Name; color: Color; factor: number }> & {
  curves: Map<string, Curve>;
  image?: { key: string; canvas: HTMLCanvasElement };
};
