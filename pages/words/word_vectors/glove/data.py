"""Everything that the part GloVe shows: counts, ratios, and the model's fit of its own text's counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import streamlit as st

from tlmviz.analysis.words import glove
from tlmviz.analysis.words.glove import Fit, Meetings, Ratios
from tlmviz.analysis.words.reading import most_frequent
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check
from tlmviz.checks import words as identities
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.ui import words as models
from tlmviz.ui.cached import cached

from ..state import LONGEST
from .state import FIRST, OWN, PROBES, SECOND, Ratio

MODEL = "words-glove"
MOST = 12  # probes
SHOWN_INSTEAD = 6  # of one's own text's words, as probes
SIZES = ((0, 0.99, "under 1"), (0.99, 10, "1 to 10"), (10, 100, "10 to 100"), (100, np.inf, "over 100"))


class Read(NamedTuple):
    """Two words and the probes that were counted; `unknown` were not.

    `refused` has why what was typed was not read, and the words that are shown in its place.
    """

    first: str
    second: str
    probes: list[str]
    unknown: list[str]
    refused: list[tuple[BadText, tuple[str, ...]]]


@dataclass(frozen=True)
class Data:
    """What the part shows of two words and their probes."""

    chosen: Ratio

    @cached_property
    def own(self) -> tuple[str, ...] | None:
        """The words of one's own text that are counted. Raises BadText where it has none."""
        if self.chosen.source != OWN:
            return None
        if not self.count:
            raise BadText("Your text has no words, so nothing was counted; type a few sentences.")
        return tuple(split_words(self.chosen.text)[:LONGEST])

    @cached_property
    def count(self) -> int:
        """The words of that text, those that are not read too."""
        return len(split_words(self.chosen.text))

    @cached_property
    def read(self) -> Read:
        """What was read of what was typed."""
        row, own = _meetings(self.own)[1], self.own
        refused: list[tuple[BadText, tuple[str, ...]]] = []
        usual, usual_probes = _usual(own)
        pair = [next(iter(split_words(typed)), "") for typed in (self.chosen.first, self.chosen.second)]
        for n, word in enumerate(pair):
            if word not in row:
                pair[n] = next((instead for instead in (usual[n], *usual) if instead != pair[1 - n]), usual[n])
                refused.append((_why(word, own, len(row)), (pair[n],)))
        probes = list(dict.fromkeys(split_words(self.chosen.probes)))
        kept, unknown = ([word for word in probes if (word in row) is there] for there in (True, False))
        if not kept:
            none = BadText("Give a few probes: words that may stand near one of the two and not near the other.")
            refused.append((_why(unknown[0], own, len(row)) if unknown else none, usual_probes))
            kept, unknown = list(usual_probes), []
        return Read(pair[0], pair[1], kept, unknown, refused)

    @property
    def first(self) -> str:
        """Word i."""
        return self.read.first

    @property
    def second(self) -> str:
        """Word j."""
        return self.read.second

    @property
    def probes(self) -> list[str]:
        """Those that are shown."""
        return self.read.probes[:MOST]

    @property
    def wv(self) -> WordVectors:
        """The model that fits the counts of its text."""
        return models.model(MODEL)

    @property
    def meetings(self) -> Meetings:
        """The counts."""
        return _meetings(self.own)[0]

    def rows(self, *words: str) -> list[int]:
        """The rows of words in the counts."""
        row = _meetings(self.own)[1]
        return [row[word] for word in words]

    @property
    def all_words(self) -> list[str]:
        """The two words and the probes, each once."""
        return list(dict.fromkeys([self.first, self.second, *self.probes]))

    @cached_property
    def ratios(self) -> Ratios:
        """Counts, probabilities and ratios of the probes."""
        i, j = self.rows(self.first, self.second)
        return glove.ratios(self.meetings, i, j, self.rows(*self.probes))

    @cached_property
    def fitted(self) -> np.ndarray | None:
        """The ratios that the vectors give; None for another text than the model's."""
        if self.own is not None:
            return None
        (i, j), totals = self.rows(self.first, self.second), self.meetings.totals
        logs = glove.fitted_log_ratios(self.wv, i, j, self.rows(*self.probes))
        return np.asarray(np.exp(logs) * totals[j] / totals[i])

    @property
    def size(self) -> int:
        """How many of the most frequent words the model's counts are of."""
        return shipped().size

    @cached(1)
    def fit() -> Fit:
        """The model's value of every cell that was counted."""
        return glove.fit(models.model(MODEL), shipped())

    @property
    def errors(self) -> list[tuple[str, int, float, float, float]]:
        """For rare and frequent pairs: a name, cells, share of the weight, error in log X and mean error."""
        x, rows = np.exp(self.fit.log_x), []
        for low, high, name in SIZES:
            part = (x >= low) & (x < high)
            error = self.fit.value[part] - self.fit.log_x[part]
            share = float(self.fit.weight[part].sum() / self.fit.weight.sum())
            rows.append((name, int(part.sum()), share, float(np.sqrt((error**2).mean())), float(error.mean())))
        return rows

    @cached(1)
    def checks() -> list[Check]:
        """The identities, on the model."""
        wv = models.model(MODEL)
        return [identities.ratio_is_a_difference(wv, wv.vocabulary[:32]), identities.weight_forgives_zero(wv)]


def _usual(own: tuple[str, ...] | None) -> tuple[tuple[str, str], tuple[str, ...]]:
    """The two words and the probes that stand in for others: those of the start, or the most frequent of one's own
    text."""
    if own is None:
        return (FIRST, SECOND), tuple(PROBES.split())
    frequent = most_frequent(own, 2 + SHOWN_INSTEAD)
    return (frequent[0], frequent[min(1, len(frequent) - 1)]), tuple(frequent[2:] or frequent)


def _why(word: str, own: tuple[str, ...] | None, size: int) -> BadText:
    if not word:
        return BadText("Give one word as i and one as j, such as “boy” and “girl”.")
    return BadText(_not_counted(word, own), word=word[:40], size=f"{size:,}")


def _not_counted(word: str, own: tuple[str, ...] | None) -> str:
    if own is not None:
        return "“{word}” does not stand in your text, so nothing was counted for it; take one of its {size} words."
    if word in models.model(MODEL):
        return (
            "“{word}” is rarer than those: counts come with the {size} most frequent words of the model's text; take a "
            "more common word, or count your own text."
        )
    return (
        "“{word}” is not in the vocabulary: counts come with the {size} most frequent words of the model's text; take "
        "a more common word, or count your own text."
    )


def shipped() -> Meetings:
    """The counts that the model was fitted to. Raises BadCheckpoint where its folder lacks them."""
    meetings = models.model(MODEL).meetings
    if meetings is None:
        raise BadCheckpoint(
            "{model} comes without its counts, meetings.safetensors; copy its folder again.", model=MODEL
        )
    return meetings


@st.cache_resource(max_entries=16, show_spinner=False)
def _meetings(own: tuple[str, ...] | None) -> tuple[Meetings, dict[str, int]]:
    """Counts, and the row of each word."""
    words = list(dict.fromkeys(own)) if own is not None else models.model(MODEL).vocabulary[: shipped().size]
    row = {word: number for number, word in enumerate(words)}
    if own is None:
        return shipped(), row
    ids = np.array([row[word] for word in own], np.int64)
    return glove.count_meetings(ids, models.model(MODEL).config.window, len(row)), row
