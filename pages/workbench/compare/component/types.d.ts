// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** One column of the aligned texts: a token of each, null where it has none; `pair` counts the columns that have both. */
export interface Column {
  a: string | null;
  b: string | null;
  pair: number | null;
}

export interface Guess {
  token: string;
  share: number;
}

export interface Header {
  title: string;
  names: [string, string]; // of the two runs
  columns: Column[];
  layers: number;
  heads: number;
  side: number; // of each head's small map
  most: number; // the difference at the end of the small maps' scale
  head: [number, number]; // the one in detail
  pin: number; // an aligned token
  ten: [number, number][]; // the heads that moved most
  guesses: [Guess[], Guess[]][]; // behind each aligned token, of both runs
  apart: string; // why there are no cosines; else empty
  origin: string;
  picture: number;
  colors: Palette;
}

/** Row-major: maps [L * H, side, side] around 128; weights [P, P] of the head in detail; cosines [L + 1, P]. */
export interface Arrays {
  maps: Uint8Array;
  moved: Float32Array; // of every head
  a: Float32Array;
  b: Float32Array;
  cosines: Float32Array;
  kl: Float32Array; // behind each aligned token
}

export interface Data {
  header: Header;
  arrays: Arrays;
  tokens: string[]; // aligned ones: "ball", "ball→hat"
  difference: Float32Array; // [P, P]
  images: Map<string, HTMLCanvasElement>;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  grid: Box;
  detail: Box;
  cosines: Box;
  guesses: Box;
}

export type Hover = { part: "head"; layer: number; head: number } | { part: "cell"; row: number; col: number } | { part: "cosine"; layer: number; row: number } | { part: "token"; row: number };

export interface View extends Data {
  root: HTMLElement;
  component: Component;
  els: { strip: HTMLElement; canvas: HTMLCanvasElement; ten: HTMLElement; said: HTMLElement };
  theme: Theme;
  layout?: Layout;
  pin: number;
  hover: Hover | null;
  observer: ResizeObserver;
  sendSoon: (() => void) & { cancel: () => void };
  asked: [number, number] | null; // the head that was clicked, until it arrives
  width?: number;
}
