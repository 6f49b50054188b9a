// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface State {
  rate: number;
  all: boolean;
  widths: "model" | "text";
  word: string;
  seq: number;
}

export interface Header {
  title: string;
  center: string;
  context: string;
  words: string[];
  target: number;
  vv: number;
  vg: number;
  colors: Palette;
  state: State;
}

/** Where each leaf and then each inner node lies: share of the width, left end, depth; and its parent, -1 for the root. */
export interface Layout {
  share: Float64Array;
  left: Float64Array;
  depth: Uint8Array;
  parent: Int32Array;
  deepest: number;
}

/** One decision on the path: the node, which way, its probability before and after, and what lies on the other side. */
export interface Decision {
  node: number;
  turn: "left" | "right";
  before: number;
  after: number;
  product: number; // after, of all decisions so far
  others: string;
}

export interface View {
  root: HTMLElement;
  els: Record<"rate" | "rateName" | "all" | "widths" | "canvas" | "words" | "tip", any>;
  component: Component;
  observer: ResizeObserver;
  bytes?: Uint8Array;
  header: Header;
  arrays: Record<string, any>;
  state: State;
  seq: number;
  unsent: boolean;
  sendSoon: (() => void) & { cancel: () => void };
  layout: Layout;
  reached: Float64Array; // after the step, leaves and then inner nodes
  decisions: Decision[];
  scene: { loss: (rate: number) => number };
  theme: Theme;
  icicle: { x: number; y: number; width: number; height: number };
  width?: number;
}
