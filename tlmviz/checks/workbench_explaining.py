"""The identity behind the page Why it looks there: the shares of all pairs of sources are the score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.workbench import explaining

from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def last_weights(lm: LanguageModel, text: str) -> tuple[LanguageModel, Trace, list[tuple[int, int, int, int]]]:
    """(lm, trace, weights): of each layer's first head, the key that the last query looks at most."""
    _, trace = reading(lm, text)
    last = len(trace) - 1
    looked = [int(trace.attention(layer, 0, slice(last, None)).argmax()) for layer in range(trace.n_layers)]
    return lm, trace, [(layer, 0, last, key) for layer, key in enumerate(looked)]


@identity(
    "Sources add up",
    "the shares of all pairs of sources sum to the score",
    1e-4,
    "of the score's terms",
    when=is_language_model,
    inputs=last_weights,
)
def sources_add_up(lm: LanguageModel, trace: Trace, weights: list[tuple[int, int, int, int]]) -> float:
    """The sum of the shares against the model's own query times key, beside the largest share where that is more than
    1."""
    errors = []
    for place in weights:
        found = explaining.explain(lm, trace, *place)
        errors.append(found.error / max(1.0, abs(found.score), float(found.scores.abs().max())))
    return max(errors)
