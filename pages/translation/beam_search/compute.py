"""Everything the page Beam search computes, cached: searches, sampled texts, exact search, and the identity on a text."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.checks import Check
from tlmviz.checks.translation_search import log_probability_is_of_one_pass
from tlmviz.decoding import continuing
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.exact import Exact, ExactOptions, exact_search
from tlmviz.decoding.records import Candidate, Search
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .controls import CONTRASTIVE, STRATEGIES, Choice

Known = tuple[tuple[int, ...], float]  # a text and its log P


def search(choice: Choice) -> Search:
    """The beam search; weights that only rank do not search again. What groups share comes once. Raises BadSearch."""
    find = translation.search if choice.has_source else _story_search
    found = find(choice.model, choice.text, choice.options)
    return beam_tree.once(found) if choice.rules.groups > 1 else found


def greedy(choice: Choice) -> Candidate:
    """The translation by a beam of 1 under the same rules, scored by the same weights. Raises BadSearch."""
    options = replace(choice.options, width=1, groups=1, shown=1, stop=BeamOptions().stop)
    found = translation.search(choice.model, choice.text, translation.without_ranking(options))
    return found.hypotheses(choice.penalties)[0]


def paths(choice: Choice) -> tuple[Path, ...]:
    """Texts to lay over the tree: sampled ones over a story, the greedy one over a wider beam's translations."""
    if not choice.has_source:
        length = choice.options.max_length
        return _samples(choice.model, choice.text, choice.strategies, length, choice.seed)
    if choice.rules.width == 1:
        return ()
    candidate = greedy(choice)
    return (Path("greedy", candidate.tokens, candidate.logps),)


def by_width(choice: Choice, options: BeamOptions, widths: tuple[int, ...]) -> dict[int, Search]:
    """The same search in several widths."""
    return {
        width: translation.search(choice.model, choice.text, replace(options, width=width))
        for width in widths
    }


def beginning(choice: Choice, tokens: int) -> Candidate:
    """The most probable beginning of so many tokens that the beam finds."""
    options = BeamOptions(width=choice.rules.width, max_length=tokens, stop="never")
    candidates = translation.search(choice.model, choice.text, options).hypotheses()
    return max(candidates, key=lambda candidate: candidate.parts.logp)


@st.cache_resource(max_entries=64, show_spinner=False)
def exact(model: str, text: str, horizon: int | None = None, known: Known | None = None) -> Exact:
    """The most probable translation, or beginning of `horizon` tokens, as far as a few seconds go."""
    mt = translation.model(model)
    options = ExactOptions(
        max_length=mt.longest(text), horizon=horizon, known=known, expansions=4000, seconds=6.0
    )
    return shared.run_in_worker(lambda: exact_search(mt.stepper(text), options), shared.about(text))


def one_pass(choice: Choice, tokens: tuple[int, ...], logp: float) -> Check:
    """The log P that the search added up for a text, against one pass over it."""
    return shared.run_in_worker(
        lambda: log_probability_is_of_one_pass(choice.mt, choice.text, tokens, logp),
        shared.about(choice.text),
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _story_search(model: str, prompt: str, options: BeamOptions) -> Search:
    """A beam search for the most probable continuation of a prompt."""
    return shared.run_in_worker(
        lambda: beam_search(_story_stepper(model, prompt), options), shared.about(prompt)
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def _samples(
    model: str, prompt: str, strategies: tuple[str, ...], length: int, seed: int
) -> tuple[Path, ...]:
    """One text by each strategy."""

    def text_by(strategy: str) -> Path:
        stepper = _story_stepper(model, prompt)
        if strategy == CONTRASTIVE:
            text = continuing.contrastive(stepper, length=length)
        else:
            [text] = continuing.sample(stepper, STRATEGIES[strategy], 1, length, seed)
        return Path(strategy, text.tokens, text.logps)

    return shared.run_in_worker(lambda: tuple(map(text_by, strategies)), shared.about(prompt))


def _story_stepper(model: str, prompt: str) -> LanguageStepper:
    lm = shared.model(model)
    return LanguageStepper(lm.network, lm.encode(prompt), lm.tokenizer.end_of_text)
