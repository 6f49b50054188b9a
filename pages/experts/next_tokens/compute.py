"""Everything the page "Next tokens" computes, cached: chains of predictions, written texts, their speed, and the identities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

import tlmviz
from tlmviz.analysis.experts import ahead
from tlmviz.analysis.experts.ahead import Chain
from tlmviz.checkpoints.folders import models_folder
from tlmviz.checks import Check, experts_ahead
from tlmviz.decoding.speculative import Speculation
from tlmviz.language_model import LanguageModel
from tlmviz.next_tokens import NextTokenModel
from tlmviz.ui import compute as shared

if TYPE_CHECKING:
    from .controls import Choice

NAME, PLAIN = "stories-mtp", "stories-mtp-plain"
LARGE, DRAFT = "stories-rope", "zoo-mqa"
ROUNDS = 3  # of the race, of which each way's quickest counts


@st.cache_resource(max_entries=3, show_spinner=False)
def model(name: str) -> LanguageModel:
    """A loaded model."""
    loaded = tlmviz.load(name)
    assert isinstance(loaded, LanguageModel)
    return loaded


def looker() -> NextTokenModel:
    """The model with modules."""
    loaded = model(NAME)
    assert isinstance(loaded, NextTokenModel)
    return loaded


@st.cache_resource(max_entries=32, show_spinner=False)
def _chains(text: str, own: bool) -> list[Chain]:
    lm = looker()
    made = ahead.own_chains if own else ahead.given_chains
    return shared.run_in_worker(lambda: made(lm.network, lm.encode(text)), shared.about(text))


def chains(choice: Choice) -> list[Chain]:
    """The predictions from every position on."""
    from .controls import OWN

    return _chains(choice.text, choice.reads == OWN)


def accuracy(choice: Choice) -> list[tuple[int, int]]:
    """Of each depth how many predictions were right on this text, and how many there were."""
    return ahead.accuracy(chains(choice), looker().encode(choice.text))


@st.cache_resource(max_entries=32, show_spinner=False)
def _written(text: str, name: str, draft: str | None, count: int, temperature: float) -> Speculation:
    other = None if draft is None else model(draft)
    return shared.run_in_worker(
        lambda: model(name).speculate(text, count, other, temperature=temperature), shared.about(text)
    )


def written(choice: Choice) -> Speculation:
    """The text that is written, and every pass. Raises BadText: too little of the context is left."""
    draft = None if choice.draft is None else choice.draft.name
    return _written(choice.text, choice.lm.name, draft, choice.count, choice.temperature)


@st.cache_data(max_entries=32, show_spinner=False)
def _speeds(text: str, name: str, draft: str | None, count: int, temperature: float) -> tuple[float, float]:
    lm, other = model(name), None if draft is None else model(draft)
    return shared.run_in_worker(
        lambda: ahead.race(lm, text, count, other, temperature, ROUNDS), shared.about(text)
    )


def speeds(choice: Choice) -> tuple[float, float]:
    """Tokens per second on this server, now: one token a pass, and with proposals."""
    draft = None if choice.draft is None else choice.draft.name
    return _speeds(choice.text, choice.lm.name, draft, choice.count, choice.temperature)


@st.cache_data(show_spinner=False)
def measured() -> pd.DataFrame:
    """What training measured on held-out stories."""
    return ahead.read_measured(models_folder() / NAME)


def checks(choice: Choice) -> list[Check]:
    """The identities behind this page, on this text."""

    def run() -> list[Check]:
        lm, text, _ = experts_ahead.proposing(choice.lm, choice.text)
        found = [experts_ahead.same_as_greedy(lm, text, choice.draft)]
        found.append(experts_ahead.keeps_the_distribution(lm, text, choice.draft))
        if choice.draft is None:
            found.append(experts_ahead.caches_change_nothing(lm, text, None))
        return found

    return shared.run_in_worker(run, shared.about(choice.text))
