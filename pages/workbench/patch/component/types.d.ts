// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Header {
  clean: string[]; // tokens of both texts
  corrupted: string[];
  rows: number; // layers
  columns: number; // heads or positions
  heads: boolean; // whether columns are heads
  part: string; // what a cell patches, in words
  chosen: number[]; // layer and column
  chain: number[][]; // cells of this kind that are patched together
  said: string;
  origin: string;
  picture: number;
  colors: Palette;
}

/** Where the cells lie, in pixels of the picture. */
export interface Grid {
  left: number;
  top: number;
  cell: number;
  tall: number;
  below: number; // where the names of the columns begin
  turned: boolean; // whether these stand upright
  width: number;
  height: number;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: { tokens: HTMLElement; said: HTMLElement; grid: HTMLCanvasElement };
  header: Header;
  preview: ArrayLike<number>;
  exact: ArrayLike<number>; // NaN where it is not known
  chosen: number[];
  hover: number[] | null;
  theme: Theme;
  layout?: Grid;
  told: string; // texts whose tokens are shown
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
