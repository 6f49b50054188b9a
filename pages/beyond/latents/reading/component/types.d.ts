// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Pad } from "#canvas/pad.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** As `payload` in Python writes it. */
export interface Header {
  pixels: string; // a letter each
  layers: number;
  heads: number;
  latents: number;
  probabilities: number[];
  truth: number | null; // what the digit is, where it is known
  said: string; // what it is read as
  error: string; // why it is not read; the maps are then those of before
  head: number; // 0 is the mean of all
  pin: Latent | null;
  muted: number[];
  origin: string; // names the model and the digit
  seq: number;
  picture: number;
  colors: Palette;
}

/** One latent in one layer, both from 0. */
export type Latent = [layer: number, latent: number];

/** What is pointed at: a latent's map, a pixel, or a pixel of a map. */
export interface Pointed {
  at: Latent | null;
  pixel: number | null;
}

export interface Box {
  layer: number;
  latent: number;
  x: number;
  y: number;
}

/** Where the maps are drawn. */
export interface Layout {
  width: number;
  height: number;
  side: number; // pixels of a map
  boxes: Box[];
}

export interface Elements {
  maps: HTMLCanvasElement;
  bars: HTMLElement;
  said: HTMLElement;
  spoken: HTMLElement;
  head: HTMLSelectElement;
  mute: HTMLButtonElement;
  unmute: HTMLButtonElement;
  erase: HTMLButtonElement;
  right: HTMLElement;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: Elements;
  pad: Pad;
  header: Header;
  reading: Float32Array; // [layers, heads + 1, latents, pixels], the mean first
  mixing: Float32Array; // [layers, heads + 1, latents, latents]
  shown: Uint8Array; // the pixels that the maps are of
  head: number;
  pin: Latent | null;
  muted: number[];
  pointed: Pointed;
  layout: Layout;
  theme: Theme;
  seq: number;
  waiting: boolean;
  changed: boolean; // drawn since the last message
  drawn: boolean; // whether the server was ever sent pixels of this digit
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
