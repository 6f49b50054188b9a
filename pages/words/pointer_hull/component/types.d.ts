// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** Thousandths of a square, y upwards. */
export type Point = [x: number, y: number];

/** As `payload` in Python writes it. */
export interface Header {
  order: number[]; // indices of the visited points
  exact: number[]; // of the exact hull's corners
  missed: number[];
  extra: number[];
  verdict: string;
  step: number; // from 1; the last is the end
  origin: string; // names the set of points
  seq: number;
  picture: number;
  colors: Palette;
}

export interface Elements {
  canvas: HTMLCanvasElement;
  slider: HTMLInputElement;
  stepName: HTMLElement;
  play: HTMLButtonElement;
  bars: HTMLElement;
  said: HTMLElement;
  verdict: HTMLElement;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: Elements;
  header: Header;
  points: Point[]; // as they are shown: those that are dragged are ahead of the server's
  drawn: Point[]; // those that the attention is of
  attention: Float32Array; // [steps, points + 1], the end marker last
  theme: Theme;
  side: number; // pixels of the square
  step: number; // from 1; beyond the last is the last
  seq: number;
  waiting: boolean; // for the answer to a message
  changed: boolean; // points moved since the last message
  moved: boolean; // whether the server was ever sent points of this set
  held: number | null; // the point under the pointer's button, or chosen by keys
  dragging: boolean;
  timer?: ReturnType<typeof setInterval>;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
