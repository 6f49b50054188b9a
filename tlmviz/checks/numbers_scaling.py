"""The identities behind the page Scaling, on the products of a model's matrices with what they read of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from tlmviz.analysis.numbers import scaling
from tlmviz.analysis.numbers.rounded_model import Matrix, Setting, Simulator
from tlmviz.analysis.numbers.scaling import CHANNEL, TENSOR, Scaled, Scheme

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

MOST = 24  # products that are looked at, spread evenly over the model
ROUNDING = 1e-5  # relative: float32 sums of a few thousand products, in another order
HALF = 3e-5  # of half a step: what float32 may add to the 127th step


def _ids(lm: LanguageModel, text: str) -> tuple[LanguageModel, list[int]]:
    return lm, lm.encode(text)


def _chosen(simulator: Simulator) -> set[Matrix]:
    places = np.linspace(0, len(simulator.matrices) - 1, min(MOST, len(simulator.matrices)))
    return {simulator.matrices[int(place)] for place in places.round()}


def _products(lm: LanguageModel, ids: list[int]) -> list[tuple[Tensor, Tensor]]:
    """X [T, K] and W [N, K] of some products of a pass."""
    simulator, found = Simulator(lm), []
    chosen = _chosen(simulator)
    simulator.reading(ids, lambda x, matrix: found.append((x, matrix.weight.detach())) if matrix in chosen else None)
    return found


@identity(
    "O = O_s / (S_X S_W)",
    "scaled, multiplied and divided by both scales, without rounding: the product itself",
    ROUNDING,
    "max relative",
    when=is_language_model,
    inputs=_ids,
)
def scales_divide_out(lm: LanguageModel, ids: list[int]) -> float:
    """Products of operands under the scales of E4M3 per channel, but not rounded, against the plain products."""
    worst = 0.0
    for x, w in _products(lm, ids):
        steps = [scaling.scaled(each, Scheme("e4m3", CHANNEL)).step for each in (x, w)]
        wide = [Scaled(each / step, step, Scheme("fp32", CHANNEL)) for each, step in zip((x, w), steps)]
        exact = x @ w.T
        worst = max(worst, _relative(scaling.product(*wide), exact))
    return worst


@identity(
    "Within half a step",
    "INT8: no number is off by more than half a step of its channel, and no channel's step exceeds the tensor's",
    HALF,
    "share beyond",
    when=is_language_model,
    inputs=_ids,
)
def within_half_a_step(lm: LanguageModel, ids: list[int]) -> float:
    """The largest error of each channel of X and W against half its step, and its step against that of the tensor."""
    worst = 0.0
    for matrix in (each for pair in _products(lm, ids) for each in pair):
        own, all_one = (scaling.scaled(matrix, Scheme("int8", per)) for per in (CHANNEL, TENSOR))
        error = (own.restored - matrix).abs().amax(-1, keepdim=True)
        beyond = torch.maximum(error / (own.step / 2), own.step / all_one.step) - 1
        worst = max(worst, float(beyond.max()))
    return worst


@identity(
    "INT8 = NumPy's integers",
    "products of the INT8 pass, computed again in NumPy with integers of 64 bits",
    ROUNDING,
    "max relative",
    when=is_language_model,
    inputs=_ids,
)
def integers_are_numpys(lm: LanguageModel, ids: list[int]) -> float:
    """Products of a pass in INT8, a scale for each channel, against NumPy: codes, integer product and rescaling."""
    simulator, worst = Simulator(lm), 0.0
    chosen = _chosen(simulator)

    def look(x: Tensor, matrix: Matrix, out: Tensor) -> None:
        nonlocal worst
        if matrix in chosen:
            exact = torch.from_numpy(_in_numpy(x.numpy(), matrix.weight.detach().numpy()))
            worst = max(worst, _relative(out, exact))

    with torch.inference_mode(), simulator.rounding(Setting(Scheme("int8", CHANNEL)), look):
        simulator.lm.network(torch.tensor([ids]))
    return worst


def _in_numpy(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    steps = [np.maximum(np.abs(each).max(-1, keepdims=True), 1e-30) / np.float32(127) for each in (x, w)]
    codes = [np.rint(each / step).astype(np.int64) for each, step in zip((x, w), steps)]
    return np.asarray((codes[0] @ codes[1].T) * steps[0].astype(np.float64) * steps[1].T)


def _relative(found: Tensor, exact: Tensor) -> float:
    """The largest difference over the largest number."""
    return float((found.double() - exact.double()).abs().max() / exact.abs().max().clamp(min=1e-30))


ALL = scales_divide_out, within_half_a_step, integers_are_numpys
