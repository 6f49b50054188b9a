"""Identities of models that point: the hull's pointer network and the pointer-sentinel mixture (004 section 7.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float

from ..facades.hull import distinct, read_points
from .registry import identity

if TYPE_CHECKING:
    from ..facades.hull import Drawing, HullFinder
    from ..facades.mixture import Mixture, MixtureModel

Points = Float[np.ndarray, "n 2"]
SHIFTS = (-2.0, -0.5, 0.5, 2.0)  # of the sentinel's score; farther ones magnify what rounding does to 1 − g
ALL = 1e4  # a shift that leaves the words nothing


def draws_hulls(model: Any) -> bool:
    """Whether the model points at the corners of convex hulls."""
    return bool(model.task == "hull")


def mixes(model: Any) -> bool:
    """Whether the model's prediction is a mixture of its vocabulary and a pointer."""
    return bool(model.task == "mixture")


def copies(model: Any) -> bool:
    """Whether that mixture has a pointer."""
    return mixes(model) and model.config.pointer


def drawn(finder: HullFinder, text: str) -> tuple[HullFinder, Points, Drawing]:
    """(finder, points, drawing): the hull of points "x y, x y, ...". Raises BadShape."""
    points = read_points(text)
    return finder, points, finder.draw(points)


def mixed(model: MixtureModel, text: str) -> tuple[MixtureModel, str, Mixture]:
    """(model, text, mixture). Raises BadText."""
    return model, text, model.mixture(text)


@identity(
    "Pointing sums to 1", "each step's weights over points and end sum to 1", 1e-5, when=draws_hulls, inputs=drawn
)
def pointing_sums_to_one(finder: HullFinder, points: Points, drawing: Drawing) -> float:
    return float(np.abs(drawing.attention.sum(1) - 1).max())


@identity("Never back", "no step's weight on a visited point", 0.0, when=draws_hulls, inputs=drawn)
def never_back(finder: HullFinder, points: Points, drawing: Drawing) -> float:
    """Measured on rows before the end: behind step t lie the points of steps 0 to t."""
    back = [drawing.attention[t + 1 :, point] for t, point in enumerate(drawing.order)]
    return float(max((weights.max() for weights in back if len(weights)), default=0.0))


@identity(
    "Pointing = one pass",
    "weights step by step equal those of one pass over the finished hull",
    1e-4,
    when=draws_hulls,
    inputs=drawn,
)
@torch.inference_mode()
def steps_equal_one_pass(finder: HullFinder, points: Points, drawing: Drawing) -> float:
    """The pass is the one that training makes; it is given each different point once, as `draw` reads them."""
    read = distinct(points)
    shown = torch.from_numpy(points[read])[None]
    order = torch.from_numpy(np.append(np.searchsorted(read, drawing.order), len(read)))[None]
    once = finder.network(shown.float(), order.to(finder.device)).softmax(-1)[0].cpu().numpy()
    return float(np.abs(once - drawing.attention[:, [*read, -1]]).max())


@identity("Mixture sums to 1", "each position's mixed probabilities sum to 1", 1e-5, when=mixes, inputs=mixed)
def mixture_sums_to_one(model: MixtureModel, text: str, mix: Mixture) -> float:
    return float(np.abs(mix.mixed.sum(1, dtype=np.float64) - 1).max())


@identity(
    "p = g p_vocab + (1 − g) p_ptr",
    "the mixture of gate, vocabulary and pointer, word by word, in float64",
    1e-6,
    when=mixes,
    inputs=mixed,
)
def mixture_is_its_formula(model: MixtureModel, text: str, mix: Mixture) -> float:
    """004 Eq. 53."""
    g = mix.gate.astype(np.float64)[:, None]
    copied = np.zeros(mix.mixed.shape)
    for place, column in enumerate(mix.ids):
        copied[:, column] += mix.pointer[:, place]
    return float(np.abs(g * mix.vocabulary + (1 - g) * copied - mix.mixed).max())


@identity("Pointer reads back", "pointer rows sum to 1, with nothing on words to come", 1e-5, when=copies, inputs=mixed)
def pointer_reads_back(model: MixtureModel, text: str, mix: Mixture) -> float:
    return float(max(np.abs(mix.pointer.sum(1) - 1).max(), np.triu(mix.pointer, 1).max()))


@identity("g = 1: p = p_vocab", "with all weight on the sentinel, the vocabulary's own", 1e-6, when=mixes, inputs=mixed)
def all_gate_is_the_vocabulary(model: MixtureModel, text: str, mix: Mixture) -> float:
    full = model.mixture(text, sentinel=ALL)
    return float(max(np.abs(full.gate - 1).max(), np.abs(full.mixed - mix.vocabulary).max()))


@identity(
    "Sentinel moves g",
    "a sentinel's score moved by d makes g e^d / (g e^d + 1 − g) of g",
    1e-5,
    when=copies,
    inputs=mixed,
)
def sentinel_moves_the_gate(model: MixtureModel, text: str, mix: Mixture) -> float:
    """The softmax's own formula, for scores moved down and up (SHIFTS)."""
    g = mix.gate.astype(np.float64)
    errors = [np.abs(model.mixture(text, sentinel=d).gate - g * np.exp(d) / (g * np.exp(d) + 1 - g)) for d in SHIFTS]
    return float(np.max(errors))
