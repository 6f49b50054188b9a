// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Strip } from "#canvas/strip.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Member {
  kind: "residual" | "hyper" | "manifold";
  title: string;
  model: string;
  streams: number;
}

/** As `payload` in Python writes it. */
export interface Header {
  tokens: string[];
  first: number;
  names: string[];
  members: Member[];
  colors: Palette;
  warm: { light: string; dark: string };
  state: State & { seq: number };
}

export interface State {
  token: number; // of the text, not of the window
  sublayer: number;
  show: "all" | Member["kind"];
  widths: "carried" | "step";
}

/** One model's matrices at one token. */
export interface Slices {
  N: number;
  P: number;
  pre: Float32Array; // [P * N]
  post: Float32Array;
  res: Float32Array; // [P * N * N]
}

/** Where the sublayers of one model lie: `across` is the picture's axis of depth. */
export interface Plan {
  kind: Member["kind"];
  box: Box;
  upright: boolean;
  step: number;
  start: number;
}

export interface Elements {
  shows: HTMLElement;
  widths: Record<State["widths"], HTMLButtonElement>;
  token: HTMLInputElement;
  tokenName: HTMLElement;
  play: HTMLButtonElement;
  strip: Strip;
  canvas: HTMLCanvasElement;
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
  arrays: Record<string, Float32Array>;
  P: number;
  T: number; // tokens of the window
  state: State;
  seq: number;
  unsent: boolean;
  sendSoon: (() => void) & { cancel: () => void };
  dragging: boolean;
  playing: number; // the running interval, 0 for none
  outside: Record<string, (event: Event) => void>;
  theme: Theme;
  width?: number;
  plans: Plan[];
}
