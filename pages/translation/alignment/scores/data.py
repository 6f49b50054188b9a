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
from tlmviz.ui.cached import cached
from tlmviz.ui.translation import SentencePair

ORDER = ("dot", "general", "additive")  # of the notes


@dataclass(frozen=True)
class Read:
    """What these models are given: a sentence, and its translation; without one each reads what it wrote itself."""

    models: tuple[str, ...]
    text: str
    french: str = ""

    @cached_property
    def pairs(self) -> tuple[SentencePair, ...]:
        """A pair for each, in its own ids."""
        if not self.french:
            return tuple(
                SentencePair(name, self.text, translation.own_translation(name, self.text)) for name in self.models
            )
        known = ((name, translation.model(name)) for name in self.models)
        return tuple(
            SentencePair(name, self.text, (*mt.encode_target(self.french), mt.tokenizer.end_of_text))
            for name, mt in known
        )

    @property
    def telling_step(self) -> int:
        """The word at which the models look at the most different tokens, where all read one translation; else the
        second step."""
        maps = [steps(pair).a[:-1] for pair in self.pairs]  # the last step writes the end
        targets = self.pairs[0].targets
        if len(maps) < 2 or len({attention.shape for attention in maps}) > 1 or not len(maps[0]):
            return min(1, len(targets) - 1)
        apart = sum(np.abs(one - other).sum(-1) for one, other in itertools.combinations(maps, 2))
        words = np.array([token.strip().isalpha() for token in targets[: len(apart)]])
        return int(np.argmax(np.where(words, apart, -1)))


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

    @property
    def product_steps(self) -> Steps:
        """The pass of that pair."""
        return steps(self.product_pair)

    @cached(32)
    def times(pairs: tuple[SentencePair, ...]) -> list[Times]:
        """Milliseconds of each model's score alone, the models in turn."""
        passes = [(pair.mt, steps(pair)) for pair in pairs]
        return shared.run_in_worker(lambda: score_steps.times(passes), shared.about(pairs[0].text))

    @property
    def ranges(self) -> list[list[tuple[float, float] | None]]:
        """The middle half of each model's times of a step and of the keys; None where it overlaps another's."""
        return [apart([getattr(each, part) for each in self.times]) for part in ("step", "prepare")]

    @property
    def errors(self) -> list[float | None]:
        """Each model's alignment error rate against the alignments made by hand; None where they are not installed."""
        measured = [translation.alignment_errors(pair.model) for pair in self.pairs]
        return [None if found is None else float(found[1][0]) for found in measured]

    @property
    def parameters(self) -> list[int]:
        """Parameters of each model's score alone."""
        return [sum(p.numel() for p in pair.mt.network.score.parameters()) for pair in self.pairs]

    @property
    def checked(self) -> SentencePair:
        """What the identities are measured on."""
        return self.product_pair or self.pair

    @cached(64)
    def checks(checked: SentencePair) -> list[Check]:
        """The identities behind this page, on this sentence and translation."""
        measured = steps(checked)
        return shared.run_in_worker(
            lambda: measure(translation_scores, checked.mt, measured), shared.about(checked.text)
        )


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


def apart(times: Sequence[np.ndarray]) -> list[tuple[float, float] | None]:
    """The middle half of each model's times; None where it overlaps another's, and says nothing about their order."""
    ranges = [tuple(np.percentile(each, (25, 75))) for each in times]
    return [
        one if all(one[1] < other[0] or other[1] < one[0] for other in ranges if other is not one) else None
        for one in ranges
    ]
