// What the files of this view hand to each other.

import type { Spot } from "#canvas/hovered.js";
import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Row {
  name: string;
  what: string;
  inside: "attention" | "cross-attention" | "MLP" | "";
  kind: "signed" | "probability";
  x: string;
  product: boolean;
  labels: string[];
}

/** One cell of a product, taken apart by the server. */
export interface Opened {
  step: string;
  cell: number;
  total: number;
  actual: number;
  bias: number;
  count: number;
  left: string;
  right: string;
  terms: [string, number, number][]; // the largest: name, both factors
}

export interface Header {
  title: string;
  step: string;
  cell: number;
  opened: Opened | null;
  seq: number;
  rows: Row[];
  colors: Palette;
}

export interface View {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  card: HTMLElement;
  tip: HTMLElement;
  component: Component;
  observer: ResizeObserver;
  header: Header;
  arrays: Record<string, Float32Array>;
  step: string;
  cell: number; // -1: none
  seq: number;
  theme: Theme;
  width?: number;
  lit: Spot[]; // the tokens that are pointed at on the page
  unhovered: () => void;
}
