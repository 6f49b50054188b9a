"""The identity behind the page Doctor: every part of a network, asked alone, gives what it gave in the whole pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.workbench.doctor.evidence import gather

from .cases import is_language_model, reading
from .registry import identity
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel
    from ..tracing.trace import Trace


@identity(
    "Parts asked alone",
    "every part of the network, asked alone about what it was given, gives what it gave in the whole pass",
    1e-5,
    "max relative",
    when=is_language_model,
    inputs=reading,
)
def parts_asked_alone(lm: LanguageModel, trace: Trace) -> float:
    """The doctor lays a second run over the first by these answers: on the run itself none may differ."""
    return largest([step.error for step in gather(trace, trace).steps])
