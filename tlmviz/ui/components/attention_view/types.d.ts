// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";
import type { Head } from "./head.js";

export type Stage = "dot" | "scaled" | "masked" | "softmax";
export type Statistic = "entropy" | "previous" | "induction" | "sink" | "distance";
export type HeadIndex = [layer: number, head: number];

/** What the user chooses; the server knows the same names as STATE. */
export interface State {
  layer: number;
  head: number;
  query: number | null;
  key: number | null;
  stage: Stage;
  log: boolean;
  mode: "map" | "arcs";
  order: "position" | Statistic;
  overlay: HeadIndex[];
}

/** As `build_payload` in Python writes it. */
export interface Header {
  tokens: string[];
  layers: number;
  heads: number;
  model: string;
  overview_size: number;
  stats: Record<Statistic, (number | null)[]>;
  chosen: { layer: number; head: number };
  scale: number;
  window: number | null;
  slope: number;
  causal: boolean;
  colors: Palette;
  state: State & { seq?: number };
  origin: string;
  picture: number;
  height?: number;
}

/** The part of the map in view: n x n cells from (row, col) on. */
export interface Window {
  row: number;
  col: number;
  n: number;
}

/** Where the map lies inside width x height, in pixels; a label for every `step`-th token. */
export interface MapPlan extends Window {
  x: number;
  y: number;
  side: number;
  cell: number;
  slanted: boolean;
  left: number;
  width: number;
  height: number;
  step: number;
}

/** Where the tiles of the overview lie; `order` holds heads as flat indices. */
export interface OverviewPlan {
  sorted: boolean;
  left: number;
  top: number;
  caption: number;
  columns: number;
  pitch: number;
  order: number[];
  rows: number;
  tile: number;
  width: number;
  height: number;
}

export interface Cell {
  i: number;
  j: number;
  axis?: boolean; // on the row labels
}

export interface Square {
  i: number;
  j: number;
  n: number;
}

export interface ArcHead {
  layer: number;
  head: number;
  color: string;
  weights: Float32Array;
}

export interface Elements {
  order: HTMLSelectElement;
  count: HTMLElement;
  overview: HTMLCanvasElement;
  scroller: HTMLElement;
  hint: HTMLElement;
  title: HTMLElement;
  chips: HTMLElement;
  modes: Record<string, HTMLButtonElement>;
  stages: Record<string, HTMLButtonElement>;
  log: HTMLButtonElement;
  reset: HTMLButtonElement;
  stageGroup: HTMLElement;
  map: HTMLCanvasElement;
  marks: HTMLCanvasElement;
  figure: HTMLElement;
  flow: HTMLElement;
  arcs: HTMLCanvasElement;
  legend: HTMLElement;
  text: HTMLElement;
  arcPane: HTMLElement;
  tooltip: HTMLElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  bytes?: ArrayLike<number>;
  header: Header;
  arrays: { overview: Uint8Array };
  textId: string; // of the model and its text
  origin?: string;
  state: State;
  seq: number; // counts the user's actions
  actedAt: number; // milliseconds
  sendSoon: (() => void) & { cancel: () => void };
  theme: Theme;
  stacked: boolean;
  cache: Map<string, Head>; // the heads used last
  exact: Head | null; // the chosen head, once its q and k are here
  painted: Head | null;
  rows?: { textId: string; query: number | null; data: Float32Array }; // [L * H, T] of the pinned query
  atlas: HTMLCanvasElement; // all tiles of the overview
  atlasId?: string;
  plan: OverviewPlan;
  hoverTile: number | null;
  mapPlan: MapPlan | null;
  zoom: Window | null;
  hover: Cell | null;
  drag: { from: Cell; x: number; y: number; square: Square | null } | null;
  dragged: boolean;
  clicked: boolean; // since the pointer came to the map
  beforeClick?: { query: number | null; key: number | null };
  spans: HTMLElement[];
  flowId?: string;
  flowWidth: number;
  arcHover: number | null;
  arcHeads: { query: number; heads: ArcHead[] };
}
