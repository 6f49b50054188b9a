// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Header {
  title: string;
  picture: number; // as the server counts them
  stages: number; // devices
  time: number; // of the whole step
  peaks: number[]; // of every device
  bound: number | null; // of the memory, where the schedule has one
  colors: Palette;
  state: { at: number | null; seq: number };
}

/** Events by device and time; `changes` counts each device's entries in `times` and `held`. */
export interface Arrays {
  device: Uint8Array;
  kind: Uint8Array;
  micro: Uint8Array;
  stage: Uint8Array;
  half: Uint8Array;
  start: Float32Array;
  end: Float32Array;
  changes: Uint16Array;
  times: Float32Array;
  held: Float32Array;
}

export interface Run {
  header: Header;
  arrays: Arrays;
}

export interface Layout {
  width: number;
  height: number;
  left: number; // of the time axis
  right: number;
  row: number; // height of a device's row
  bottom: number; // of the rows
  memory: number; // top of the memory's chart
  base: number; // its bottom
}

export interface View extends Run {
  root: HTMLElement;
  component: Component;
  els: { play: HTMLButtonElement; time: HTMLInputElement; name: HTMLElement; said: HTMLElement; legend: HTMLElement; canvas: HTMLCanvasElement };
  theme: Theme;
  layout?: Layout;
  at: number; // the time under the cursor
  hover: number; // of an event, -1 for none
  seq: number;
  unsent: boolean;
  frame: number;
  since: number;
  from: number;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
