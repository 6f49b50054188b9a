// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** Numbers of a tensor by size: `counts` has a row of `columns` for each exponent from `lowest` on. */
export interface Sizes {
  lowest: number;
  columns: number;
  counts: ArrayLike<number>;
  zeros: number;
  broken: number;
}

export interface Limits {
  lost: number;
  normal: number;
  normal_bin: number;
  top: number;
  top_bin: number;
}

export interface Format {
  key: string;
  name: string;
  limits: Limits;
}

export interface Part {
  name: string; // as the network names it
  row: number; // in the grid
  column: number;
  lowest: number;
  rows: number; // exponents
  zeros: number;
  broken: number;
}

export interface Header {
  formats: Format[];
  format: string;
  k: number;
  part: string; // "" for all
  what: string; // what the gradients are of
  scales: [number, number];
  most_lost: number; // share that a safe scale may lose
  columns: number;
  parts: Part[];
  rows: string[];
  names: string[]; // of the grid's columns
  origin: string;
  picture: number;
  colors: Palette;
}

export interface Grid {
  left: number;
  top: number;
  cell: number;
  tall: number;
  width: number;
  height: number;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: {
    menu: HTMLElement;
    slider: HTMLInputElement;
    name: HTMLElement;
    said: HTMLElement;
    legend: HTMLElement;
    safe: HTMLButtonElement;
    all: HTMLButtonElement;
    sizes: HTMLCanvasElement;
    curve: HTMLCanvasElement;
    grid: HTMLCanvasElement;
  };
  header: Header;
  sizes: Sizes[]; // of every part
  whole: Sizes;
  format: Format;
  k: number;
  part: string;
  hover: number; // part under the pointer, −1 for none
  theme: Theme;
  layout?: Grid;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
