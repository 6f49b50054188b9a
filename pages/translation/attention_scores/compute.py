"""Everything the page "Attention scores" computes, cached: the recurrent models, their passes, times and identities."""

from __future__ import annotations

import time

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


@st.cache_data(max_entries=32, show_spinner=False)
def timed(pair: SentencePair) -> tuple[Times, float]:
    """Milliseconds of the score alone (medians), and of one whole translation with a beam of 5."""
    measured = steps(pair)

    def work() -> tuple[Times, float]:
        score, start = score_steps.times(pair.mt, measured), time.perf_counter()
        pair.mt.search(pair.text)
        return score, 1000 * (time.perf_counter() - start)

    return shared.run_in_worker(work, shared.about(pair.text))


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
