// What the files of these views hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Step {
  name: string; // the head
  path: string; // layer.head.query.key
  query: number;
  key: number;
  from: string;
  to: string;
}

/** Of each head among the sources of one side: the key it reads most, and its weight there. */
export type Reads = Record<string, [number, string]>;
export type Side = "query" | "key";

export interface Header {
  tokens: string[];
  places: number[]; // positions in the map
  rows: string[]; // sources at the query
  columns: string[]; // sources at the key
  at: number;
  steps: Step[];
  reads: Record<Side, Reads>;
  said: string;
  score: string;
  weight: string;
  more: boolean; // there are sources to fold
  all: boolean;
  total: number;
  written: { promoted: [string, number][]; lowered: [string, number][]; shares: [string, number][] } | null;
  refused: string; // why nothing is said of what is written
  picture: number;
  colors: Palette;
}

export interface Box {
  x: number;
  y: number;
  cell: number;
}

export interface View {
  root: HTMLElement;
  component: Component;
  header: Header;
  arrays: { weights: Float32Array; values: Float32Array };
  els: { map: HTMLCanvasElement; sources: HTMLCanvasElement; path: HTMLElement; written: HTMLElement; said: HTMLElement; pointed: HTMLElement; every: HTMLButtonElement };
  theme: Theme;
  boxes: { map: Box; sources: Box };
  hover: { row: number; col: number } | null; // in the matrix of sources
  taken: string; // the path before a step was taken away
  width?: number;
  observer: ResizeObserver;
}

export interface HeadsHeader {
  layers: number;
  heads: number;
  kind: "q" | "k" | "v";
  chance: string;
  picture: number;
  colors: Palette;
}

export interface HeadsView {
  root: HTMLElement;
  component: Component;
  header: HeadsHeader;
  arrays: Record<"q" | "k" | "v", Float32Array>;
  els: { kinds: HTMLElement; canvas: HTMLCanvasElement; pointed: HTMLElement };
  theme: Theme;
  box: Box;
  at: { row: number; col: number };
  width?: number;
  observer: ResizeObserver;
}
