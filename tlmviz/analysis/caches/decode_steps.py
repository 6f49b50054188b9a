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
from tlmviz.trace import recording

TOP_K = 40  # as `LanguageModel.generate`


@dataclass(frozen=True)
class Decoding:
    """A prompt of P tokens and N generated ones, all of them read; T = P + N. Step 0 is the prompt, read at once.

    `weights` [T, T] are one head's probabilities, each row as its own step gave it; NaN where nothing is seen.
    `q`, `k` [T, D] and `v` [T, E] are that head's rows as the cache met them (latent attention: the absorbed query, the
    latent with k^R, and the latent). `probabilities` [N] are the model's probabilities of the drawn tokens. `occupied_bytes` and
    `reserved_bytes` [N + 1] are those of all layers after each step.
    `logits` [N + 1, V] are those after the prompt and after each step.
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
        """Positions that a layer's buffer has room for after a step: a ring its window, the others share what is left."""
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
            f"A prompt of {prompt:,} tokens and {tokens} more need {prompt + tokens:,} positions, and {config.name} has learned "
            f"vectors for {config.context:,}; shorten the prompt, {f'generate at most {limit}, ' if limit else ''}or choose a "
            "model with RoPE, ALiBi or relative positions, which can go on."
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
    """Read `ids`, then draw and read up to `tokens` more, as `generate` draws them; the end-of-text token is the last.

    Raises BadText (no ids, or more positions than the model has vectors for), UnknownName and BadShape.
    """
    config = lm.config
    if not ids:
        raise BadText("There are no tokens to read; give at least one.")
    if tokens < 1:
        raise BadShape(f"{tokens} tokens were asked for; generate at least 1.")
    for what, index, of in (("layer", layer, config.n_layers), ("head", head, config.n_heads)):
        if not 0 <= index < of:
            raise UnknownName(f"There is no {what} {index}; {lm.name} has {what}s 0 to {of - 1}.")
    check_room(config, len(ids), tokens)
    cache, generator = lm.new_cache(), torch.Generator().manual_seed(seed)
    reader = _Reader(lm, cache, layer, head)
    logits, ids, probabilities = [reader.read(list(ids))], list(ids), []
    prompt = len(ids)
    while len(ids) < prompt + tokens:
        token = next_token(logits[-1], temperature, TOP_K, 1.0, generator)
        probabilities.append(float(torch.softmax(logits[-1], -1)[token]))
        ids.append(token)
        logits.append(reader.read([token]))
        if token in lm.tokenizer.ends:
            break
    windows = tuple(config.layer(index).window for index in range(config.n_layers))
    names = [*map(lm.tokenizer.name, ids[:prompt]), *output_names(lm.tokenizer, ids[prompt:])]
    return Decoding(
        prompt, ids, names, reader.weights(), *reader.rows(), np.array(probabilities, np.float32),
        np.array(reader.occupied_bytes), np.array(reader.reserved_bytes), reader.bytes_per_token_per_layer,
        windows, layer, config.attention.latent_dim,
        torch.stack(logits),
    )  # fmt: skip


class _Reader:
    """Reads tokens through a cache and keeps what one head of one layer did."""

    def __init__(self, lm: LanguageModelLike, cache: KVCache, layer: int, head: int):
        self.lm, self.cache, self.head = lm, cache, head
        self.spec = lm.network.specs()[layer].detached()
        self.names = [f"blocks.{layer}.attn.{part}" for part in ("q", "k", "v", "lse")]
        self.parts: list[list[Tensor]] = []  # per pass: q, k, v [1, H or G, t, D] and lse [1, H, t]
        self.maps: list[np.ndarray] = []
        self.occupied_bytes: list[int] = []
        self.reserved_bytes: list[int] = []
        self.bytes_per_token_per_layer = 0

    def read(self, ids: list[int]) -> Tensor:
        """Logits [V] after the last of these tokens."""
        with torch.inference_mode(), recording(self.names.__contains__) as record:
            logits = self.lm.network(torch.tensor([ids]), self.cache)[0, -1]
            q, k, v, lse = self.parts_of(record.values)
            self.parts.append([q, k, v, lse])
            keys = torch.cat([part[1] for part in self.parts], 2)
            one = slice(self.head, self.head + 1)
            tile = kernels.attention_map(q, keys, lse, self.spec.mask.of_heads(one), scale=self.spec.scale)
            self.maps.append(tile[0, 0].cpu().numpy())
        config, length = self.lm.config, self.cache.length
        held = sum(min(length, config.layer(i).window or length) for i in range(config.n_layers))
        self.occupied_bytes.append(held * self.bytes_per_token_per_layer)
        self.reserved_bytes.append(self.cache.nbytes)
        return logits.cpu()

    def parts_of(self, values: dict[str, Tensor]) -> tuple[Tensor, ...]:
        """This head's q, k, v and lse, and once the bytes of one position: a latent line is its own value."""
        q, k, v, lse = (values[name] for name in self.names)
        if not self.bytes_per_token_per_layer:
            kept = (k,) if self.lm.config.attention.latent_dim is not None else (k, v)
            self.bytes_per_token_per_layer = sum(part[:, :, :1].nbytes for part in kept)
        group = self.head * k.shape[1] // q.shape[1]
        one, its = slice(self.head, self.head + 1), slice(group, group + 1)
        return q[:, one], k[:, its], v[:, its], lse[:, one]

    def weights(self) -> np.ndarray:
        """All rows of the map, [T, T]."""
        length = self.maps[-1].shape[1]
        result, row = np.full((length, length), np.nan, np.float32), 0
        for part in self.maps:
            result[row : row + len(part), : part.shape[1]] = part
            row += len(part)
        back = np.arange(length)[:, None] - np.arange(length)
        result[(back < 0) | (back >= (self.spec.mask.window or length))] = np.nan
        return result

    def rows(self) -> tuple[np.ndarray, ...]:
        """q, k, v of all positions, [T, D] each."""
        return tuple(torch.cat([part[i] for part in self.parts], 2)[0, 0].cpu().numpy() for i in range(3))


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

    def fastest(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Way -> (positions, the fastest of each token's times [N]): what other work on the machine adds least to."""
        return {way: (where, taken.min(0)) for way, (where, taken) in self.ways.items()}


WITH, WITHOUT, NAIVE = "with the cache", "without it", "with the cache, naive"


def measure(
    lm: LanguageModelLike, ids: list[int], prompt: int, seconds: float = 1.8, rounds: int = 5, points: int = 8
) -> Timing:
    """Time the generated tokens of `ids`, each as one step with a cache, and at `points` lengths as a pass over all.

    Every round times all ways, one after the other. Rounds are repeated while they fit into `seconds`; there is at least
    one. Latent attention is timed absorbed and naive. Nothing is recorded meanwhile.
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
        runs[NAIVE] = (
            lengths,
            lambda: _cached(lm, LatentCache(lm.config.n_layers, absorbed=False), ids, prompt),
        )
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
