"""The streams themselves: their lengths and angles through depth, what sublayers read and wrote, and passes without
one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import combinations

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from tlmviz.analysis.attention.interventions import Edits
from tlmviz.errors import UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, recording
from tlmviz.tracing.trace import Recording, Trace

from .mixing import mixing_of, places
from .unrolled import output_taps, state_taps

BATCH_TOKENS = 2048  # of all texts in one pass with a stream muted: what fits a CPU's cache several times over


@dataclass(frozen=True)
class Journey:
    """N streams of T tokens: at P + 1 places (embedding, after each sublayer) and in P sublayers."""

    norms: Float[np.ndarray, "places t n"]
    cosines: Float[np.ndarray, "places t pairs"]  # in the order of `pairs`
    pre: Float[np.ndarray, "p t n"]
    share: Float[np.ndarray, "p t n"]  # of each stream's weighted vector in what was read, along it: they sum to 1
    post: Float[np.ndarray, "p t n"]
    added: Float[np.ndarray, "p t n"]  # length of what was added to each stream

    def at(self, tokens: slice) -> Journey:
        """The same for some of the tokens."""
        return Journey(**{field.name: getattr(self, field.name)[:, tokens] for field in fields(self)})


def pairs(streams: int) -> list[tuple[int, int]]:
    """Every two streams."""
    return list(combinations(range(streams), 2))


def journey_taps(layers: int, streams: bool) -> list[str]:
    """The taps that `journey` reads; with `streams` those of the connections too."""
    joins = (
        [f"{place}.{part}" for place in places(layers) for part in ("pre", "post", "res", "read")] if streams else []
    )
    return [*state_taps(layers), *output_taps(layers), "embed", *joins]


def journey(trace: Trace) -> Journey:
    """The streams of a traced text. A plain residual connection has one, which every sublayer reads whole."""
    layers, mixed = trace.n_layers, mixing_of(trace)
    several = f"{places(1)[0]}.read" in trace.tap_names
    found = trace.tensors(journey_taps(layers, several))
    states = torch.cat([found[name] for name in state_taps(layers)]).float()  # [P + 1, T, N, C]
    states = states if several else states[..., None, :]
    outputs = torch.cat([found[name] for name in output_taps(layers)]).float()  # [P, T, C]
    weighted = mixed.pre[..., None] * states[:-1]  # [P, T, N, C]
    read = torch.cat([found[f"{place}.read"] for place in places(layers)]).float() if several else states[:-1, :, 0]
    share = (weighted * read[..., None, :]).sum(-1) / read.square().sum(-1, keepdim=True).clamp(min=1e-30)
    n = states.shape[2]
    towards = F.normalize(states, dim=-1)
    each = [(towards[:, :, a] * towards[:, :, b]).sum(-1) for a, b in pairs(n)]
    cosines = torch.stack(each, -1) if each else states.new_zeros(*states.shape[:2], 0)
    added = mixed.post.abs() * outputs.norm(dim=-1, keepdim=True)
    parts = (states.norm(dim=-1), cosines, mixed.pre, share, mixed.post, added)
    return Journey(*(part.float().numpy() for part in parts))


def mute_stream(layers: int, stream: int, start: int = 0) -> Edits:
    """Edits for `lm.trace` that keep a stream at zero from place `start` on: 0 is the embedding, p + 1 behind sublayer
    p.

    What the sublayers write into it is lost at once, and the head's mean still divides by all streams. Raises
    UnknownName for a place or a stream that does not exist.
    """
    names = state_taps(layers)
    if not 0 <= start < len(names):
        raise UnknownName(
            f"There is no place {start} to mute a stream from; this network has places 0 to {len(names) - 1}."
        )

    def edit(x: Tensor, record: Recording) -> Tensor:  # [B, T, N, C], or [B, T, C] for one stream
        count = x.shape[2] if x.ndim == 4 else 1
        if not 0 <= stream < count:
            raise UnknownName(f"There is no stream {stream}; this network has streams 0 to {count - 1}.")
        return torch.zeros_like(x) if x.ndim == 3 else _without(x, stream)

    return {name: edit for name in names[start:]}


def muted_losses(
    lm: LanguageModelLike, ids: list[int], cases: list[tuple[int, int]]
) -> Float[Tensor, "cases t_minus_1"]:
    """Loss per token in nats with each (stream, start) of `cases` muted as by `mute_stream`, several cases per pass."""
    layers, tokens = lm.config.n_layers, len(ids)
    names = state_taps(layers)
    size = max(1, BATCH_TOKENS // tokens)
    losses = []
    for first in range(0, len(cases), size):
        part = cases[first : first + size]

        def muting(place: int, part: list[tuple[int, int]] = part) -> Edit:
            def edit(x: Tensor, record: Recording) -> Tensor:
                x = x.clone()
                for row, (stream, start) in enumerate(part):
                    if start <= place:
                        (x[row] if x.ndim == 3 else x[row, :, stream]).zero_()
                return x

            return edit

        edits = {name: muting(place) for place, name in enumerate(names)}
        with torch.inference_mode(), recording(lambda name: False, edits):
            logits = lm(torch.tensor([ids] * len(part)))
        targets = torch.tensor(ids[1:]).expand(len(part), -1)
        losses.append(F.cross_entropy(logits[:, :-1].float().mT, targets, reduction="none"))
    return torch.cat(losses)


def _without(x: Float[Tensor, "b t n c"], stream: int) -> Float[Tensor, "b t n c"]:
    x = x.clone()
    x[:, :, stream] = 0.0
    return x
