// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export type Edge = [layer: number, head: number, query: number, key: number, flow: number, adds: number];

/** As `Graph` in Python. */
export interface Data {
  title: string;
  word: string;
  position: number;
  columns: number[];
  tokens: string[];
  edges: Edge[];
  nodes: number[][];
  stays: number[][];
  mlps: number[][];
  mlp_adds: number[];
  least: number;
  chosen: number[] | null;
  colors: Palette;
}

/** Where everything lies, in pixels. */
export interface Plan {
  width: number;
  height: number;
  left: number;
  column: number;
  layer: number; // height of one
  top: number;
  bottom: number; // of the graph, above its labels
}

export interface View {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  scroller: HTMLElement;
  title: HTMLElement;
  note: HTMLElement;
  component: Component;
  observer: ResizeObserver;
  data: Data;
  plan: Plan;
  curves: number[][]; // of each edge: x1, y1, and the three further points of its curve
  at: number; // the edge that is chosen; -1: none
  hover: number;
  shown: string; // which graph is drawn
  theme: Theme;
  width?: number;
}
