"""The identity behind the page Head atlas: a survey's numbers of a passage are those of a pass over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tlmviz.analysis.workbench.survey import STATISTICS, Document, survey_shard
from tlmviz.tracing.trace import Trace

from .cases import is_language_model
from .registry import identity
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

Stored = Sequence[tuple[str, int, int, float]]  # statistic, layer, head, and what the survey says


def surveyed(lm: LanguageModel, text: str) -> tuple[Trace, Stored]:
    """(trace, stored): a pass over the text, and every number that a survey of it keeps; both of at most 512 tokens."""
    shard = survey_shard(lm, [Document("text", 0, text)])
    stored = [
        (name, *divmod(n, lm.config.n_heads), float(shard.passages[0, s, n]))
        for s, name in enumerate(STATISTICS)
        for n in range(shard.passages.shape[2])
    ]
    return lm.trace(shard.texts[0]), stored


@identity(
    "Survey = a pass now",
    "the survey's numbers of a passage are those of a pass over its text",
    1e-3,
    "max relative",
    when=is_language_model,
    inputs=surveyed,
)
def survey_equals_pass(trace: Trace, stored: Stored) -> float:
    """Relative above 1: distances are many tokens. NaN, no token that repeats, must be NaN in both."""
    found = trace.statistics()
    errors = [0.0]
    for name, layer, head, value in stored:
        live = float(found[name].reshape(trace.n_layers, trace.n_heads)[layer, head])
        if np.isnan(value) or np.isnan(live):
            errors.append(0.0 if np.isnan(value) and np.isnan(live) else float("inf"))
        else:
            errors.append(abs(live - value) / max(1.0, abs(value)))
    return largest(errors)
