// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface View {
  root: HTMLElement;
  component: Component;
  canvas: HTMLCanvasElement;
  said: HTMLElement;
  sliders: { inputs: HTMLInputElement; latents: HTMLInputElement };
  names: { inputs: HTMLElement; latents: HTMLElement };
  header: { inputs: number; latents: number; origin: string; picture: number; colors: Palette };
  inputs: number; // N
  latents: number; // M
  theme: Theme;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
