"""Everything that the part One step shows: the step of a pair or of a window, throws, the tree, costs and
identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.words import one_step, step_costs
from tlmviz.analysis.words.pairs import noise_distribution
from tlmviz.analysis.words.step_costs import Cost
from tlmviz.analysis.words.text import split_words
from tlmviz.checks import Check, Identity, measure, words, words_step
from tlmviz.errors import BadText, UnknownName
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.ui import compute as shared
from tlmviz.ui import words as models
from tlmviz.ui.cached import cached

from .state import BAG, CENTER, CONTEXT, MOST_WORDS, NEGATIVE, SOFTMAX, TREE, Step

MODELS = {SOFTMAX: "words-skipgram", NEGATIVE: "words-negative", BAG: "words-cbow", TREE: "words-hierarchical"}
THROWS = 32  # that the browser has at once
# The identities of the chapter that a step rests on; each holds for some of the models.
BEHIND: tuple[Identity[...], ...] = (
    words.softmax_sums_to_one,
    words.leaves_sum_to_one,
    words.sweep_is_the_product,
    words.gradient_is_autograds,
)


@dataclass(frozen=True)
class Data:
    """What the part shows of a pair, or of CBOW's text."""

    chosen: Step

    @property
    def model(self) -> str:
        """The model of this method."""
        return MODELS[self.chosen.method]

    @property
    def wv(self) -> WordVectors:
        """It, loaded."""
        return models.model(self.model)

    @cached_property
    def pair(self) -> dict[str, str | UnknownName]:
        """The center and the context word as the model spells them, or why it does not know one; CBOW has a text."""
        found: dict[str, str | UnknownName] = {"center": CENTER, "context": CONTEXT}
        for name in found if self.chosen.method != BAG else ():
            try:
                found[name] = self.wv.vocabulary[self.wv.index(getattr(self.chosen, name))]
            except UnknownName as error:
                found[name] = error
        return found

    @property
    def center(self) -> str:
        """The word whose vector is read."""
        found = self.pair["center"]
        return found if isinstance(found, str) else CENTER

    @property
    def context(self) -> str:
        """The word that was there."""
        found = self.pair["context"]
        return found if isinstance(found, str) else CONTEXT

    @property
    def refused(self) -> dict[str, UnknownName]:
        """Why words of the pair were not read, by what is shown in their place."""
        shown = {"center": CENTER, "context": CONTEXT}
        return {shown[name]: why for name, why in self.pair.items() if isinstance(why, UnknownName)}

    @cached_property
    def known(self) -> list[str]:
        """The words of CBOW's text that its model knows. Raises BadText for fewer than two."""
        if self.chosen.method != BAG:
            return []
        known = [word for word in split_words(self.chosen.text) if word in self.wv]
        if len(known) < 2:
            raise BadText(
                "A window needs at least two words that {model} knows; of this text it knows {count}. "
                "Type everyday English words.",
                model=self.model,
                count=len(known),
            )
        return known

    @property
    def text(self) -> list[str]:
        """Those of them that are shown."""
        return self.known[:MOST_WORDS]

    @property
    def unknown(self) -> list[str]:
        """What was left out of CBOW's text."""
        every = split_words(self.chosen.text) if self.chosen.method == BAG else []
        return list(dict.fromkeys(word for word in every if word not in self.wv))

    @cached_property
    def place(self) -> int:
        """CBOW's word: the chosen one, else the one that its window expects least."""
        if self.chosen.at is not None:
            return min(int(self.chosen.at), len(self.text) - 1)
        wv = self.wv
        scores = [float(wv.scores(self.around(at))[wv.index(word)]) for at, word in enumerate(self.text)]
        return int(np.argmin(scores))

    def around(self, at: int) -> list[str]:
        """The words of the window around a place of CBOW's text."""
        return [word for k, word in enumerate(self.text) if k != at and abs(k - at) <= self.chosen.window]

    @property
    def target(self) -> str:
        """The word that was there."""
        return self.text[self.place] if self.text else self.context

    @property
    def first(self) -> int:
        """The seed of the first of the throws that are sent together."""
        return int(self.chosen.seed) // THROWS * THROWS

    @cached(32)
    def throws(model: str, negatives: int, first: int) -> tuple[np.ndarray, np.ndarray]:
        """Numbers [S, k] and the words drawn [S, k] of S = THROWS seeds from `first` on."""
        wv = models.model(model)
        every = [one_step.draws(wv.counts, wv.config.power, negatives, seed) for seed in range(first, first + THROWS)]
        return np.array([numbers for numbers, _ in every]), np.array([drawn for _, drawn in every])

    @property
    def lines(self) -> tuple[np.ndarray, np.ndarray]:
        """Where each word's part of the line ends: by its count, and by its count to the power of the noise
        distribution."""
        counts = self.wv.counts
        return noise_distribution(counts, 1.0).cumsum(), noise_distribution(counts, self.wv.config.power).cumsum()

    @cached_property
    def drawn(self) -> list[str]:
        """The words of this throw; none where the method draws none."""
        if self.chosen.method not in (NEGATIVE, BAG):
            return []
        return [self.wv.vocabulary[row] for row in self.throws[1][self.chosen.seed - self.first]]

    @cached_property
    def step(self) -> one_step.Step:
        """The step, on all outputs or on the word that was there and those drawn."""
        wv = self.wv
        if self.chosen.method in (SOFTMAX, TREE):
            return _step(self.chosen.method, self.center, self.context)
        rows = np.array([wv.index(word) for word in (self.target, *self.drawn)])
        outputs = wv.context_vectors[rows].double().numpy()
        if self.chosen.method == NEGATIVE:
            return one_step.sampled_step(wv.vector(self.center).double().numpy(), outputs, rows)
        mean, lift = one_step.bag(wv, self.around(self.place))
        return one_step.sampled_step(mean, outputs, rows, lift)

    def after(self, rate: float) -> tuple[float, float]:
        """The probability of the word that was there, after a step of a rate, and the loss."""
        scores, wv = self.step.moved_scores(rate, self.chosen.everything), self.wv
        if self.chosen.method == SOFTMAX:
            loss = one_step.softmax_loss(scores, wv.index(self.context))
        elif self.chosen.method == TREE:
            loss = one_step.logistic_loss(scores, one_step.path_signs(wv, self.context))
        else:
            return float(one_step.sigmoid(scores)[0]), one_step.logistic_loss(scores, one_step.signs_of(self.step.rows))
        return float(np.exp(-loss)), loss

    @property
    def decisions(self) -> int:
        """How many turns of the tree lead to the context word; 0 without a tree."""
        return len(self.wv.path(self.context).nodes) if self.chosen.method == TREE else 0

    @cached(32)
    def costs(negatives: int, decisions: int) -> list[Cost]:
        """What a step costs by each method, on tables of one size; the path is the context word's, or the mean one."""
        wv = models.model(MODELS[NEGATIVE])
        return shared.run_in_worker(lambda: step_costs.costs(wv, negatives, decisions or step_costs.mean_path(wv)))

    @property
    def given(self) -> list[str]:
        """What the identities are measured on: this pair or, for CBOW, the text."""
        return self.text or [self.center, self.context]

    @cached(32)
    def checks(model: str, given: list[str]) -> list[Check]:
        """The identities."""
        wv = models.model(model)
        entries = [entry for entry in BEHIND if entry.applies(wv)]
        return shared.run_in_worker(
            lambda: [*measure(words_step, wv, given), *(entry(wv, given) for entry in entries)], gradients=True
        )


@st.cache_resource(max_entries=16, show_spinner=False)
def _step(method: str, center: str, context: str) -> one_step.Step:
    make = one_step.softmax_step if method == SOFTMAX else one_step.tree_step
    return shared.run_in_worker(lambda: make(models.model(MODELS[method]), center, context))
