// What the files of this view hand to each other.

import type { Joined } from "#canvas/hovered.js";
import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One step of the kernel, as `payload` in Python describes it. */
export interface Step {
  program: number;
  rows: [number, number];
  cols: [number, number];
  when: string[];
  stages: string[];
  visit: number; // of the tile, -1 at a program's start and end
  moved: number; // numbers to and from HBM since the first step
  words: string[];
}

export interface Header {
  title: string;
  tokens: string[];
  length: number;
  width: number;
  rows: number;
  cols: number;
  bytes: number;
  error: number;
  steps: Step[];
  code: { number: number; text: string; when: string }[];
  colors: Palette;
  state: { step: number | null; seq: number };
}

/** How far standard attention is after a number of moved numbers: rows (with fractions) of S, P and O that are written. */
export interface Standard {
  S: number;
  P: number;
  O: number;
  phase: string;
}

export interface Elements {
  play: HTMLButtonElement;
  step: HTMLInputElement;
  name: HTMLElement;
  canvas: HTMLCanvasElement;
  code: HTMLElement;
  words: HTMLElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  bytes?: Uint8Array;
  header: Header;
  arrays: Record<"q" | "k" | "v" | "out" | "weights" | "p" | "m" | "l" | "acc", Float32Array> & { grid: Uint8Array };
  images: { id: string; made: Map<string, HTMLCanvasElement> };
  step: number; // of the kernel; beyond its last one only standard attention goes on
  share: number; // of the step that has been drawn while playing; 1 at rest
  seq: number;
  unsent: boolean;
  sendSoon: (() => void) & { cancel: () => void };
  frame: number; // the requested animation frame, 0 while at rest
  since: number; // when the running step began
  painted: number; // frames drawn since play began
  began: number;
  hovered: Joined;
  lit: number[]; // tokens that are pointed at
  box: Box; // of the kernel's machine in the canvas
  theme: Theme;
  width?: number;
}
