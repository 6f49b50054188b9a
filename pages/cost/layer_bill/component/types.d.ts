// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** A layer: B texts of n tokens, width d, h query heads of `head` numbers (0: d / h), g key/value heads, inner width f. */
export interface Sizes {
  n: number;
  d: number;
  h: number;
  g: number;
  f: number;
  gated: boolean;
  batch: number;
  bytes: number;
  head: number;
}

export interface Line {
  multiplications: number;
  softmax: number;
  weights: number;
  written: number;
  maps: number;
  operations: number;
}

/** Asked for one head and for all; each answer is a number and how it is worked out. */
export interface Question {
  name: string;
  hint: string;
  answers: [number, string][];
}

export interface Preset {
  name: string;
  sizes: Sizes;
  source: string;
}

export interface State {
  sizes: Sizes;
  counted: string; // of the growth
  prompt: number;
  steps: number;
  toy: number[]; // n, d and h of the table that is filled in by hand
  answers: string; // its cells, joined
}

export interface Header extends State {
  view: string; // "bill", "hand" or "growth"
  title: string;
  origin: string;
  picture: number;
  said: string; // on what a link asked for and cannot be
  presets: Preset[];
  most: Record<string, number>;
  colors: Palette;
}

export interface Control {
  key: "n" | "d" | "h" | "g" | "f" | "batch";
  box: HTMLInputElement;
  range: HTMLInputElement;
  root: HTMLElement;
}

export interface View {
  root: HTMLElement;
  component: Component;
  header: Header;
  state: State;
  theme: Theme;
  controls: Control[];
  els: {
    preset: HTMLSelectElement;
    bytes: HTMLSelectElement;
    gated: HTMLInputElement;
    sliders: HTMLElement;
    source: HTMLElement;
    said: HTMLElement;
    told: HTMLElement;
    canvas: HTMLCanvasElement;
    table: HTMLElement;
    growth: HTMLElement;
    counted: HTMLElement;
    prompt: HTMLInputElement;
    steps: HTMLInputElement;
    promptName: HTMLElement;
    stepsName: HTMLElement;
  };
  at: number; // n or step under the pointer; 0 for none
  spot: Spots;
  wrong: Map<string, number>; // cells of the table: how often they were wrong
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}

/** What the pointer may touch: the place of a chart's axis. */
export interface Spots {
  left: number;
  right: number;
  top: number;
  bottom: number;
  low: number;
  high: number;
  log: boolean;
}
