// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** As `payload` in Python writes it. */
export interface Header {
  tokens: string[];
  unknown: boolean[];
  offers: [word: string, written: number, copied: number][][];
  word: number; // place of the predicted word, from 1
  picture: number;
  colors: Palette;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: { text: HTMLElement; arcs: HTMLCanvasElement; said: HTMLElement; bars: HTMLElement };
  spans: HTMLElement[]; // one a word, and one for what would follow
  header: Header;
  gate: Float32Array;
  pointer: Float32Array; // [T, T]
  theme: Theme;
  word: number; // the chosen one
  hover: number | null;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
