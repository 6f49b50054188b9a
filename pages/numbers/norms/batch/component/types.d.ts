// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";
import type { Cells, Moments, Norm } from "./statistics.js";

export interface State {
  norm: string;
  action: string;
  item: number;
  channel: number;
  first: number; // channel at the left
  printed: boolean; // the notes' short form
  seen: number; // batches that running statistics have seen
  seed: number; // of the pictures
  count: number; // of the pictures
}

export interface Header {
  kind: "tokens" | "pictures";
  title: string;
  tokens: string[]; // of a batch of sentences
  labels: number[]; // of pictures: the digits
  filters: string[]; // of pictures: the channels' names
  channels: number;
  eps: number;
  momentum: number;
  plus: number; // what "+" adds
  origin: string; // another one: begin with `state`
  state: State;
  picture: number;
  colors: Palette;
}

/** x: [items, channels] of tokens, [pictures, channels, 8, 8] of pictures; running statistics [batches, channels]. */
export interface Arrays {
  x: Float32Array;
  unit: Uint8Array;
  images: Float32Array;
  means: Float32Array;
  variances: Float32Array;
}

export interface Layout {
  width: number;
  height: number;
  stacked: boolean;
  shown: number; // channels
  first: number;
  cell: number;
  row: number;
  column?: number;
  places: { x: number; y: number }[]; // of the two pictures
  inner: number;
  side: number;
}

export interface Side {
  x: ArrayLike<number>;
  moments: Moments;
}

export interface Scene {
  header: Header;
  layout: Layout;
  theme: Theme;
  cells: Cells;
  images: ArrayLike<number>;
  norm: Norm;
  cursor: { item: number; channel: number };
  alive: Uint8Array;
  before: Side;
  after: Side;
  range: number; // of the colours before
}

export interface View {
  root: HTMLElement;
  component: Component;
  bytes?: Uint8Array;
  header: Header;
  arrays: Arrays;
  cells: Cells; // as given, or the chosen pictures
  images: ArrayLike<number>;
  labels: number[];
  state: State;
  hover: { item: number; channel: number } | null;
  scene?: Scene;
  asked?: string; // what the table answers
  theme: Theme;
  els: Record<"norms" | "actions" | "extras" | "said" | "table", HTMLElement> & { canvas: HTMLCanvasElement; slide: HTMLInputElement; seen: HTMLInputElement; printed: HTMLInputElement; slideText: HTMLElement; seenText: HTMLElement };
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
