// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** A matrix: what its rows and columns are, and their tokens, where they are tokens. */
export interface Drawn {
  name: string;
  detail: string;
  x: string;
  y: string;
  rows: number;
  cols: number;
  row_labels: string[];
  col_labels: string[];
  probability: boolean;
  end: number; // of the colour scale
}

export interface Header {
  panels: Drawn[];
  picture: number;
  colors: Palette;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface View {
  root: HTMLElement;
  component: Component;
  canvas: HTMLCanvasElement;
  said: HTMLElement;
  header: Header;
  arrays: Record<string, Float32Array>; // "0", "1": one for each panel
  theme: Theme;
  boxes: Box[];
  observer: ResizeObserver;
  width?: number;
}
