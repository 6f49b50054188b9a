// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";
import type { Format } from "#canvas/bits.js";


export interface View {
  root: HTMLElement;
  component: Component;
  canvas: HTMLCanvasElement;
  input: HTMLInputElement;
  said: HTMLElement;
  menu: HTMLElement;
  bits: HTMLElement;
  formula: HTMLElement;
  near: HTMLElement;
  facts: HTMLElement;
  body: HTMLElement;
  header: { formats: Format[]; format: string; text: string; origin: string; picture: number; colors: Palette };
  format: Format;
  text: string;
  x: number; // the number that was read last
  code: number | null; // its pattern in the chosen format
  theme: Theme;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
