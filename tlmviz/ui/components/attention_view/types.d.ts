// What the files of this view hand to each other.

import type { Joined } from "#canvas/hovered.js";
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
  find: string; // which heads the overview shows
  mute: HeadIndex[]; // heads without their output
}

/** What each part of the network adds to the logit of a word. */
export interface Written {
  word: string;
  logit: number;
  heads: number[];
  mlps: number[];
  embedding: number;
  rest: number; // biases
}

/** A thing that a head may do, and from which measure on it is said to do it. */
export interface Tag {
  name: string;
  label: string;
  short: string; // for a tile
  meaning: string;
  least: number; // of the measure
  fewest: number; // queries that the measure is the mean over
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
  levels?: number; // of the square root of a row's weights, where they are rounded
  faint?: number; // share of a row's largest weight below which a weight is kept as 0
  groups?: Groups;
  mutable?: boolean; // whether heads can be muted here
  engine?: Engine;
  written?: Written;
  patches?: { rows: number; columns: number; height: number; width: number }; // of the image, the last tokens
  tags?: { table: Tag[]; values: (number | null)[][]; counts: number[] }; // [tags][heads], [tags]: the queries of each mean
}

/** What a browser reads further texts with: addresses of a script and of a model's folder, the text that was read, and the most letters, 0: any. */
export interface Engine {
  script: string;
  model: string;
  text: string;
  most: number;
}

/** Tokens that belong together, such as a conversation's roles: `of` numbers each token's group. */
export interface Groups {
  names: string[];
  colors: string[];
  of: number[];
}

/** What a view is given: bytes as `pack` in Python writes them, or what is in them. */
export type Payload = ArrayLike<number> | { header: Header; arrays: Record<string, any> };

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
  size: number; // of the labels' letters
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
  mlps: boolean; // whether a column of MLPs stands beside the heads
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
  find: HTMLInputElement;
  having: HTMLSelectElement;
  muteButton: HTMLButtonElement;
  overlayButton: HTMLButtonElement;
  card: HTMLElement;
  sentence: HTMLElement;
  tags: HTMLElement;
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
  picture: HTMLCanvasElement;
  pictured: HTMLElement;
  tooltip: HTMLElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  bytes?: Payload;
  header: Header;
  arrays: { overview: Uint8Array; image?: Uint8Array };
  patch: number | null; // the one that is pointed at
  pixels?: Uint8Array; // that `image` was made of
  image?: HTMLCanvasElement;
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
  carded?: string; // the head that the card's tags are of
  atlas: HTMLCanvasElement; // all tiles of the overview
  atlasId?: string;
  plan: OverviewPlan;
  hoverTile: number | null;
  overlaying: boolean; // a click on a head draws it over the chosen one
  revealed?: string; // the choice that was last scrolled to
  mapPlan: MapPlan | null;
  zoom: Window | null;
  hover: Cell | null;
  hovered: Joined; // the tokens that are pointed at on the page
  lit: number[]; // those of them that are of this text
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
