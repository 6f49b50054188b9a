"""Identities of writing with a cache: every step against one pass over the whole text, and its bytes against the
formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.caches import decode_steps
from tlmviz.analysis.caches.cost import Shape, cache_bytes
from tlmviz.analysis.caches.decode_steps import Decoding

from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

WRITTEN = 8  # tokens that the standard measurement generates


def decoded(lm: LanguageModel, text: str) -> tuple[LanguageModel, Decoding, int, int]:
    """(lm, decoding, layer, head): tokens generated after the text, or after as much of it as leaves room."""
    ids = lm.encode(text)[: max(1, lm.config.context - WRITTEN)]
    count = min(WRITTEN, lm.config.context - len(ids))
    return lm, decode_steps.decode(lm, ids, count, 0, 0, temperature=0.0), 0, 0


@identity(
    "Steps = one pass",
    "rows made one by one are those of a pass over the whole text",
    1e-4,
    when=is_language_model,
    inputs=decoded,
)
def rows_of_steps_are_of_one_pass(lm: LanguageModel, done: Decoding, layer: int, head: int) -> float:
    """One head's row of every step equals the row of a pass without a cache."""
    return decode_steps.map_error(lm, done, layer, head)


@identity("Same logits", "and so are the logits", 1e-3, when=is_language_model, inputs=decoded)
def logits_of_steps_are_of_one_pass(lm: LanguageModel, done: Decoding, layer: int, head: int) -> float:
    """The logits of every step equal those of a pass without a cache."""
    return decode_steps.logits_error(lm, done)


@identity(
    "New rows sum to 1", "each new row sums to 1 over the kept keys", 1e-4, when=is_language_model, inputs=decoded
)
def new_rows_sum_to_one(lm: LanguageModel, done: Decoding, layer: int, head: int) -> float:
    """The row of every step sums to 1: no key that it needs was dropped."""
    return decode_steps.rows_error(done)


@identity(
    "Bytes = formula",
    "bytes used are those of the formula at every step",
    0.0,
    "bytes",
    when=is_language_model,
    inputs=decoded,
)
def bytes_follow_the_formula(lm: LanguageModel, done: Decoding, layer: int, head: int) -> float:
    """The cache uses 2 L G D numbers per position (R + D_R for a latent), at every step."""
    shape, lengths = Shape.of(lm.config), range(done.prompt, len(done.ids) + 1)
    return float(max(abs(used - cache_bytes(shape, length)) for used, length in zip(done.occupied_bytes, lengths)))
