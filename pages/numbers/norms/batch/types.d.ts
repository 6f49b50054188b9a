// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";
import type { Theme } from "#canvas/theme.js";
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

/** As the page keeps it: what nobody has chosen is null. */
export type Place = Omit<State, "item" | "channel" | "first"> & { item: number | null; channel: number | null; first: number | null };

export interface Header {
  kind: "tokens" | "pictures";
  tokens: string[]; // of a batch of sentences
  labels: number[]; // of pictures: the digits
  filters: string[]; // of pictures: the channels' names
  channels: number;
  eps: number;
  momentum: number;
  plus: number; // what "+" adds
  open: { item: number; channel: number; first: number }; // while nobody has chosen
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

export type View = Live<Header, Arrays, Place> & {
  cells: Cells; // as given, or the chosen pictures
  images: ArrayLike<number>;
  labels: number[];
  state: State; // the place within what there is
  scene: Scene;
  asked?: string; // what the table answers
};
