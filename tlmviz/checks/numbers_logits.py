"""The identities behind the page Logits: what the variance of a score is made of, and how far untrained logits
spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from tlmviz.analysis.numbers import logits

from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity, once
from .result import worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

SPREAD = 0.1  # of the prediction: the weights are drawn, and the stream's coordinates are not quite alike


def before_training(lm: Any, text: str) -> tuple[Any, Trace]:
    """The model with the weights that training starts from, and its pass over the text."""
    raw = once(lambda model, _: logits.untrained(model), lm, text)
    return raw, raw.trace(text)


@identity(
    "Variance is a sum",
    "a score's variance is the sum of the covariances of its products",
    1e-4,
    "max relative",
    when=is_language_model,
    inputs=reading,
)
def variance_is_a_sum(lm: LanguageModel, trace: Trace) -> float:
    """Var(q . k) of every head against the sum of the covariance matrix of its products q_j k_j."""
    queries, keys = logits.causal_pairs(len(trace))
    errors = []
    for layer, found in enumerate(logits.all_growths(trace)):
        for head, growth in enumerate(found):
            direct = trace.scores(layer, head, "dot").double()[queries, keys].var()
            errors.append(abs(growth.variance / float(direct) - 1))
    return worst(torch.tensor(errors))


@identity(
    "√E before training",
    "untrained logits spread by √E·σ·RMS",
    SPREAD,
    "mean relative",
    when=is_language_model,
    inputs=before_training,
)
def untrained_logits_spread(raw: LanguageModel, trace: Trace) -> float:
    """The mean over positions of the logits' standard deviation against sqrt(E) sigma RMS(x), before training."""
    found = logits.spread(raw, trace)
    return float(abs(found.measured.mean() / found.predicted.mean() - 1))
