"""The log P that a search added up, against one pass over the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import identity, once
from .translation_cases import is_translator, translation

if TYPE_CHECKING:
    from ..facades.translator import Translator


def best_text(mt: Translator, text: str) -> tuple[Translator, str, tuple[int, ...], float]:
    """(mt, text, tokens, log P): the best translation of a beam of 5. Raises BadText."""
    best = once(translation, mt, text).best
    return mt, text, best.tokens, best.parts.logp


@identity(
    "Search = one pass",
    "the log P that the search added up is that of the text read in one pass",
    1e-3,  # float32 sums in another order
    "nats",
    when=is_translator,
    inputs=best_text,
)
def log_probability_is_of_one_pass(mt: Translator, text: str, tokens: tuple[int, ...], logp: float) -> float:
    """A text read in one pass, as in training: its log P is what a search added up, token by token."""
    return abs(float(mt.read(text, list(tokens)).logp.sum()) - logp)
