"""Everything the page "Pointer sentinel" computes, cached: both models, what they say of a text, and the identities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
from jaxtyping import Float

import tlmviz
from tlmviz.analysis.words.copying import closed, returns
from tlmviz.checks import Check, measure, words_pointers
from tlmviz.mixture import Mixture, MixtureModel
from tlmviz.ui import compute as shared

COPIER, PLAIN = "stories-sentinel", "stories-sentinel-plain"
SHOWN = 9  # words of a prediction


@dataclass(frozen=True)
class Offer:
    """A word that may follow: its name, and what of its probability is written and what is copied."""

    word: str
    written: float
    copied: float


@st.cache_resource(max_entries=2, show_spinner=False)
def model(name: str) -> MixtureModel:
    """A loaded model."""
    loaded = tlmviz.load(name)
    assert isinstance(loaded, MixtureModel)
    return loaded


@st.cache_resource(max_entries=32, show_spinner=False)
def mixture(name: str, text: str, shift: float = 0.0) -> Mixture:
    """What a model says of a text. Raises BadText."""
    return shared.run_in_worker(lambda: model(name).mixture(text, shift), shared.about(text))


def offers(mix: Mixture, row: int) -> list[Offer]:
    """The most probable words after word `row`, and the one that follows in the text."""
    best = np.argsort(-mix.mixed[row])[:SHOWN].tolist()
    if row + 1 < len(mix.ids) and mix.ids[row + 1] not in best:
        best[-1] = int(mix.ids[row + 1])
    written = mix.gate[row] * mix.vocabulary[row]
    return [
        Offer(mix.words[i], float(written[i]), float(max(0.0, mix.mixed[row, i] - written[i]))) for i in best
    ]


def most_copied(mix: Mixture) -> int:
    """The word of the text, from 1 as the second, that is copied with the highest probability."""
    rows = np.arange(len(mix.ids) - 1)
    copied = mix.mixed[rows, mix.ids[1:]] - mix.gate[:-1] * mix.vocabulary[rows, mix.ids[1:]]
    return int(copied.argmax()) + 1


def nats(mix: Mixture) -> Float[np.ndarray, " n"]:
    """Nats of each word after the first, all unknown words as one, so that both models compare."""
    return -np.log(np.maximum(closed(mix), 1e-20))


def again(mix: Mixture) -> np.ndarray:
    """Which of the words after the first are unknown and stand in the text already."""
    return returns(mix) & (mix.ids[1:] >= mix.size)


def checks(text: str, shift: float) -> list[Check]:
    """The identities behind this page, on this text."""
    mix, found = mixture(COPIER, text, shift), mixture(COPIER, text)
    if shift:  # those that move the sentinel themselves start from where it was
        whole = [words_pointers.mixture_sums_to_one, words_pointers.mixture_is_its_formula]
        return [entry(model(COPIER), text, mix) for entry in whole]
    return shared.run_in_worker(
        lambda: measure(words_pointers, model(COPIER), text, found), shared.about(text)
    )
