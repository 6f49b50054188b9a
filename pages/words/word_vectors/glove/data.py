"""Everything that the part GloVe shows: counts, ratios, and the model's fit of its own text's counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.words import glove
from tlmviz.analysis.words.glove import Fit, Meetings, Ratios
from tlmviz.analysis.words.reading import most_frequent
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check
from tlmviz.checks import words as checks
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.ui import words as models

from ..state import LONGEST
from .state import FIRST, OWN, PROBES, SECOND, Ratio

MODEL = "words-glove"
MOST = 12  # probes
SHOWN_INSTEAD = 6  # of one's own text's words, as probes
SIZES = ((0, 0.99, "under 1"), (0.99, 10, "1 to 10"), (10, 100, "10 to 100"), (100, np.inf, "over 100"))


@dataclass(frozen=True)
class Data:
    """What the part shows of two words and the probes that were counted; `unknown` were not, `more` were too many.

    `refused` has why what was typed was not read, and the words that are shown in its place.
    """

    chosen: Ratio
    first: str
    second: str
    probes: tuple[str, ...]
    unknown: tuple[str, ...]
    more: int
    own: tuple[str, ...] | None  # the words of one's own text
    count: int  # words of that text, those that are not read too
    refused: tuple[tuple[BadText, tuple[str, ...]], ...] = ()

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
    def fit(self) -> Fit:
        """The model's value of every cell that was counted."""
        return fit()

    @property
    def checks(self) -> list[Check]:
        """The identities, on the model."""
        return _checks()


def compute(chosen: Ratio) -> Data:
    """The data of a state. Raises BadText for a text without words."""
    own, count = None, 0
    if chosen.source == OWN:
        found = split_words(chosen.text)
        own, count = tuple(found[:LONGEST]), len(found)
    if own == ():
        raise BadText("Your text has no words, so nothing was counted; type a few sentences.")
    row = _meetings(own)[1]
    refused: list[tuple[BadText, tuple[str, ...]]] = []
    usual, usual_probes = _usual(own)
    pair = [next(iter(split_words(typed)), "") for typed in (chosen.first, chosen.second)]
    for n, word in enumerate(pair):
        if word not in row:
            pair[n] = next((instead for instead in (usual[n], *usual) if instead != pair[1 - n]), usual[n])
            refused.append((_why(word, own, len(row)), (pair[n],)))
    probes = list(dict.fromkeys(split_words(chosen.probes)))
    kept, unknown = ([word for word in probes if (word in row) is there] for there in (True, False))
    if not kept:
        none = BadText("Give a few probes: words that may stand near one of the two and not near the other.")
        refused.append((_why(unknown[0], own, len(row)) if unknown else none, usual_probes))
        kept, unknown = list(usual_probes), []
    return Data(
        chosen,
        pair[0],
        pair[1],
        tuple(kept[:MOST]),
        tuple(unknown),
        max(0, len(kept) - MOST),
        own,
        count,
        tuple(refused),
    )


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


@st.cache_resource(max_entries=1, show_spinner=False)
def fit() -> Fit:
    """The model's value of every cell that was counted."""
    return glove.fit(models.model(MODEL), shipped())


def errors_by_count() -> list[tuple[str, int, float, float, float]]:
    """For rare and frequent pairs: a name, cells, share of the weight, error in log X and mean error."""
    found = fit()
    x, rows = np.exp(found.log_x), []
    for low, high, name in SIZES:
        part = (x >= low) & (x < high)
        error = found.value[part] - found.log_x[part]
        share = float(found.weight[part].sum() / found.weight.sum())
        rows.append((name, int(part.sum()), share, float(np.sqrt((error**2).mean())), float(error.mean())))
    return rows


@st.cache_data(max_entries=1, show_spinner=False)
def _checks() -> list[Check]:
    wv = models.model(MODEL)
    return [checks.ratio_is_a_difference(wv, wv.vocabulary[:32]), checks.weight_forgives_zero(wv)]
