"""Everything the page GloVe computes, cached: counts, ratios, and the model's fit of its own text's counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.words import glove
from tlmviz.analysis.words.glove import Fit, Meetings, Ratios
from tlmviz.checks import Check
from tlmviz.checks import words as checks
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.figures import number
from tlmviz.ui import inputs
from tlmviz.ui import words as models

from . import words
from .controls import MODEL, Choice


@dataclass(frozen=True)
class Table:
    """Two words against probes: rows of the counts, the ratios [K], and what the vectors make of them, None for another text.

    `unknown` are the probes that were not counted.
    """

    rows: tuple[int, int]
    probes: list[str]
    columns: list[int]
    unknown: list[str]
    ratios: Ratios
    fitted: np.ndarray | None

    @property
    def all_rows(self) -> list[int]:
        """The two words and the probes, each once."""
        return list(dict.fromkeys([*self.rows, *self.columns]))


def shipped() -> Meetings:
    """The counts that the model was fitted to. Raises BadCheckpoint where its folder lacks them."""
    meetings = models.model(MODEL).meetings
    if meetings is None:
        raise BadCheckpoint(words.no_counts(MODEL))
    return meetings


@st.cache_resource(max_entries=16, show_spinner=False)
def meetings(own: tuple[str, ...] | None) -> tuple[Meetings, list[str]]:
    """Counts, and the words of their rows."""
    if own is None:
        found = shipped()
        return found, models.model(MODEL).vocabulary[: found.size]
    vocabulary = list(dict.fromkeys(own))
    row = {word: number for number, word in enumerate(vocabulary)}
    ids = np.array([row[word] for word in own], np.int64)
    return glove.count_meetings(ids, models.model(MODEL).config.window, len(vocabulary)), vocabulary


def table(choice: Choice) -> Table:
    """The two words against the probes. Raises BadText for a word, or for probes, that were not counted."""
    found, vocabulary = meetings(choice.own)
    row = {word: number for number, word in enumerate(vocabulary)}
    for word in (choice.first, choice.second):
        if word not in row:
            raise BadText(_not_counted(choice, word, len(row)))
    probes = [word for word in choice.probes if word in row]
    if not probes:
        raise BadText(_not_counted(choice, choice.probes[0], len(row)))
    i, j, columns = row[choice.first], row[choice.second], [row[word] for word in probes]
    ratios, fitted = glove.ratios(found, i, j, columns), None
    if choice.own is None:
        logs = glove.fitted_log_ratios(choice.wv, i, j, columns)
        fitted = np.exp(logs) * found.totals[j] / found.totals[i]
    unknown = [word for word in choice.probes if word not in row]
    return Table((i, j), probes, columns, unknown, ratios, fitted)


def _not_counted(choice: Choice, word: str, size: int) -> str:
    named = inputs.plain(word[:40])
    if choice.own is not None:
        return words.not_in_text(named, size)
    return words.too_rare(named, size) if word in choice.wv else words.unknown(named, size)


@st.cache_resource(max_entries=1, show_spinner=False)
def fit() -> Fit:
    """The model's value of every cell that was counted."""
    return glove.fit(models.model(MODEL), shipped())


def errors_by_count() -> list[dict]:
    """The error of the fit for rare and frequent pairs."""
    found = fit()
    x, rows = np.exp(found.log_x), []
    for low, high, name in (
        (0, 0.99, "under 1"),
        (0.99, 10, "1 to 10"),
        (10, 100, "10 to 100"),
        (100, np.inf, "over 100"),
    ):
        part = (x >= low) & (x < high)
        if part.any():
            error = found.value[part] - found.log_x[part]
            rows.append(
                {
                    "Count X": name,
                    "Cells": int(part.sum()),
                    words.SHARE_WEIGHT: float(found.weight[part].sum() / found.weight.sum()),
                    words.ERROR_LOG_X: float(np.sqrt((error**2).mean())),
                    "Mean error": float(error.mean()),
                }
            )
    return rows


def weights(found: Table, choice: Choice) -> tuple[list[str], np.ndarray]:
    """The pairs of the table as names, and their counts."""
    names = [f"{word} – {probe}" for word in (choice.first, choice.second) for probe in found.probes]
    return names, found.ratios.counts.ravel()


@st.cache_data(max_entries=16, show_spinner=False)
def measured() -> list[Check]:
    """The identities behind this page, on the model."""
    wv = models.model(MODEL)
    return [checks.ratio_is_a_difference(wv, wv.vocabulary[:32]), checks.weight_forgives_zero(wv)]


def count_of(value: float) -> str:
    """A count as it is written."""
    return number(value, ".3g") if value < 1000 else number(value, ",.0f")
