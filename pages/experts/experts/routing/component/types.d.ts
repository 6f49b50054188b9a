// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Joined } from "#canvas/hovered.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** As `payload` in Python writes it. L layers that have experts, T tokens, E experts, of which k are chosen. */
export interface Header {
  tokens: string[];
  layers: number[]; // the number of each of the L layers in its model
  experts: number;
  chosen: number; // k
  biased: boolean; // whether the router has a bias
  compared: boolean; // whether `plain` says what it would choose without
  muted: [layer: number, expert: number][]; // places among the L layers
  forced: [layer: number, expert: number][];
  clicks: string; // what a click on an expert's head does, in words; empty: nothing
  maths: boolean;
  state: State;
  picture: number;
  colors: Palette;
  warm: { light: string; dark: string };
}

export interface State {
  token: number;
  layer: number; // a place among the L layers
  show: "chosen" | "scores";
  seq: number;
}

export interface Arrays {
  scores: Float32Array; // [L, T, E] before the bias
  bias: Float32Array; // [L, E]
  chosen: Uint16Array; // [L, T, k]
  weights: Float32Array; // [L, T, k]
  plain: Uint16Array; // [L, T, k] chosen without the bias
  mixed: Float32Array; // [L, T, k] weights if the bias entered the mix
  notes: Float32Array; // [L, T, k] weights as the notes write them
  kept: Uint8Array; // [L, T, k] 0: dropped, as its expert was full
}

/** Where everything lies in the canvas, in pixels. */
export interface Grid {
  width: number;
  height: number; // of what is seen at once
  labels: number;
  first: number; // of the layers that are shown
  count: number;
  lane: number;
  total: number; // height of all rows
}

export interface Place {
  token: number | null; // null: in the head
  layer: number;
  expert: number | null; // null: beside the lanes
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: { scroller: HTMLElement; canvas: HTMLCanvasElement; spacer: HTMLElement; said: HTMLElement; panel: HTMLElement; buttons: HTMLButtonElement[] };
  header: Header;
  arrays: Arrays;
  loads: Float32Array; // [L, E] share of the tokens that reach each expert
  theme: Theme;
  warm: string;
  grid: Grid;
  state: State;
  hover: Place | null;
  lit: number[];
  joined: Joined;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
