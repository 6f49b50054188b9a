"""Where only distances count, moving a text moves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlmviz.analysis.positions.position_schemes import shift_divergence

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

RELATIVE = ("relative", "alibi", "rope", "none")  # schemes in which only distances count
READ = 128  # tokens of the text that are moved
BY = 64  # positions


def is_relative(model: Any) -> bool:
    """Whether the model's positions come in as distances alone."""
    return is_language_model(model) and model.config.positions.kind in RELATIVE


def ids_of(lm: LanguageModel, text: str) -> tuple[LanguageModel, list[int]]:
    """(lm, ids): the first tokens of the text. Raises BadText."""
    return lm, lm.encode(text)[:READ]


@identity(
    "Shift", f"moving the text by {BY} positions moves no prediction", 1e-6, "nats", when=is_relative, inputs=ids_of
)
def shift_moves_nothing(lm: LanguageModel, ids: list[int]) -> float:
    """Mean KL of the predictions at positions 0 and on from those at 64 and on (003 section 3.1)."""
    return shift_divergence(lm, ids, BY)
