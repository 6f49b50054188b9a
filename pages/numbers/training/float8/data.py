"""Everything that the part FP8 shows: steps of training in 8 bits beside the same steps in FP32."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.numbers import float8
from tlmviz.analysis.numbers.float8 import Kept, Run, Scales
from tlmviz.analysis.numbers.loss_scaling import LARGE
from tlmviz.errors import BadText
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import Float8


@dataclass(frozen=True)
class Data:
    """A run in 8 bits, and what it is held against."""

    chosen: Float8

    @cached(16)
    def run(model: str, text: str | None, scaling: str, window: str) -> Run:
        """The chosen run. Raises BadText, also for a model that is too large to train while somebody waits."""
        lm = compute.model(model)
        if lm.n_parameters >= LARGE:
            raise BadText(
                "{model} has {count} M parameters, and steps of training take minutes there; choose a model below "
                "{most} M, such as zoo-rope.",
                model=model,
                count=round(lm.n_parameters / 1e6),
                most=LARGE // 1_000_000,
            )
        rows = float8.batches(lm, text)
        scales = Scales(scaling, int(window)) if scaling else None
        return compute.run_in_worker(lambda: float8.train(lm, rows, scales), rows.numel(), gradients=True)

    @property
    def plain(self) -> Run:
        """The same steps in FP32."""
        return Data.run(self.chosen.model, self.chosen.text, "", "0")

    @property
    def tensors(self) -> list[str]:
        """The tensors that are rounded, in the order of the pass."""
        return list(self.run.tensors)

    @property
    def tensor(self) -> str:
        """The one that is looked at."""
        return self.chosen.tensor if self.chosen.tensor in self.run.tensors else opening(self.tensors)

    @property
    def kept(self) -> Kept:
        """That tensor through the run."""
        return self.run.tensors[self.tensor]

    @cached_property
    def vanished(self) -> float:
        """The mean share of a gradient's numbers that become 0, over tensors and steps."""
        return float(np.mean([kept.vanished for kept in self.run.gradients()]))

    @cached_property
    def cut(self) -> tuple[int, int]:
        """How many times something was cut to its scale's room, and how many times a tensor was rounded; first steps
        left out."""
        found = [kept.cut[1:] > 0 for kept in self.run.tensors.values()]
        return int(np.sum(found)), int(np.size(found))


def opening(tensors: list[str]) -> str:
    """The last feed-forward gradient: it lies far below what E5M2 keeps without a scale."""
    return next(name for name in reversed(tensors) if name.endswith(".g") and ".mlp." in name)
