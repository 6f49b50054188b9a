"""Everything the page "Attention scores" computes, cached: the recurrent models, their passes, times and identities."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.analysis.translation.score_steps import Steps, Times
from tlmviz.checks import Check, measure, translation_scores
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.translation import SentencePair

ORDER = ("dot", "general", "additive")  # of the notes


def recurrent() -> list[str]:
    """The bundled recurrent translation models, in the order of the notes, the one with coverage last."""
    configs = {name: translation.model(name).config for name in translation.models()}
    return sorted(
        (name for name, config in configs.items() if config.kind == "seq2seq"),
        key=lambda name: (configs[name].score.coverage, ORDER.index(configs[name].score.kind), name),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def steps(pair: SentencePair) -> Steps:
    """All states, scores and weights of one pass."""
    return shared.run_in_worker(
        lambda: score_steps.read(pair.mt, pair.text, list(pair.translation)), shared.about(pair.text)
    )


def telling_step(pairs: Sequence[SentencePair]) -> int:
    """The word at which the models look at the most different tokens, where all read one translation; else the second step."""
    maps = [steps(pair).a[:-1] for pair in pairs]  # the last step writes the end
    if len(maps) < 2 or len({attention.shape for attention in maps}) > 1 or not len(maps[0]):
        return min(1, len(pairs[0].targets) - 1)
    apart = sum(np.abs(one - other).sum(-1) for one, other in itertools.combinations(maps, 2))
    words = np.array([token.strip().isalpha() for token in pairs[0].targets[: len(apart)]])
    return int(np.argmax(np.where(words, apart, -1)))


@st.cache_data(max_entries=32, show_spinner=False)
def timed(pairs: tuple[SentencePair, ...]) -> list[Times]:
    """Milliseconds of each model's score alone, the models in turn."""
    passes = [(pair.mt, steps(pair)) for pair in pairs]
    return shared.run_in_worker(lambda: score_steps.times(passes), shared.about(pairs[0].text))


def error_rate(model: str) -> float | None:
    """Alignment error rate against the alignments made by hand; None where they are not installed."""
    measured = translation.alignment_errors(model)
    return None if measured is None else float(measured[1][0])


def score_parameters(model: str) -> int:
    """Parameters of the score alone."""
    return sum(p.numel() for p in translation.model(model).network.score.parameters())


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(pair: SentencePair) -> list[Check]:
    """The identities behind this page, on this sentence and translation."""
    measured = steps(pair)
    return shared.run_in_worker(
        lambda: measure(translation_scores, pair.mt, measured), shared.about(pair.text)
    )
