// What the files of this view hand to each other.

import type { Joined } from "#canvas/hovered.js";
import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export type Side = "source" | "target";
export type Pin = [step: number, token: number];

/** A token's place along its row: `at` is its middle, `size` what it takes of the row. */
export interface Slot {
  at: number;
  size: number;
}

/** One weight of the map: where it begins at the target and ends at the source, as [from, to] along the rows. */
export interface Ribbon {
  step: number;
  token: number;
  weight: number;
  target: [number, number];
  source: [number, number];
}

/** Rows lie across (`upright` false) or stand side by side (true); `gap` is what the ribbons cross, from `near` to `far`. */
export interface Plan {
  upright: boolean;
  source: Slot[];
  target: Slot[];
  ribbons: Ribbon[];
  near: number;
  far: number;
  width: number;
  height: number;
}

export interface Place {
  side: Side;
  index: number;
}

/** As `payload` in Python writes it. */
export interface Header {
  model: string;
  map: string;
  source: string[];
  target: string[];
  changed: boolean[]; // of each target token, whether it is new
  was: { text: string; logp: number };
  now: { text: string; logp: number };
  pins: Pin[];
  origin: string; // names the text that is rewritten
  seq: number;
  picture: number;
  colors: Palette;
}

/** What is pointed at: a token, or one ribbon. */
export interface Hover {
  step: number | null;
  token: number | null;
}

export interface Drag {
  step: number;
  x: number;
  y: number;
  moved: boolean;
}

export interface Elements {
  canvas: HTMLCanvasElement;
  now: HTMLElement;
  was: HTMLElement;
  said: HTMLElement;
  undo: HTMLButtonElement;
  free: HTMLButtonElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  bytes?: Uint8Array;
  header: Header;
  weights: Float32Array; // [target, source]
  theme: Theme;
  width?: number;
  plan: Plan;
  seq: number;
  past: Pin[][]; // what undo brings back
  pending: Pin | null; // asked for, not yet decoded
  hover: Hover;
  joined: Record<Side, Joined>; // to what is pointed at elsewhere on the page
  lit: Record<Side, number[]>;
  held: number | null; // the step whose ribbon is being moved
  cursor: Place | null; // of the keyboard
  drag: Drag | null;
  pressed: { x: number; y: number; at: Hover } | null;
}
