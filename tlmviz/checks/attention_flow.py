"""The identity that flow rests on: the stream is the sum of the parts among which flow is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlmviz.analysis.attention.flow import stream_error, why_not

from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def has_flow(model: Any) -> bool:
    """Whether flow can be followed through the model."""
    return is_language_model(model) and not why_not(model, 1)


@identity(
    "Stream = its parts",
    "each layer's stream is the one before, every head from every token, and the MLP, added up",
    3e-5,
    "of the largest number",
    when=has_flow,
    inputs=reading,
)
def stream_is_its_parts(lm: LanguageModel, trace: Trace, position: int = -1) -> float:
    """The stream behind each layer at one position, from its parts."""
    return stream_error(lm, trace, position)
