"""Everything that the part Three scores shows: the recurrent models' passes over one sentence, times and identities."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.analysis.translation.score_steps import Steps, Times
from tlmviz.checks import Check, measure, translation_scores
from tlmviz.config.seq2seq import ScoreConfig
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.translation import SentencePair

ORDER = ("dot", "general", "additive")  # of the notes


@dataclass(frozen=True)
class Data:
    """What every model reads, the index of the one that is looked into, the step of its translation (from 0).

    `common` says that all models read one translation.
    """

    pairs: tuple[SentencePair, ...]
    inside: int
    step: int
    common: bool

    @property
    def pair(self) -> SentencePair:
        """What the model that is looked into reads."""
        return self.pairs[self.inside]

    @property
    def steps(self) -> Steps:
        """Its pass."""
        return steps(self.pair)

    @cached_property
    def every(self) -> list[Steps]:
        """The passes of all models."""
        return [steps(pair) for pair in self.pairs]

    @property
    def token(self) -> str:
        """The token that the step writes."""
        return self.pair.targets[self.step].strip()

    @property
    def product_pair(self) -> SentencePair | None:
        """This model's pair if its score is a product of h with a key, else the first such model's; None without
        any."""
        return next((pair for pair in (self.pair, *self.pairs) if steps(pair).product), None)

    @cached_property
    def times(self) -> list[Times]:
        """Milliseconds of each model's score alone, the models in turn."""
        return _timed(self.pairs)

    @property
    def checks(self) -> list[Check]:
        """The identities behind this page, on this sentence and translation."""
        return _checks(self.product_pair or self.pair)


def recurrent() -> list[str]:
    """The bundled recurrent translation models, in the order of the notes, the one with coverage last; of several that
    differ in no score the first."""
    found: dict[ScoreConfig, str] = {}
    for name in sorted(translation.models()):
        if (config := translation.model(name).config).kind == "seq2seq":
            found.setdefault(config.score, name)
    return [found[score] for score in sorted(found, key=lambda score: (score.coverage, ORDER.index(score.kind)))]


@st.cache_resource(max_entries=32, show_spinner=False)
def steps(pair: SentencePair) -> Steps:
    """All states, scores and weights of one pass."""
    return shared.run_in_worker(
        lambda: score_steps.read(pair.mt, pair.text, list(pair.translation)), shared.about(pair.text)
    )


def telling_step(pairs: Sequence[SentencePair]) -> int:
    """The word at which the models look at the most different tokens, where all read one translation; else the second
    step."""
    maps = [steps(pair).a[:-1] for pair in pairs]  # the last step writes the end
    if len(maps) < 2 or len({attention.shape for attention in maps}) > 1 or not len(maps[0]):
        return min(1, len(pairs[0].targets) - 1)
    apart = sum(np.abs(one - other).sum(-1) for one, other in itertools.combinations(maps, 2))
    words = np.array([token.strip().isalpha() for token in pairs[0].targets[: len(apart)]])
    return int(np.argmax(np.where(words, apart, -1)))


def own_pairs(models: list[str], text: str) -> list[SentencePair]:
    """Every model reads what it wrote itself."""
    return [SentencePair(name, text, translation.own_translation(name, text)) for name in models]


def common_pairs(models: list[str], text: str, french: str) -> list[SentencePair]:
    """One translation for all models, in the ids of each."""
    return [
        SentencePair(name, text, (*mt.encode_target(french), mt.tokenizer.end_of_text))
        for name, mt in ((name, translation.model(name)) for name in models)
    ]


def apart(times: Sequence[np.ndarray]) -> list[tuple[float, float] | None]:
    """The middle half of each model's times; None where it overlaps another's, and says nothing about their order."""
    ranges = [tuple(np.percentile(each, (25, 75))) for each in times]
    return [
        one if all(one[1] < other[0] or other[1] < one[0] for other in ranges if other is not one) else None
        for one in ranges
    ]


def error_rate(model: str) -> float | None:
    """Alignment error rate against the alignments made by hand; None where they are not installed."""
    measured = translation.alignment_errors(model)
    return None if measured is None else float(measured[1][0])


def score_parameters(model: str) -> int:
    """Parameters of the score alone."""
    return sum(p.numel() for p in translation.model(model).network.score.parameters())


@st.cache_data(max_entries=32, show_spinner=False)
def _timed(pairs: tuple[SentencePair, ...]) -> list[Times]:
    passes = [(pair.mt, steps(pair)) for pair in pairs]
    return shared.run_in_worker(lambda: score_steps.times(passes), shared.about(pairs[0].text))


@st.cache_resource(max_entries=64, show_spinner=False)
def _checks(pair: SentencePair) -> list[Check]:
    measured = steps(pair)
    return shared.run_in_worker(lambda: measure(translation_scores, pair.mt, measured), shared.about(pair.text))
