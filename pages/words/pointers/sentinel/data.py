"""Everything that the part Words of a text shows: what a model copies from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

import tlmviz
from tlmviz.analysis.words.copying import closed, returns
from tlmviz.checks import Check, measure, words_pointers
from tlmviz.errors import BadText
from tlmviz.facades.mixture import Mixture, MixtureModel
from tlmviz.ui import compute as shared

from ..state import LONGEST, Choice

COPIER, PLAIN = "stories-sentinel", "stories-sentinel-plain"
SHOWN = 9  # words of a prediction


@dataclass(frozen=True)
class Offer:
    """A word that may follow: its name, and what of its probability is written and what is copied."""

    word: str
    written: float
    copied: float


@dataclass(frozen=True)
class Data:
    """What a model that copies says of a text, and its twin without a pointer."""

    chosen: Choice

    @cached_property
    def refused(self) -> BadText | None:
        """Why the text cannot be shown."""
        try:
            count = len(model(COPIER).encode(self.chosen.text).tokens)
        except BadText as error:
            return error
        if 2 <= count <= LONGEST:
            return None
        return BadText(
            "This page shows 2 to {most} words and marks; this text has {count:,}.", count=count, most=LONGEST
        )

    @property
    def mix(self) -> Mixture:
        """As the sentinel's score was moved."""
        return mixture(COPIER, self.chosen.text, self.chosen.shift)

    @property
    def unmoved(self) -> Mixture:
        """With the score that was learned."""
        return mixture(COPIER, self.chosen.text)

    @cached_property
    def offers(self) -> list[list[Offer]]:
        """Behind each word the most probable ones, and the one that follows in the text."""
        return [_offers(self.mix, row) for row in range(len(self.mix.ids))]

    @cached_property
    def most_copied(self) -> int:
        """The word of the text, from 1 as the second, that is copied with the highest probability."""
        mix, rows = self.mix, np.arange(len(self.mix.ids) - 1)
        copied = mix.mixed[rows, mix.ids[1:]] - mix.gate[:-1] * mix.vocabulary[rows, mix.ids[1:]]
        return int(copied.argmax()) + 1

    @cached_property
    def hits(self) -> dict[str, tuple[int, int]]:
        """Of the unknown words that come again: how often each is the most probable word there, and of how many
        places."""
        mix, found = self.mix, {}
        for word in mix.unknown:
            places = np.flatnonzero(mix.ids == mix.words.index(word))[1:]
            if len(places):
                best = int((mix.mixed[places - 1].argmax(1) == mix.ids[places]).sum())
                found[word] = best, len(places)
        return found

    @cached_property
    def nats(self) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """The loss of each word after the first, of the mixture as it was moved and of its twin; all unknown words as
        one."""
        twin = mixture(PLAIN, self.chosen.text)
        one, other = (-np.log(np.maximum(closed(mix), 1e-20)) for mix in (self.mix, twin))
        return one, other

    @cached_property
    def own(self) -> Float[np.ndarray, " n"]:
        """The mixture's loss of each word after the first, an unknown one being right as that very word alone."""
        return -np.log(np.maximum(self.mix.probabilities(), 1e-20))

    @cached_property
    def again(self) -> Bool[np.ndarray, " n"]:
        """Which of the words after the first are unknown and stand in the text already."""
        return returns(self.mix) & (self.mix.ids[1:] >= self.mix.size)

    @property
    def checks(self) -> list[Check]:
        """The identities, on this text."""
        if self.chosen.shift:  # those that move the sentinel themselves start from where it was
            whole = [words_pointers.mixture_sums_to_one, words_pointers.mixture_is_its_formula]
            return [entry(model(COPIER), self.chosen.text, self.mix) for entry in whole]
        return shared.run_in_worker(
            lambda: measure(words_pointers, model(COPIER), self.chosen.text, self.mix), shared.about(self.chosen.text)
        )


@st.cache_resource(max_entries=2, show_spinner=False)
def model(name: str) -> MixtureModel:
    """A loaded model of words."""
    found = tlmviz.load(name)
    assert isinstance(found, MixtureModel)
    return found


@st.cache_resource(max_entries=32, show_spinner=False)
def mixture(name: str, text: str, shift: float = 0.0) -> Mixture:
    """What a model says of a text. Raises BadText."""
    return shared.run_in_worker(lambda: model(name).mixture(text, shift), shared.about(text))


def _offers(mix: Mixture, row: int) -> list[Offer]:
    best = np.argsort(-mix.mixed[row])[:SHOWN].tolist()
    if row + 1 < len(mix.ids) and mix.ids[row + 1] not in best:
        best[-1] = int(mix.ids[row + 1])
    written = mix.gate[row] * mix.vocabulary[row]
    return [Offer(mix.words[i], float(written[i]), float(max(0.0, mix.mixed[row, i] - written[i]))) for i in best]
