// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface State {
  p: number; // percent
  seed: number;
  masks: number;
  raw: boolean; // without 1/q
  evaluating: boolean;
}

export interface Header {
  title: string;
  tokens: string[];
  channels: number;
  first: number; // channel that is drawn
  origin: string; // another one: begin with `state`
  state: State;
  picture: number;
  colors: Palette;
}

/** x: [tokens, channels]. */
export interface Arrays {
  x: Float32Array;
}

export interface Layout {
  width: number;
  height: number;
  shown: number; // channels
  rows: number; // tokens
  cell: number;
  row: number;
  panels: { x: number; y: number }[];
  chart: { x: number; y: number; width: number; height: number };
}

export interface Scene {
  header: Header;
  layout: Layout;
  theme: Theme;
  state: State;
  panels: { name: string; x: ArrayLike<number> }[];
  errors: { n: number; error: number }[];
  size: number; // RMS(X)
  range: number; // of the colours
}

export interface View {
  root: HTMLElement;
  component: Component;
  header: Header;
  arrays: Arrays;
  state: State;
  theme: Theme;
  els: Record<"said" | "pText" | "masksText", HTMLElement> & { canvas: HTMLCanvasElement; p: HTMLInputElement; masks: HTMLInputElement; raw: HTMLInputElement; training: HTMLButtonElement; evaluation: HTMLButtonElement };
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
