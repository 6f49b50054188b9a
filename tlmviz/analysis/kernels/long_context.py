"""Texts longer than a model was trained on: one pass over them, their loss, and every head's habits, in O(T) memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.layers.sparse import strips
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .far_reading import FAR

LONGEST = 16_384  # tokens
EXACT = 2_048  # tokens up to which every query is read; of longer texts a thousand, evenly spaced
KEPT = ("q", "k", "v", "lse")
OPENING = "Once upon a time"


def long_trace(lm: LanguageModelLike, ids: list[int]) -> Trace:
    """One pass over ids of any length, [T], keeping each layer's q, k, v and lse and the final stream, not the logits.

    Raises BadText for learned positions beyond the context.
    """
    return lm.trace_ids(ids, keep=lambda name: name == "normed" or name.rpartition(".")[2] in KEPT)


@torch.inference_mode()
def loss_along(lm: LanguageModelLike, trace: Trace, strip: int = 1024) -> Float[Tensor, " t_minus_1"]:
    """-log p of each next token in nats, [T - 1], from the final stream; logits exist for one strip at a time."""
    stream = trace["normed"][0].to(lm.device)
    targets = torch.tensor(trace.ids[1:], dtype=torch.long).to(lm.device)
    losses = [
        torch.nn.functional.cross_entropy(lm.network.unembed(part), target, reduction="none").cpu()
        for part, target in zip(stream[:-1].split(strip), targets.split(strip))
    ]
    return torch.cat(losses) if losses else torch.zeros(0)


def rows_read(length: int, limit: int = EXACT, few: int = EXACT // 2) -> slice:
    """Every query up to `limit` tokens; of longer texts about `few`, evenly spaced and the last among them."""
    step = 1 if length <= limit else -(-length // few)
    return slice((length - 1) % step, None, step)


@dataclass(frozen=True)
class Survey:
    """One layer's heads: pooled maps and where their mass lies, averaged over the queries read but the first."""

    pictures: np.ndarray  # [H, n, n], the largest probability of each bin
    first: np.ndarray  # [H], mass on the first token: the sink
    own: np.ndarray  # [H], on the query itself
    previous: np.ndarray  # [H]
    distance: np.ndarray  # [H], mean tokens back
    beyond: np.ndarray  # [H], mass farther back than the training length
    bands: np.ndarray  # [H, N], mass at distance 0, 1, 2-3, 4-7, ...
    queries: int  # how many were read
    # [H], the largest weight on one token FAR or more back but the first, the mean over queries that have such.
    far: np.ndarray


def survey(trace: Trace, layer: int, context: int, size: int = 48, rows: slice | None = None) -> Survey:
    """Pooled maps and distances of one layer, streamed from q, k and lse in one pass over the queries `rows`.

    With every query read, pictures equal `trace.overview`. `context` is the training length in tokens.
    """
    q, k, lse = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "lse"))
    length, spec = len(trace), trace.specs[layer]
    rows, size = rows or rows_read(length), min(size, length)
    edges = [(i * length // size, -(-(i + 1) * length // size)) for i in range(size)]
    count = (length - 1).bit_length() + 1
    nearest = torch.tensor([0, *(2**n for n in range(count - 1))])  # each band's first distance
    strips_of, columns, looks = [], [], list[Tensor]()
    for part, where in strips(q, rows):
        stop = int(where[-1]) + 1
        # [H, R, S].
        p = kernels.attention_map(q, k, lse, spec.mask, rows=part, cols=slice(0, stop), scale=spec.scale)[0]
        pooled = [p[..., a:b].amax(-1) if a < stop else p.new_zeros(p.shape[:2]) for a, b in edges]
        strips_of.append(torch.stack(pooled, -1))
        mass = p.cumsum(-1)  # a difference of two gives any span's
        upto = _take(mass, where[:, None] + 1 - nearest)  # mass at each band's first distance or farther
        bands = upto - torch.nn.functional.pad(upto[..., 1:], (0, 1))
        beyond = _take(mass, where[:, None] + 1 - context - torch.zeros(1, dtype=torch.long))[..., 0]
        mean = where - p @ torch.arange(stop, dtype=p.dtype)
        columns.append(torch.cat((torch.stack((p[..., 0], mean, beyond), -1), bands), -1))
        if stop > FAR + 1:
            looks.append(_far_look(p, where))
    pictures = _pool_rows(torch.cat(strips_of, 1), torch.arange(length)[rows], edges)
    every = torch.cat(columns, 1)  # [H, rows, 3 + N]
    table = every[:, min(1, every.shape[1] - 1) :].mean(1).numpy()
    shares = table[:, 3:]
    previous = shares[:, 1] if count > 1 else np.zeros(len(shares), np.float32)
    return Survey(
        pictures.numpy(),
        table[:, 0],
        shares[:, 0],
        previous,
        table[:, 1].clip(0),
        table[:, 2],
        shares.clip(0),
        every.shape[1],
        torch.cat(looks, 1).mean(1).numpy() if looks else np.zeros(len(shares), np.float32),
    )


def band_names(count: int) -> list[str]:
    """Distances of each band, as axis text: 0, 1, 2–3, 4–7, ..."""
    return ["0", "1", *(f"{2**n}–{2 ** (n + 1) - 1}" for n in range(1, count - 1))][:count]


def strongest(tile: Float[Tensor, "r c"], count: int = 6) -> list[tuple[int, int, float]]:
    """The largest weights of a tile: row, column, weight; zeros are left out."""
    top = tile.flatten().topk(min(count, tile.numel()))
    pairs = zip(top.indices.tolist(), top.values.tolist())
    return [(index // tile.shape[1], index % tile.shape[1], value) for index, value in pairs if value > 0]


@torch.inference_mode()
def write_stories(lm: LanguageModelLike, tokens: int, seed: int = 0, temperature: float = 0.8, top_k: int = 40) -> str:
    """About `tokens` tokens of stories by the model itself, drawn one by one, at most 256 tokens each, joined by blank
    lines.

    A model stops at its context, so one text beyond it cannot be drawn in one piece.
    """
    generator, parts = torch.Generator().manual_seed(seed), list[str]()
    ends = torch.tensor(list(lm.tokenizer.ends), dtype=torch.long)  # a model may have none
    begin = lm.tokenizer.lead
    opening = begin or lm.tokenizer.encode(OPENING)  # a model may have no token to begin with
    longest = min(256, lm.config.context - len(opening))
    while len(lm.tokenizer.encode("\n\n".join(parts))) < tokens:
        count = min(32, tokens // 100 + 1)
        cache, last, drawn = lm.new_cache(), torch.tensor([opening]).expand(count, -1), []
        for _ in range(longest):
            best = (lm(last, cache)[:, -1] / temperature).topk(top_k)
            choice = torch.multinomial(best.values.softmax(-1), 1, generator=generator)
            last = best.indices.gather(1, choice)
            drawn.append(last)
            if len(drawn) > 1 and torch.isin(torch.cat(drawn, 1), ends).any(1).all():
                break
        rows = [[*opening[len(begin) :], *row] for row in torch.cat(drawn, 1).tolist()]
        told = [lm.tokenizer.decode(takewhile(lambda i: i not in lm.tokenizer.ends, row)).strip() for row in rows]
        parts += [story for story in told if story] or ["The end."]  # a model may stop at once: no endless loop
    return lm.tokenizer.decode(lm.tokenizer.encode("\n\n".join(parts))[: tokens - 1])


# --- parts ---------------------------------------------------------------------------------------


def _take(mass: Tensor, index: Tensor) -> Tensor:
    """What lies on the first index[r, n] keys, none where that is negative, from running sums [H, R, S]: [H, R, N]."""
    last = (index - 1).clamp(min=0).expand(*mass.shape[:-1], index.shape[-1])
    return mass.gather(-1, last) * (index > 0)


def _far_look(p: Tensor, where: Tensor) -> Tensor:
    """The largest weight on one token FAR or more back but the first, [H, r], of the r queries that have such."""
    able = where > FAR
    near = torch.arange(p.shape[-1]) > where[able, None] - FAR
    return p[:, able].masked_fill(near, 0)[..., 1:].amax(-1)


def _pool_rows(strips_of: Tensor, where: Tensor, edges: list[tuple[int, int]]) -> Tensor:
    """The largest of each bin of rows, [H, n, n], from column-pooled rows [H, R, n] that stand at `where`."""
    pictures = strips_of.new_zeros(strips_of.shape[0], len(edges), len(edges))
    for i, (start, stop) in enumerate(edges):
        inside = (where >= start) & (where < stop)
        if inside.any():
            pictures[:, i] = strips_of[:, inside].amax(1)
    return pictures
