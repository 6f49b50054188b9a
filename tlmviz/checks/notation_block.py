"""Identities of the chapter Notation: the lines of a block, run as they are written, against the model's tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlmviz.analysis.notation import tensors
from tlmviz.analysis.notation.block import SAME, Compared, lines_of, run_lines

from .cases import is_language_model
from .registry import identity
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def is_the_notes_block(model: Any) -> bool:
    """Whether the model's block is the pre-norm block of 003 section 2."""
    return is_language_model(model) and not tensors.unlike(model.config)


def first_layer(lm: LanguageModel, text: str) -> tuple[Compared, ...]:
    """Every line of the first layer beside the model's tensor. Raises BadText."""
    trace = lm.trace(text, keep=tensors.taps(0).__contains__)
    lines = lines_of(lm.config, 0)
    found = [compared for _, _, compared in run_lines(lines, tensors.of_block(lm, trace, 0)) if compared]
    assert len(found) == len(lines)
    return tuple(found)


@identity(
    "Lines of the block",
    "each line in index notation, run as it is written, is the model's own tensor",
    SAME,
    "relative max abs",
    when=is_the_notes_block,
    inputs=first_layer,
)
def line_is_the_tensor(*of: Compared) -> float:
    """A line's result against the tensor that it names; NaN where there is none."""
    return largest([compared.error for compared in of]) if of else float("nan")
