"""Everything that the part One number shows: the number in every format, and the loaded model's numbers on a text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.numbers import model_values
from tlmviz.analysis.numbers.formats import BY_KEY, FORMATS, Format, overflows, read, rounded
from tlmviz.analysis.numbers.model_values import Fates
from tlmviz.checks import Check
from tlmviz.checks import numbers_formats as checks
from tlmviz.errors import BadText
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import Bits


@dataclass(frozen=True)
class Data:
    """A number and what formats keep of it."""

    chosen: Bits

    @property
    def format(self) -> Format:
        """The chosen format."""
        return BY_KEY[self.chosen.format]

    @cached_property
    def x(self) -> float:
        """What is typed; NaN also for bits that are too many for the format."""
        try:
            return read(self.chosen.number, self.format)
        except BadText:
            return math.nan

    @cached_property
    def kept(self) -> dict[str, float]:
        """The number in every format, by its key; NaN where the format makes that of it."""
        return {format.key: float(rounded(self.x, format)) for format in FORMATS}

    @property
    def mine(self) -> float:
        """The chosen format's."""
        return self.kept[self.chosen.format]

    @property
    def holding(self) -> list[Format]:
        """The formats that hold the number exactly."""
        return [format for format in FORMATS if self.kept[format.key] == self.x]

    @property
    def too_large(self) -> bool:
        """Whether the number lies beyond the chosen format."""
        return bool(overflows(self.x, self.format))

    @property
    def next_to(self) -> tuple[float, float]:
        """The chosen format's numbers next below and above its own; infinite where there is none."""
        format, found = self.format, []
        _, exponent = np.frexp(abs(self.mine))
        step = float(np.ldexp(1.0, max(int(exponent) - 1, format.least) - format.mantissa))
        for way in (-1.0, 1.0):
            # Below a power of two the numbers lie twice as close.
            near = float(rounded(self.mine + way * step / 2, format))
            other = near if near != self.mine else float(rounded(self.mine + way * step, format))
            found.append(other if abs(other) <= format.largest and other != self.mine else way * math.inf)
        return found[0], found[1]


@dataclass(frozen=True)
class Numbers:
    """A model's weights, activations and gradients on a text."""

    chosen: Bits

    @property
    def name(self) -> str:
        """The chosen format's."""
        return BY_KEY[self.chosen.format].name

    @cached(8)
    def values(model: str, text: str) -> dict[str, np.ndarray]:
        """Numbers of each kind. Raises BadText."""
        lm = compute.model(model)
        ids = lm.encode(text)
        return compute.run_in_worker(lambda: model_values.values(lm, ids), len(ids), gradients=True)

    @cached(24)
    def fates(model: str, text: str, kind: str) -> dict[str, Fates]:
        """What every format makes of the chosen kind, by its name."""
        found = Numbers.values(model, text)[kind]
        return compute.run_in_worker(lambda: {each.name: model_values.fates(found, each) for each in FORMATS})

    @cached(8)
    def checks(model: str, text: str) -> list[Check]:
        """The identities behind this part, on the model's weights."""
        lm = compute.model(model)
        return compute.run_in_worker(lambda: [checks.rounding_is_torchs(lm, text), checks.fates_add_up(lm, text)])
