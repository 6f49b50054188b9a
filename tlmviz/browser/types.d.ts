// A model's config.json with every default filled in; tlmviz/config says what the fields mean.

import type { Matrix as PlainMatrix, Memory } from "./memory.js";

/** A linear map, whatever its numbers are kept in. */
export type Matrix = Pick<PlainMatrix, "outputs" | "inputs" | "bias" | "copyRow" | "row" | "apply">;

export interface AttentionConfig {
  n_heads: number;
  n_kv_heads: number;
  head_dim: number;
  window: number | null;
  latent_dim: number | null;
  rope_dim: number;
  query_latent_dim: number | null;
  value_dim: number;
  q_bias: boolean;
  k_bias: boolean;
  v_bias: boolean;
  o_bias: boolean;
  scale: number | null;
  qk_norm: string;
  softcap: number | null;
  dropout: number;
}

export interface PositionsConfig {
  kind: string;
  rope_base: number;
  layout: string;
  scaling: string;
  factor: number;
  trained_context: number | null;
  beta_fast: number;
  beta_slow: number;
  attention_factor: number | null;
  rotary_dim: number | null;
  distances: number;
}

export interface ExpertsConfig {
  count: number;
  chosen: number;
  hidden: number;
  shared: number;
  shared_hidden: number | null;
  shared_gate: boolean;
  score: string;
  bias: boolean;
  normalised: boolean;
  scaling: number;
  groups: number;
  chosen_groups: number;
  group_best: number;
  dense_layers: number[];
}

export interface LayerConfig {
  window: number | null;
  rope_base: number | null;
  rotary: boolean;
  scaled: boolean;
}

/** What layers read of a Transformer's configuration. */
export interface NetworkConfig {
  name: string;
  d_model: number;
  context: number;
  attention: AttentionConfig;
  positions: PositionsConfig;
  norm: { kind: string; eps: number; placement: string };
  feedforward: { kind: string; hidden: number; bias: boolean };
  experts: ExpertsConfig;
  connection: { kind: string; streams: number; iterations: number; bound: number | null };
  layers: LayerConfig[]; // one per layer
}

export interface ModelConfig extends NetworkConfig {
  description: string;
  kind: string;
  vocab_size: number;
  n_layers: number;
  tied: boolean;
  dropout: number;
  embedding_scale: number;
  head_bias: boolean;
  logit_softcap: number | null;
  depth?: number; // of modules or heads that look ahead
}

export interface EncoderDecoderConfig extends NetworkConfig {
  kind: string;
  vocab_size: number;
  encoder_layers: number;
  decoder_layers: number;
  alignment: [number, number] | null;
}

export interface Seq2SeqConfig {
  name: string;
  kind: string;
  vocab_size: number;
  d_model: number;
  hidden: number;
  context: number;
  score: { kind: string; coverage: boolean };
  pointer: boolean;
}

/** A translation network that has read a source, in the middle of writing several texts. */
export interface Stepper {
  /** Attention maps between target and source, A. */
  maps: number;
  /** Text i becomes a copy of the former text rows[i], continued by ids[i]. Logits [R, V], attention [R, A, S]. */
  step(rows: number[], ids: number[]): { logits: Float32Array; attention: Float32Array };
}

/** Tensors by their names in a checkpoint, each to be taken in the shape that it has there. */
export interface Weights {
  take(key: string, shape: number[]): Float32Array;
  /** A linear map that is kept as it lies; null or no such method: one of float32. */
  matrix?(memory: Memory, key: string, outputs: number, inputs: number, bias: Float32Array | null): Matrix | null;
}

/** What every part of a network is built from. */
export interface Site {
  memory: Memory;
  weights: Weights;
  config: NetworkConfig;
  /** A place for intermediate numbers that parts of one name share. */
  scratch(name: string, count: number): number;
  /** The linear map of a tensor [outputs, inputs], with a bias where one is named. */
  matrix(key: string, outputs: number, inputs: number, bias?: string | null): Matrix;
  /** The linear map `name`.weight [outputs, inputs], with `name`.bias where it has one. */
  linear(name: string, outputs: number, inputs: number, bias?: boolean): Matrix;
  /** Most rows that pass a part at once. */
  chunk: number;
}

/** A part that writes F(x) of so many rows at `out`. Places count numbers in the memory. */
export type Sublayer = (x: number, out: number, rows: number) => void;

export interface Positions {
  /** Texts of up to so many tokens are turned alike, whatever their length. */
  steady: number;
  /** Says how many tokens a text has, before a pass over its last ones. */
  reach(length: number): void;
  /** Changes token embeddings [T, C] at `x`, whose first row stands at position `start`. */
  embed(x: number, start: number, rows: number): void;
  /** Turns `heads` vectors of `dim` numbers per row, which begin `stride` apart, by their positions. */
  rotate(layer: number, x: number, stride: number, heads: number, dim: number, start: number, rows: number): void;
  /** What distance takes from a score of each head; null where nothing. */
  slopes: Float32Array | null;
  /** A layer's vector per distance, [R, D]; null where it has none. */
  relative(layer: number): Float32Array | null;
}
