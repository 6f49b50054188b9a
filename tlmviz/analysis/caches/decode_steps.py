"""Generation with a cache, recorded token by token (000 section 3.1): each new row of the map, and each cache's bytes.

A step feeds one token. Its query meets all keys the cache holds and is then gone; its key and value stay.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from tlmviz import kernels
from tlmviz.caches import KVCache, LatentCache
from tlmviz.config import ModelConfig
from tlmviz.decoding.sampling import next_token
from tlmviz.errors import BadShape, BadText, UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.tokens import output_names
from tlmviz.tracing.trace import AttentionSpec, recording

TOP_K = 40  # as `LanguageModel.generate`


@dataclass(frozen=True)
class Decoding:
    """A prompt of P tokens and N generated ones, all of them read; T = P + N. Step 0 is the prompt, read at once.

    `weights` [T, T] are one head's probabilities, each row as its own step gave it; NaN where nothing is seen.
    `q`, `k` [T, D] and `v` [T, E] are that head's rows as the cache met them (latent attention: the absorbed query, the
    latent with k^R, and the latent). `probabilities` [N] are the model's probabilities of the drawn tokens.
    `occupied_bytes` and `reserved_bytes` [N + 1] are those of all layers after each step. `logits` [N + 1, V] are those
    after the prompt and after each step.
    """

    prompt: int
    ids: list[int]
    tokens: list[str]
    weights: np.ndarray
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    probabilities: np.ndarray
    occupied_bytes: np.ndarray
    reserved_bytes: np.ndarray
    bytes_per_token_per_layer: int
    windows: tuple[int | None, ...]  # of every layer
    layer: int  # the head's
    latent: int | None
    logits: Tensor

    @property
    def steps(self) -> int:
        """N."""
        return len(self.ids) - self.prompt

    @property
    def layers(self) -> int:
        """L."""
        return len(self.windows)

    @property
    def window(self) -> int | None:
        """The window of the head's layer."""
        return self.windows[self.layer]

    def capacity(self, step: int, layer: int | None = None) -> int:
        """Positions that a layer's buffer has room for after a step: a ring its window, the others share what is
        left."""
        window = self.windows[self.layer if layer is None else layer]
        if window:
            return window
        room = int(self.reserved_bytes[step]) // self.bytes_per_token_per_layer
        return (room - sum(own or 0 for own in self.windows)) // self.windows.count(None)


def room(config: ModelConfig, prompt: int) -> int | None:
    """How many tokens may follow a prompt: none beyond learned position vectors; None when there is no such end."""
    return max(0, config.context - prompt) if config.positions.kind == "learned" else None


def check_room(config: ModelConfig, prompt: int, tokens: int) -> None:
    """Raises BadText when a prompt and so many tokens after it stand at more positions than there are vectors for."""
    limit = room(config, prompt)
    if limit is not None and tokens > limit:
        raise BadText(
            f"A prompt of {prompt:,} tokens and {tokens} more need {prompt + tokens:,} positions, and {config.name} "
            f"has learned vectors for {config.context:,}; shorten the prompt, "
            f"{f'generate at most {limit}, ' if limit else ''}or choose a model with RoPE, ALiBi or relative "
            "positions, which can go on."
        )


@dataclass(frozen=True)
class Generation:
    """What a generation left of every head: per pass, q, k, v [1, H or G, t, D] and lse [1, H, t] of each layer.

    The other fields are those of `Decoding`.
    """

    config: ModelConfig
    specs: tuple[AttentionSpec, ...]  # of every layer
    passes: list[list[list[Tensor]]]
    prompt: int
    ids: list[int]
    tokens: list[str]
    probabilities: np.ndarray
    occupied_bytes: np.ndarray
    reserved_bytes: np.ndarray
    bytes_per_token_per_layer: int
    logits: Tensor

    def of(self, layer: int, head: int) -> Decoding:
        """One head's steps. Raises UnknownName for a head that there is not."""
        _check_head(self.config, layer, head)
        spec = self.specs[layer]
        maps: list[np.ndarray] = []
        parts: list[list[Tensor]] = []
        for taps in self.passes:
            q, k, v, lse = taps[layer]
            group = head * k.shape[1] // q.shape[1]
            one, its = slice(head, head + 1), slice(group, group + 1)
            parts.append([q[:, one], k[:, its], v[:, its]])
            keys = torch.cat([part[1] for part in parts], 2)
            with torch.inference_mode():
                tile = kernels.attention_map(q[:, one], keys, lse[:, one], spec.mask.of_heads(one), scale=spec.scale)
            maps.append(tile[0, 0].cpu().numpy())
        own_q, own_k, own_v = (torch.cat([part[i] for part in parts], 2)[0, 0].cpu().numpy() for i in range(3))
        windows = tuple(self.config.layer(index).window for index in range(self.config.n_layers))
        return Decoding(
            self.prompt,
            self.ids,
            self.tokens,
            _rows(maps, spec.mask.window),
            own_q,
            own_k,
            own_v,
            self.probabilities,
            self.occupied_bytes,
            self.reserved_bytes,
            self.bytes_per_token_per_layer,
            windows,
            layer,
            self.config.attention.latent_dim,
            self.logits,
        )


def decode(
    lm: LanguageModelLike,
    ids: list[int],
    tokens: int = 40,
    layer: int = 0,
    head: int = 0,
    temperature: float = 0.8,
    seed: int = 0,
) -> Decoding:
    """One head's steps of `generate`. Raises what that does, and UnknownName for a head that there is not."""
    _check_head(lm.config, layer, head)
    return generate(lm, ids, tokens, temperature, seed).of(layer, head)


def generate(
    lm: LanguageModelLike, ids: list[int], tokens: int = 40, temperature: float = 0.8, seed: int = 0
) -> Generation:
    """Read `ids`, then draw and read up to `tokens` more, as the model's `generate` does; the end-of-text token is the
    last.

    Raises BadText (no ids, or more positions than the model has vectors for) and BadShape.
    """
    if not ids:
        raise BadText("There are no tokens to read; give at least one.")
    if tokens < 1:
        raise BadShape(f"{tokens} tokens were asked for; generate at least 1.")
    check_room(lm.config, len(ids), tokens)
    reader, generator = _Reader(lm), torch.Generator().manual_seed(seed)
    logits, ids, probabilities = [reader.read(list(ids))], list(ids), []
    prompt = len(ids)
    while len(ids) < prompt + tokens:
        token = next_token(logits[-1], temperature, TOP_K, 1.0, generator)
        probabilities.append(float(torch.softmax(logits[-1], -1)[token]))
        ids.append(token)
        logits.append(reader.read([token]))
        if token in lm.tokenizer.ends:
            break
    names = [*map(lm.tokenizer.name, ids[:prompt]), *output_names(lm.tokenizer, ids[prompt:])]
    return Generation(
        lm.config,
        tuple(spec.detached() for spec in lm.network.specs()),
        reader.passes,
        prompt,
        ids,
        names,
        np.array(probabilities, np.float32),
        np.array(reader.occupied_bytes),
        np.array(reader.reserved_bytes),
        reader.bytes_per_token_per_layer,
        torch.stack(logits),
    )


def _check_head(config: ModelConfig, layer: int, head: int) -> None:
    for what, index, of in (("layer", layer, config.n_layers), ("head", head, config.n_heads)):
        if not 0 <= index < of:
            raise UnknownName(f"There is no {what} {index}; {config.name} has {what}s 0 to {of - 1}.")


class _Reader:
    """Reads tokens through a cache and keeps what every layer's attention had."""

    def __init__(self, lm: LanguageModelLike):
        self.lm, self.cache = lm, lm.new_cache()
        self.names = [
            [f"blocks.{layer}.attn.{part}" for part in ("q", "k", "v", "lse")] for layer in range(lm.config.n_layers)
        ]
        self.passes: list[list[list[Tensor]]] = []
        self.occupied_bytes: list[int] = []
        self.reserved_bytes: list[int] = []
        self.bytes_per_token_per_layer = 0

    def read(self, ids: list[int]) -> Tensor:
        """Logits [V] after the last of these tokens."""
        wanted = {name for names in self.names for name in names}
        with torch.inference_mode(), recording(wanted.__contains__) as record:
            logits = self.lm.network(torch.tensor([ids]), self.cache)[0, -1]
        self.passes.append([[record.values[name] for name in names] for names in self.names])
        config, length = self.lm.config, self.cache.length
        if not self.bytes_per_token_per_layer:  # a latent line is its own value
            _, k, v, _ = self.passes[0][0]
            kept = (k,) if config.attention.latent_dim is not None else (k, v)
            self.bytes_per_token_per_layer = sum(part[:, :, :1].nbytes for part in kept)
        held = sum(min(length, config.layer(i).window or length) for i in range(config.n_layers))
        self.occupied_bytes.append(held * self.bytes_per_token_per_layer)
        self.reserved_bytes.append(self.cache.nbytes)
        return logits.cpu()


def _rows(maps: list[np.ndarray], window: int | None) -> np.ndarray:
    """All rows of a map, [T, T], from those of each pass; NaN where nothing is seen."""
    length = maps[-1].shape[1]
    result, row = np.full((length, length), np.nan, np.float32), 0
    for part in maps:
        result[row : row + len(part), : part.shape[1]] = part
        row += len(part)
    back = np.arange(length)[:, None] - np.arange(length)
    result[(back < 0) | (back >= (window or length))] = np.nan
    return result


# --- what holds -------------------------------------------------------------------------------------


def map_error(lm: LanguageModelLike, done: Decoding, layer: int, head: int) -> float:
    """Largest difference between the rows made one by one and the map of a single pass over the whole text."""
    whole = lm.trace_ids(done.ids).attention(layer, head).numpy()
    return float(np.abs(np.nan_to_num(done.weights) - whole).max())


def logits_error(lm: LanguageModelLike, done: Decoding) -> float:
    """Largest difference between the logits of the steps and those of a single pass without a cache."""
    whole = lm(torch.tensor([done.ids]))[0, done.prompt - 1 :]
    return float((done.logits - whole).abs().max())


def rows_error(done: Decoding) -> float:
    """How far a row's sum is from 1: the weights come from the kept keys, the lse from the cache's own attention."""
    return float(np.abs(np.nan_to_num(done.weights).sum(1) - 1).max())


# --- time -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timing:
    """Milliseconds per token: way -> (positions read so far [N], milliseconds of every round [rounds, N])."""

    ways: dict[str, tuple[np.ndarray, np.ndarray]]

    @property
    def rounds(self) -> int:
        """How often each token was timed, the ways in turn."""
        return len(self.ways[WITH][1])

    def medians(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Way -> (positions, the median of each token's times [N] over the rounds)."""
        return {way: (where, np.median(taken, 0)) for way, (where, taken) in self.ways.items()}


WITH, WITHOUT, NAIVE = "with the cache", "without it", "with the cache, naive"


def measure(
    lm: LanguageModelLike, ids: list[int], prompt: int, seconds: float = 1.8, rounds: int = 5, points: int = 8
) -> Timing:
    """Time the generated tokens of `ids`, each as one step with a cache, and at `points` lengths as a pass over all.

    Every round times all ways, one after the other. Rounds are repeated while they fit into `seconds`; there is at
    least one. Latent attention is timed absorbed and naive. Nothing is recorded meanwhile.
    """
    lengths = list(range(prompt + 1, len(ids) + 1))
    if not lengths:
        raise BadText("There is no generated token to time; give ids beyond the prompt.")
    some = sorted({lengths[round(i)] for i in np.linspace(0, len(lengths) - 1, points)})
    runs: dict[str, tuple[list[int], Callable[[], list[float]]]] = {
        WITH: (lengths, lambda: _cached(lm, lm.new_cache(), ids, prompt)),
        WITHOUT: (some, lambda: [milliseconds(lm, ids[:length]) for length in some]),
    }
    if lm.config.attention.latent_dim is not None:
        runs[NAIVE] = (lengths, lambda: _cached(lm, LatentCache(lm.config.n_layers, absorbed=False), ids, prompt))
    lm(torch.tensor([ids[: prompt + 1]]))  # the first pass of all pays for what later ones find ready
    times: dict[str, list[list[float]]] = {way: [] for way in runs}
    start, done = time.perf_counter(), 0
    while done < rounds and (not done or (time.perf_counter() - start) * (done + 1) / done < seconds):
        for way, (_, run) in runs.items():
            times[way].append(run())
        done += 1
    return Timing({way: (np.array(where), np.array(times[way])) for way, (where, _) in runs.items()})


def _cached(lm: LanguageModelLike, cache: KVCache, ids: list[int], prompt: int) -> list[float]:
    lm(torch.tensor([ids[:prompt]]), cache)
    return [milliseconds(lm, [token], cache) for token in ids[prompt:]]


def step_times(lms: Sequence[LanguageModelLike], ids: Sequence[list[int]], rounds: int) -> np.ndarray:
    """Milliseconds of one step at the end of each model's ids, [models, rounds].

    The models take turns, after a step of each that is not counted: what else the machine does meets all alike.
    """
    caches = [lm.new_cache() for lm in lms]
    for lm, read, cache in zip(lms, ids, caches):
        lm(torch.tensor([read[: -rounds - 1]]), cache)
    turns = [
        [milliseconds(lm, [read[at]], cache) for lm, read, cache in zip(lms, ids, caches)]
        for at in range(-rounds - 1, 0)
    ]
    return np.array(turns[1:]).T


def milliseconds(lm: LanguageModelLike, ids: list[int], cache: KVCache | None = None) -> float:
    """How long a pass over these tokens takes."""
    start = time.perf_counter()
    lm(torch.tensor([ids]), cache)
    return (time.perf_counter() - start) * 1e3
