"""Everything that the part Morph shows: one layer's variants, from MHA to MLA, and what each costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tlmviz.analysis.caches.family import DEEPSEEK, Sizes, Variant

from ..data import Shown
from .state import FREE, PUBLISHED, Morph


@dataclass(frozen=True)
class Data(Shown):
    """A layer's sizes, and the variants that they allow."""

    chosen: Morph

    @cached_property
    def sizes(self) -> Sizes:
        """Raises BadConfig for sizes that make no layer."""
        chosen = self.chosen
        if chosen.source == PUBLISHED:
            return DEEPSEEK
        if chosen.source == FREE:
            return Sizes(chosen.d_model, chosen.heads, chosen.head_dim, chosen.latent, chosen.rotary)
        return Sizes.of(self.reading.config)

    @cached_property
    def variants(self) -> list[Variant]:
        """From MHA to MLA."""
        return self.sizes.variants()

    @property
    def names(self) -> list[str]:
        return [variant.name for variant in self.variants]

    @property
    def opening(self) -> int:
        """Which variant is shown first: one that these sizes do not have gives way to the last."""
        names = self.names
        return names.index(self.chosen.opening) if self.chosen.opening in names else len(names) - 1

    @property
    def ends(self) -> tuple[Variant, Variant]:
        """MHA and MLA."""
        return self.variants[0], self.variants[-1]
