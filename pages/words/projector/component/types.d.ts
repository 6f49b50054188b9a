// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** Where the picture is looked at: its middle in the picture's own coordinates (0 to 1), and 1 for all of it. */
export interface Camera {
  x: number;
  y: number;
  zoom: number;
}

export interface Group {
  name: string;
  light: string; // colours, "" for points of no group
  dark: string;
}

/** Frames of a film: `points` are its coordinates [S, N, 2], `at` says in words how far the training was. */
export interface Film {
  at: string[];
  losses: (number | null)[];
}

export interface Header {
  space: string; // tells spaces apart: marks of another one are not this picture's
  title: string;
  file: string; // what a saved figure is called
  names: string; // one per line
  kind: string; // what a point is: word, token
  box: [number, number, number, number]; // what is shown at first: x and y of two corners
  groups: Group[]; // the first is of points that belong to none
  large: boolean; // few points have a group: they are large and their names coloured
  film: Film | null;
  colors: Palette;
}

/** What changes from click to click: the chosen word, its neighbours, and where the picture is looked at. */
export interface Marks {
  space: string;
  seq: number;
  row: number; // -1: none, or a word without a row
  name: string;
  place: [number, number] | null; // of a word without a row
  near: number[];
  cosines: number[];
  camera: [number, number, number] | null;
  frame: number; // -1: the last
}

export interface View {
  root: HTMLElement;
  stage: HTMLElement;
  canvas: HTMLCanvasElement;
  tip: HTMLElement;
  panel: HTMLElement;
  legend: HTMLElement;
  player: HTMLElement;
  slider: HTMLInputElement;
  play: HTMLButtonElement;
  said: HTMLElement;
  component: Component;
  bytes: ArrayLike<number>; // as received
  observer: ResizeObserver;
  unmarked: () => void;
  header: Header;
  arrays: Record<string, any>;
  names: string[];
  marks: Marks | null;
  space: string;
  seq: number;
  row: number;
  near: number[];
  cosines: number[];
  camera: Camera;
  moved: boolean; // whether the camera is elsewhere than at first
  only: Set<number>; // groups that are lit alone; empty: all
  xs: Float32Array;
  ys: Float32Array;
  frame: number; // of the film, with fractions while it plays
  running: number; // the animation's request, 0 while it stands
  hovered: number; // row, -1: none
  order: Int32Array; // rows as they are painted: grey ones first, frequent ones last
  ranked: Int32Array; // rows as they are named: coloured ones first, then the most frequent
  asked: number; // the request for the next painting, 0: none
  theme: Theme;
  width?: number;
  height: number;
  pixels?: ImageData;
  tell: (() => void) & { cancel: () => void };
}
