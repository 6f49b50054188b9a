"""RoPE plane by plane: how each pair of dimensions turns, what it adds to a score, and the rotation step by step.

Letters as in `layers`: T positions, D head dimension, H heads; P = D / 2 planes, L layers, N steps of a slider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.config import ModelConfig
from tlmviz.errors import BadConfig, BadShape, UnknownName
from tlmviz.tracing.trace import Trace

MOVES = ("both", "query", "key")
INSTEAD = {
    "learned": "learned positions",
    "sinusoidal": "sinusoidal positions",
    "alibi": "ALiBi",
    "relative": "relative positions",
    "none": "no positions",
}
REACH = 32  # steps to each side of the true positions, at most
DRAWN = 640  # planes times steps to one side that a browser is sent


def has_planes(config: ModelConfig) -> bool:
    """Whether one unscaled RoPE turns every query and key as a whole; latent attention turns a part of its own."""
    return _is_rope(config) and config.attention.latent_dim is None and not _differs(config)


def own_base(config: ModelConfig) -> float:
    """The base of a model's RoPE. Raises BadConfig for a model whose queries and keys are not turned as a whole."""
    if not has_planes(config):
        if _is_rope(config) and _differs(config):
            raise BadConfig(
                f"{config.name} has RoPE that is scaled, partial, in another layout or different from layer to layer; "
                "choose a model that turns its queries and keys by one base."
            )
        kind = INSTEAD.get(config.positions.kind, "decoupled RoPE beside its latent vectors")
        raise BadConfig(
            f"{config.name} has {kind}, so RoPE does not turn its queries and keys; choose a model where it does."
        )
    return config.layer(0).rope_base or config.positions.rope_base


def _is_rope(config: ModelConfig) -> bool:
    return config.positions.kind == "rope"


def _differs(config: ModelConfig) -> bool:
    positions = config.positions
    whole = (positions.layout, positions.scaling, positions.rotary_dim) == ("interleaved", "none", None)
    return not (whole and config.one_rope)


def checked_base(base: float) -> float:
    """The base as a number above 1. Raises BadConfig."""
    if not (math.isfinite(base) and base > 1):
        raise BadConfig(
            "The base is {base}; give a number above 1, such as 10000: at 1 every plane turns equally fast, at 0 or "
            "below there is no angle.",
            base=f"{base:g}",
        )
    return float(base)


def frequencies(dim: int, base: float) -> np.ndarray:
    """Radians per token of each plane, base^(-2j/dim), [P], float64 (000 Eq. 47). Raises BadShape on an odd `dim`."""
    if dim % 2:
        raise BadShape(f"RoPE rotates pairs of dimensions; {dim} is odd.")
    return float(base) ** (-np.arange(0, dim, 2) / dim)


def head_vectors(trace: Trace, layer: int, head: int, base: float | None) -> tuple[Tensor, Tensor]:
    """One head's queries and keys before RoPE, [T, D] each: those of the trace turned back; base None: never turned."""
    q, k, _ = trace.qk(layer, head)
    return turned(q, k, base, -1)


def turned(
    q: Float[Tensor, "t d"], k: Float[Tensor, "t d"], base: float | None, direction: int = 1
) -> tuple[Tensor, Tensor]:
    """Queries and keys turned by positions 0 to T - 1, [T, D] each, or turned back by direction -1; base None turns
    nothing."""
    if base is None:
        return q, k
    where = direction * torch.arange(len(q))
    return kernels.rope(q, where, base), kernels.rope(k, where, base)


# --- clocks -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clocks:
    """One query and one key at N pairs of positions, plane by plane."""

    positions: np.ndarray  # [N, 2], of the query and of the key
    q: np.ndarray  # [N, P, 2], rotated
    k: np.ndarray
    parts: np.ndarray  # [N, P], what each plane adds to the score: |q_j| |k_j| cos(angle between them) * scale
    frequency: np.ndarray  # [P], radians per token
    home: int  # the step that stands at the true positions

    @property
    def scores(self) -> np.ndarray:
        """The score at each step, [N]: the sum over the planes."""
        return self.parts.sum(1)

    @property
    def wavelength(self) -> np.ndarray:
        """Tokens per full turn, [P]."""
        return 2 * np.pi / self.frequency


def clocks(
    q: Float[Tensor, " d"],
    k: Float[Tensor, " d"],
    where: tuple[int, int],
    base: float,
    *,
    scale: float | None = None,
    moves: str = "both",
    stride: int = 1,
    reach: int | None = None,
) -> Clocks:
    """An unrotated query and key turned by the kernel at their positions `where` and at steps of `stride` tokens around
    them.

    `moves` says whose position changes. There are `reach` steps to each side, by default fewer for large heads; no
    position becomes negative, so there may be fewer steps back than forward. Raises UnknownName, BadShape (odd D).
    """
    if moves not in MOVES:
        raise UnknownName(f"There is no move {moves!r}; choose one of {', '.join(MOVES)}.")
    reach = max(6, min(REACH, 2 * DRAWN // max(1, len(q)))) if reach is None else reach
    moving = np.array([moves != "key", moves != "query"])
    back = min(reach, int(np.array(where)[moving].min()) // stride)
    offsets = stride * np.arange(-back, reach + 1)
    positions = np.array(where) + offsets[:, None] * moving
    scale = len(q) ** -0.5 if scale is None else scale
    turned = [
        kernels.rope(x.expand(len(offsets), -1), torch.from_numpy(at), base).unflatten(-1, (-1, 2))
        for x, at in ((q, positions[:, 0]), (k, positions[:, 1]))
    ]
    parts = (turned[0] * turned[1]).sum(-1) * scale
    return Clocks(positions, turned[0].numpy(), turned[1].numpy(), parts.numpy(), frequencies(len(q), base), back)


# --- the rotation, step by step ----------------------------------------------------------------------


@dataclass(frozen=True)
class Rotation:
    """Every matrix between x and its rotation (000 Eq. 47-58), in the order of the code."""

    positions: np.ndarray  # [T]
    frequency: np.ndarray  # [P]
    angles: np.ndarray  # [T, P], radians
    cos: np.ndarray
    sin: np.ndarray
    x: np.ndarray  # [T, D]
    first: np.ndarray  # [T, P], the first of each pair of dimensions, and the second
    second: np.ndarray
    new_first: np.ndarray
    new_second: np.ndarray
    out: np.ndarray  # [T, D]
    pairs: np.ndarray  # [P, 2], the dimensions of each plane


def rotation(x: Float[Tensor, "t d"], base: float, layout: str = "interleaved", start: int = 0) -> Rotation:
    """RoPE of x, whose rows stand at positions `start` and on, with everything in between. Raises UnknownName,
    BadShape."""
    if layout not in kernels.LAYOUTS:
        raise UnknownName(f"There is no layout {layout!r}; choose one of {', '.join(kernels.LAYOUTS)}.")
    length, dim = x.shape
    where, frequency = torch.arange(start, start + length), frequencies(dim, base)
    cos, sin = kernels.angle_table(where, dim, base)
    pairs = plane_dimensions(dim, layout)
    first, second = x[:, pairs[:, 0]], x[:, pairs[:, 1]]
    new_first, new_second = first * cos - second * sin, first * sin + second * cos
    out = torch.empty_like(x)
    out[:, pairs[:, 0]], out[:, pairs[:, 1]] = new_first, new_second
    angles = where.double().numpy()[:, None] * frequency
    return Rotation(
        where.numpy(),
        frequency,
        angles,
        cos.numpy(),
        sin.numpy(),
        x.numpy(),
        first.numpy(),
        second.numpy(),
        new_first.numpy(),
        new_second.numpy(),
        out.numpy(),
        pairs,
    )


def plane_dimensions(dim: int, layout: str) -> np.ndarray:
    """The two dimensions of each plane, [P, 2]: (2j, 2j + 1) interleaved, (j, j + P) half-split."""
    planes = np.arange(dim // 2)
    ends = (2 * planes, 2 * planes + 1) if layout == "interleaved" else (planes, planes + dim // 2)
    return np.stack(ends, 1)


# --- what a trained head uses ------------------------------------------------------------------------


def energy(trace: Trace) -> Float[np.ndarray, "l h p"]:
    """How far each plane could move a score: |q_j| |k_j| * scale, averaged over all pairs of the text that the head
    sees.

    [L, H, P]. Rotation keeps lengths, so this needs no positions.
    """
    return np.stack([_layer_energy(trace, layer) for layer in range(trace.n_layers)])


def _layer_energy(trace: Trace, layer: int) -> np.ndarray:
    spec = trace.specs[layer]
    # [H, T, P].
    q, k = (trace[f"blocks.{layer}.attn.{part}"][0].unflatten(-1, (-1, 2)).norm(dim=-1) for part in ("q", "k"))
    k = k.repeat_interleave(len(q) // len(k), 0).double()
    seen = k.cumsum(1)  # lengths of all keys up to a position
    width = len(trace) if spec.mask.window is None else min(spec.mask.window, len(trace))
    seen[:, width:] -= seen.clone()[:, :-width]
    keys = torch.arange(1, len(trace) + 1).clamp(max=width).sum()
    return ((q * seen).sum(1) / keys * spec.scale).float().numpy()


def spread(trace: Trace, layer: int, head: int) -> Float[np.ndarray, " p"]:
    """How far each plane tells keys apart: the standard deviation of what it adds to a query's scores over the keys the
    query sees, averaged over the queries that see two or more, [P]. What it adds to all alike, the softmax takes out.
    """
    q, k, _ = trace.qk(layer, head)
    spec, where = trace.specs[layer], torch.arange(len(trace))
    distance = where[:, None] - where
    seen = (distance >= 0) & (distance < (spec.mask.window or len(trace)))
    count = seen.sum(1, keepdim=True)
    several = count[:, 0] > 1
    found = []
    for one, other in zip(q.unflatten(-1, (-1, 2)).unbind(1), k.unflatten(-1, (-1, 2)).unbind(1)):
        part = (one @ other.T * spec.scale).masked_fill(~seen, 0)
        mean = part.sum(1, keepdim=True) / count
        deviation = (((part - mean) ** 2).masked_fill(~seen, 0).sum(1, keepdim=True) / count).sqrt()
        found.append(deviation[several].mean() if several.any() else deviation.new_zeros(()))
    return torch.stack(found).numpy()


def mean_by_distance(
    q: Float[Tensor, "t d"], k: Float[Tensor, "t d"], scale: float, window: int | None = None
) -> Float[np.ndarray, " n"]:
    """The mean score of the pairs that stand 0, 1, 2, ... tokens apart, the key first, up to the window or the text's
    end."""
    length = len(q)
    scores = (q @ k.T * scale).double()
    where = torch.arange(length)
    distance = where[:, None] - where
    seen = distance >= 0
    sums = torch.zeros(length, dtype=torch.float64).index_add(0, distance[seen], scores[seen])
    means = sums / torch.arange(length, 0, -1)
    return means[: window or length].float().numpy()


def mean_of_all_pairs(
    q: Float[Tensor, "t d"], k: Float[Tensor, "t d"], base: float | None, distances: int, scale: float
) -> Float[np.ndarray, " n"]:
    """The mean score if every key of the text stood 0, 1, 2, ... tokens before every query: what position alone
    prefers.

    Vectors are unrotated; base None turns nothing. A score is linear in q and in k, so their means say it all.
    """
    mean_q, mean_k = q.mean(0), k.mean(0)
    queries = mean_q.expand(distances, -1)
    if base is not None:
        queries = kernels.rope(queries, torch.arange(distances), base)
    return (queries @ mean_k * scale).numpy()
