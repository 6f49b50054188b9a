// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Pen } from "#canvas/pens.js";
import type { Strip } from "#canvas/strip.js";
import type { Palette, Theme } from "#canvas/theme.js";
import type { Term } from "./birkhoff.js";

export type Root = [re: number, im: number];
export type PanelName = "maps" | "matrix" | "plane" | "spread" | "course" | "wirings";
export type Draw = (pen: Pen, v: View, theme: Theme, box: Box) => void;

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** As `payload` in Python writes it. */
export interface Header {
  tokens: string[];
  names: string[];
  streams: number;
  kind: "manifold" | "hyper" | "residual";
  model: string;
  tolerance: number;
  maths: boolean; // measures are named by their symbols
  colors: Palette;
  warm: { light: string; dark: string };
  state: State & { seq: number };
}

export interface State {
  token: number;
  sublayer: number;
  row: number;
  col: number;
  colors: "value" | "change";
}

/** One sublayer over all tokens: mean and standard deviation of every entry, and all eigenvalues. */
export interface OverTokens {
  mean: Float64Array;
  spread: Float64Array;
  allRoots: Root[];
}

/** Everything that is computed of the matrix looked at. */
export interface Result extends OverTokens {
  matrix: Float32Array;
  rows: Float64Array;
  columns: Float64Array;
  fromIdentity: number;
  fromMean: number;
  roots: Root[];
  singular: number[];
  parts: { terms: Term[]; residual: number } | null;
}

/** Where N x N cells of a map lie. */
export interface CellPlan {
  x: number;
  y: number;
  cell: number;
}

export interface MapsPlan {
  x: number;
  y: number;
  columns: number;
  rows: number;
  size: number;
  width: number;
  height: number;
}

export interface Elements extends Record<PanelName, HTMLCanvasElement> {
  token: HTMLInputElement;
  sublayer: HTMLInputElement;
  tokenName: HTMLElement;
  sublayerName: HTMLElement;
  colors: Record<State["colors"], HTMLButtonElement>;
  strip: Strip;
  facts: HTMLElement;
  sentence: HTMLElement;
  tip: HTMLElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  bytes?: Uint8Array;
  header: Header;
  arrays: { pre: Float32Array; post: Float32Array; res: Float32Array; roots: Float32Array; pairs: Uint8Array };
  P: number; // sublayers
  T: number;
  N: number; // streams
  state: State;
  seq: number; // counts the user's actions
  unsent: boolean;
  sendSoon: (() => void) & { cancel: () => void };
  dragging: boolean;
  outside: Record<string, (event: Event) => void>; // listeners on the document
  theme: Theme;
  width?: number;
  ranges: { value: number; change: number; pre: number; post: number; sum: number };
  sublayers: Map<number, OverTokens>;
  result: Result;
  plans: { maps: MapsPlan; matrix: CellPlan; spread: CellPlan; plane: { cx: number; cy: number; unit: number }; course: { x: number; width: number } };
}
