"""Everything that the page Pointers shows: what a network draws through points, and what another one copies from a
text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float

import tlmviz
from tlmviz.analysis.words.copying import closed, returns
from tlmviz.analysis.words.hulls import Quality, Verdict, exact_hull, judge, quality
from tlmviz.checks import Check, measure, words_pointers
from tlmviz.errors import BadText
from tlmviz.facades.hull import Drawing, HullFinder, distinct
from tlmviz.facades.mixture import Mixture, MixtureModel
from tlmviz.ui import compute as shared

from .state import HULL, LONGEST, Choice, Points

NAME = "pointer-hull"
NUMBERS, SETS = (5, 10, 20, 50, 100, 200), 20
COPIER, PLAIN = "stories-sentinel", "stories-sentinel-plain"
SHOWN = 9  # words of a prediction


@dataclass(frozen=True)
class Hull:
    """What a network draws through points."""

    chosen: Choice
    points: Points

    @property
    def drawing(self) -> Drawing:
        """The line, and the weights of every step."""
        return _drawing(self.points)

    @cached_property
    def exact(self) -> list[int]:
        """SciPy's corners."""
        return exact_hull(self.chosen.array).tolist()

    @cached_property
    def verdict(self) -> Verdict:
        """What the line is worth."""
        return judge(self.chosen.array, self.drawing.order)

    @property
    def step(self) -> int:
        """The step that is drawn, from 1: the chosen one, and where none is, the one at which the network hesitates."""
        return min(self.chosen.step, len(self.drawing.attention)) or self.doubtful

    @cached_property
    def doubtful(self) -> int:
        """The step, from 1, whose weights have the most entropy."""
        weights = self.drawing.attention.astype(np.float64)
        return int(np.argmax(-(weights * np.log(np.maximum(weights, 1e-30))).sum(1))) + 1

    @cached_property
    def places(self) -> int:
        """How many different places the points have."""
        return len(distinct(self.chosen.array))

    @property
    def reach(self) -> list[Quality]:
        """The network on fresh sets of more and more points."""
        return _reach()

    @property
    def checks(self) -> list[Check]:
        """The identities, on these points."""
        return shared.run_in_worker(
            lambda: measure(words_pointers, finder(), self.chosen.array, self.drawing), len(self.points)
        )


@dataclass(frozen=True)
class Offer:
    """A word that may follow: its name, and what of its probability is written and what is copied."""

    word: str
    written: float
    copied: float


@dataclass(frozen=True)
class Copies:
    """What a model that copies says of a text, and its twin without a pointer."""

    chosen: Choice

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


def compute(chosen: Choice) -> Hull | Copies:
    """The data of a state. Raises BadShape, and BadText for a text that cannot be shown."""
    if chosen.part == HULL:
        return Hull(chosen, chosen.shown)
    count = len(model(COPIER).encode(chosen.text).tokens)
    if not 2 <= count <= LONGEST:
        raise BadText(
            "This page shows 2 to {most} words and marks; this text has {count:,}.", count=count, most=LONGEST
        )
    return Copies(chosen)


@st.cache_resource(show_spinner=False)
def finder() -> HullFinder:
    """The network that draws."""
    found = tlmviz.load(NAME)
    assert isinstance(found, HullFinder)
    return found


@st.cache_resource(max_entries=64, show_spinner=False)
def _drawing(points: Points) -> Drawing:
    array = np.array(points, np.float64) / 1000
    return shared.run_in_worker(lambda: finder().draw(array), len(points))


@st.cache_data(show_spinner=False)
def _reach() -> list[Quality]:
    return shared.run_in_worker(lambda: [quality(finder().hull, n, SETS, seed=n) for n in NUMBERS], 1)


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
