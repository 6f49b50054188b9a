"""The identities tlmviz rests on, each stated once: a function that measures an error against a tolerance.

A page shows them as badges on what the user typed, the tests assert them, and
`python -m tlmviz check <model>` runs all that apply on any checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable

from tlmviz.analysis.positions.rope_planes import has_planes

from ..networks.transformer import TransformerLM
from . import family, index, scaling, streams, translation
from .caches import every_cache_equals_full
from .identities import CHECKS, QUICK_CHECKS
from .long import CHECKS_LONG
from .positions import CHECKS_ROPE
from .result import Check
from .serving import CHECKS_SERVING

__all__ = ["CHECKS", "QUICK_CHECKS", "Check", "applicable", "run_all"]


def applicable(lm) -> tuple[Callable[..., Check], ...]:
    """Every identity that this model can be put to; those of an indexer aside, which belong to a pair."""
    turned = (CHECKS_ROPE if has_planes(lm.config) else ()) + scaling.for_model(lm)
    return (
        CHECKS
        + CHECKS_LONG
        + family.for_model(lm)
        + turned
        + streams.for_model(lm)
        + (
            every_cache_equals_full,
            *CHECKS_SERVING,
        )
    )


def run_all(lm, text: str, bundled: str | None = None) -> list[Check]:
    """Every identity on one text, and those of the indexer that was distilled from the model `bundled`, if there is one.

    A translation model has identities of its own. Raises BadText for an empty or too long text.
    """
    if not isinstance(lm.network, TransformerLM):
        return translation.run(lm, text)
    trace = lm.trace(text)
    results = [check(lm, trace) for check in applicable(lm)]
    return results + (index.run_bundled(lm, bundled, trace.ids) if bundled else [])
