"""Everything that the part Calculator shows: bytes of any published or bundled shape, by formula."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.checks import Check
from tlmviz.checks.caches_sizes import formula_is_nbytes
from tlmviz.networks.transformer import n_parameters
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import LARGE, Deployment

LEAST, CHECKED = 64, 256  # positions of the real cache that the formula is held to
GB = 1e9


@dataclass(frozen=True)
class Data:
    """A deployment of a shape."""

    chosen: Deployment

    @cached_property
    def own(self) -> tuple[Shape, ...]:
        """The bundled models as shapes of the calculator."""
        return tuple(Shape.of(config, n_parameters(config)) for config in shared.configs().values())

    @cached_property
    def shape(self) -> Shape:
        """The chosen shape; a name that there is not gives way to the default."""
        names = [shape.name for shape in self.every]
        return self.every[names.index(self.chosen.shape if self.chosen.shape in names else LARGE)]

    @property
    def every(self) -> tuple[Shape, ...]:
        """All shapes that there are."""
        return *shapes.SHAPES, *self.own

    @property
    def bits(self) -> tuple[int, int]:
        """Of a cached number, and of a weight."""
        return cost.BITS[self.chosen.cache_format], cost.BITS[self.chosen.weight_format]

    @property
    def paged(self) -> int | None:
        return self.chosen.page or None

    def cache(self, shape: Shape, length: int, batch: int) -> int:
        """Bytes of the requests' caches. Raises an Error for none."""
        return cost.cache_bytes(shape, length, batch, self.bits[0], self.paged)

    @cached_property
    def whole(self) -> int:
        """Bytes of all caches."""
        return self.cache(self.shape, self.chosen.length, self.chosen.batch)

    @cached_property
    def fits(self) -> int:
        """Requests that fit beside the weights."""
        chosen = self.chosen
        return cost.max_batch(self.shape, chosen.length, chosen.memory * GB, *self.bits, self.paged)

    @property
    def weights(self) -> float | None:
        """Bytes of the weights; None where their number is not known."""
        return cost.weight_bytes(self.shape, self.bits[1])

    @property
    def per_token(self) -> float:
        return cost.token_bytes(self.shape, self.bits[0])

    @property
    def flops(self) -> float | None:
        return cost.token_flops(self.shape, self.chosen.length)

    @property
    def compared(self) -> tuple[Shape, ...]:
        """Every published shape, and the chosen one."""
        return *shapes.SHAPES, *((self.shape,) if self.shape in self.own else ())

    @property
    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Lengths, and the bytes of all caches, up to where the memory is full."""
        chosen = self.chosen
        full = min(1.3 * max(1, self.fits) * chosen.length / chosen.batch, 1000 * chosen.length)
        lengths = np.unique(np.geomspace(1, max(4 * chosen.length, self.shape.context, full), 80).astype(int))
        return lengths, np.array([self.cache(self.shape, int(at), chosen.batch) for at in lengths])

    @cached(64)
    def checks(shape: Shape, length: int) -> list[Check]:
        """The formula against `nbytes` of a real cache that is exactly full; none of what is not bundled."""
        if shape.name not in shared.configs():
            return []
        lm = shared.model(shape.name)
        length = max(LEAST, min(length, CHECKED, lm.config.context))
        check = shared.run_in_worker(lambda: formula_is_nbytes(lm, length), length)
        return [replace(check, name=f"{check.name} at {length}")]
