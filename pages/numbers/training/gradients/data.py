"""Everything that the part Gradients shows: every tensor's gradients by size, and the same step really run in FP16."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch

from tlmviz.analysis import precomputed
from tlmviz.analysis.numbers import loss_scaling
from tlmviz.analysis.numbers.formats import Format, find
from tlmviz.analysis.numbers.loss_scaling import Counts, Pass, Scaled
from tlmviz.checks import Check
from tlmviz.checks import numbers_loss_scaling as checks
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from .state import Gradients

PASSES = tuple(range(-16, 29, 4))  # k of the steps that are really run in FP16
OUTSIDE = "outside"  # the row of tensors outside the blocks
COUNTS = "loss scaling: counts"  # the question of which the default's answers are shipped
_IN_BLOCK = re.compile(r"blocks\.(\d+)\.(.+)")


@dataclass(frozen=True)
class Data:
    """The gradients of one training step, by size."""

    chosen: Gradients

    @property
    def lm(self) -> LanguageModel:
        """The model."""
        return compute.model(self.chosen.model)

    @property
    def format(self) -> Format:
        """What they are kept in."""
        return find(self.chosen.format)

    @cached(compute.KEPT_MODELS)
    def counts(model: str, text: str | None, kind: str) -> dict[str, Counts]:
        """Every tensor's gradients by size. Raises BadText."""
        lm, ids = compute.model(model), ids_of(model, text)

        def work() -> precomputed.Arrays:
            found = loss_scaling.gradients(lm, ids, kind)
            return loss_scaling.as_arrays({name: loss_scaling.count(each) for name, each in found.items()})

        asked = (ids.tolist(), kind)
        answer = precomputed.ready(lm, COUNTS, asked, lambda: run_in_worker(work, ids.numel(), gradients=True))
        return loss_scaling.from_arrays(answer)

    @property
    def part(self) -> str:
        """The tensor that is looked at, "" for all of them."""
        return self.chosen.part if self.chosen.part in self.counts else ""

    @cached_property
    def sizes(self) -> Counts:
        """The gradients of the tensor, or of all."""
        return self.counts[self.part] if self.part else loss_scaling.together(list(self.counts.values()))

    def shares(self, k: int | None = None) -> Scaled:
        """What the format makes of them, times 2 to the power of k."""
        return loss_scaling.scaled(self.sizes, self.format, self.chosen.k if k is None else k)

    @cached_property
    def safe(self) -> tuple[int, int] | None:
        """The least and the largest safe scale, as powers of two."""
        return loss_scaling.safe_scales(self.sizes, self.format)

    @property
    def grid(self) -> dict[str, Any]:
        """Where each tensor's cell stands: rows are layers, columns what the tensors are for; those outside the
        blocks have a row of their own, and names of their own."""
        columns: dict[str, int] = {}
        rows = max((int(found[1]) for found in map(_IN_BLOCK.match, self.counts) if found), default=-1) + 1
        parts: list[dict[str, Any]] = []
        outside: list[str] = []
        for name, sizes in self.counts.items():
            if found := _IN_BLOCK.match(name):
                short = found[2].removesuffix(".weight")
                row, column = int(found[1]), columns.setdefault(short, len(columns))
            else:
                row, column = rows, len(outside)
                outside.append(name.removesuffix(".weight"))
            shape = {"lowest": sizes.lowest, "rows": len(sizes.by_size), "zeros": sizes.zeros, "broken": sizes.broken}
            parts.append({"name": name, "row": row, "column": column, **shape})
        return {
            "parts": parts,
            "rows": [*map(str, range(rows)), *([OUTSIDE] if outside else [])],
            "names": [*columns, *[""] * max(0, len(outside) - len(columns))],
            "outside": outside,
        }

    @property
    def halves(self) -> dict[str, np.ndarray]:
        """All counts, which go beyond what 16 bits or a float32 hold."""
        every = np.concatenate([sizes.by_size.ravel() for sizes in self.counts.values()])
        return {"low": (every & 0xFFFF).astype(np.uint16), "high": (every >> 16).astype(np.uint16)}

    @cached(8)
    def passes(model: str, text: str | None) -> list[Pass]:
        """The step on the first row of the batch, run in FP16 for each of PASSES."""
        lm, ids = compute.model(model), ids_of(model, text)[:1]
        return run_in_worker(lambda: loss_scaling.in_half(lm, ids, PASSES), ids.numel(), gradients=True)

    @cached(8)
    def checks(model: str, text: str | None) -> list[Check]:
        """The identities behind scaled gradients and master weights, on this step."""
        lm, ids = compute.model(model), ids_of(model, text)
        return run_in_worker(
            lambda: [checks.counted_shares(lm, ids), checks.scaled_back(lm, ids), checks.right_in_the_mean(lm, ids)],
            ids.numel(),
            gradients=True,
        )


def ids_of(model: str, text: str | None) -> torch.Tensor:
    """What a step reads: stories, or a text."""
    return loss_scaling.batch(compute.model(model), text)
