"""Everything that the page Beam search shows of a tree: the search, its ranking, greedy's and sampled texts, and the
identity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path, Tree
from tlmviz.checks import Check
from tlmviz.checks.translation_search import log_probability_is_of_one_pass
from tlmviz.decoding import continuing
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.decoding.records import Candidate, Search
from tlmviz.decoding.sampling import Sampling
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.translator import Translator
from tlmviz.tokens import Tokenizer, output_names
from tlmviz.ui import compute as shared
from tlmviz.ui import translation

from .state import STRATEGIES, Beam
from .typed_tokens import banned_tokens, forced_tokens

CONTRASTIVE = STRATEGIES[-1]
SAMPLINGS = dict(
    zip(
        STRATEGIES,
        (
            Sampling(temperature=0.0),
            Sampling(temperature=0.8),
            Sampling(top_k=40),
            Sampling(top_p=0.9),
            Sampling(min_p=0.1),
            Sampling(typical=0.9),
        ),
    )
)
NARROW = 10  # width up to which a beam remembers 5 dropped candidates, not 3: a wide tree must stay light
SENT = 200  # texts that the ranking is sent, the most probable ones


@dataclass(frozen=True)
class Data:
    """A search and what it ended with."""

    chosen: Beam

    @property
    def mt(self) -> Translator:
        """The model that translates."""
        return translation.model(self.chosen.model)

    @property
    def lm(self) -> LanguageModel:
        """The model that continues a story."""
        return shared.model(self.chosen.model)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of whichever writes."""
        return (self.mt if self.chosen.has_source else self.lm).tokenizer

    @property
    def lead(self) -> str:
        """What stands before a forced beginning: a space between a prompt and its continuation."""
        return "" if self.chosen.has_source else " "

    @property
    def penalties(self) -> Penalties:
        chosen = self.chosen
        return Penalties(chosen.alpha, chosen.beta, chosen.gamma, chosen.length, chosen.floor)

    @cached_property
    def options(self) -> BeamOptions:
        """The rules for `beam_search`. Raises BadSearch for what no search can do."""
        chosen = self.chosen
        options = BeamOptions(
            width=chosen.width,
            max_length=chosen.longest,
            min_length=chosen.least,
            stop=chosen.stop,
            no_repeat_ngram=chosen.ngram,
            prefix=tuple(forced_tokens(self.tokenizer, chosen.forced, self.lead)),
            banned=frozenset(banned_tokens(self.tokenizer, chosen.banned)),
            groups=chosen.groups,
            diversity=chosen.diversity,
            shown=5 if chosen.width <= NARROW else 3,
        )
        if options.stop == "bound":  # what can still win depends on the penalties
            options = replace(options, penalties=self.penalties, align=self.mt.align if chosen.has_source else None)
        return options

    @cached_property
    def search(self) -> Search:
        """The beam search; weights that only rank do not search again. What groups share comes once. Raises
        BadSearch."""
        find = translation.search if self.chosen.has_source else _story_search
        found = find(self.chosen.model, self.chosen.text, self.options)
        return beam_tree.once(found) if self.chosen.groups > 1 else found

    @cached_property
    def ranked(self) -> list[Candidate]:
        """The texts that it ended with, best first."""
        return self.search.hypotheses(self.penalties)

    @property
    def best(self) -> Candidate:
        return self.ranked[0]

    @property
    def shortest_way(self) -> Candidate:
        """The text that would win without a length penalty."""
        return self.search.hypotheses(replace(self.penalties, alpha=0.0))[0]

    @cached_property
    def greedy(self) -> Candidate:
        """The translation by a beam of 1 under the same rules, scored by the same weights. Raises BadSearch."""
        options = replace(self.options, width=1, groups=1, shown=1, stop=BeamOptions().stop)
        found = translation.search(self.chosen.model, self.chosen.text, translation.without_ranking(options))
        return found.hypotheses(self.penalties)[0]

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Texts to lay over the tree: sampled ones over a story, the greedy one over a wider beam's translations."""
        chosen = self.chosen
        if not chosen.has_source:
            return _samples(chosen.model, chosen.text, tuple(chosen.strategies), self.options.max_length, chosen.seed)
        return () if chosen.width == 1 else (Path("greedy", self.greedy.tokens, self.greedy.logps),)

    @cached_property
    def tree(self) -> Tree:
        """The tree with the winner's way and the others on it."""
        winner = Path("winner", self.best.tokens, self.best.logps, self.best.node)
        return beam_tree.tree(self.search, self.name, (winner, *self.paths))

    @property
    def hardest(self) -> tuple[int, int]:
        """The winner's worst rank among what was kept, and at which step."""
        return beam_tree.hardest(self.search.nodes, self.best.node)

    def name(self, token: int) -> str:
        """A token as it is shown."""
        return output_names(self.tokenizer, [token])[0]

    def text(self, candidate: Candidate | Path) -> str:
        """What a text reads."""
        return (self.mt.text if self.chosen.has_source else self.tokenizer.decode)(candidate.tokens).strip()

    @property
    def rows(self) -> list[dict]:
        """A row for each text, as the browser ranks them: `coverage` is cp / beta and `ends` is ep / gamma, 0 without a
        source.

        `way` are the nodes of the search that lead to it: what is pointed at in the tree lights up there.
        """
        texts = [self.tokenizer.decode(candidate.tokens).strip() for candidate in self.ranked]
        return rows(self.ranked, texts, self.search, self.chosen.floor)

    @property
    def nodes(self) -> pd.DataFrame:
        """One line a node, scored under the penalties in force; `fate` says why it lived or died."""
        search = replace(self.search, penalties=self.penalties)
        table = search.table(self.name)
        table.insert(table.columns.get_loc("total"), "p", np.exp(table["logp"]))
        return table.assign(fate=beam_tree.tree(search, self.name).fates()[1:]).drop(columns="why")

    @property
    def checks(self) -> list[Check]:
        """The log P that the search added up for a translation, against one pass over it."""
        return [one_pass(self, self.best.tokens, self.best.parts.logp)] if self.chosen.has_source else []


def rows(ranked: list[Candidate], texts: list[str], search: Search, floor: float) -> list[dict]:
    """The rows of a ranking, in order of log P."""
    lines = []
    for candidate, text in zip(ranked, texts):
        attention = candidate.map(search.align)
        covered = attention is not None
        lines.append(
            {
                "id": candidate.node,
                "text": text,
                "way": beam_tree.way_to(search.nodes, candidate.node),
                "count": len(candidate.tokens),
                "logp": float(np.sum(candidate.logps, dtype=np.float64)),
                "coverage": float(token_coverage(attention.sum(0), floor).sum()) if covered else 0.0,
                "ends": len(candidate.tokens) / attention.shape[1] if covered else 0.0,
                "finished": candidate.finished,
            }
        )
    return sorted(lines, key=lambda row: -row["logp"])[:SENT]


def by_width(chosen: Beam, options: BeamOptions, widths: tuple[int, ...]) -> dict[int, Search]:
    """The same search in several widths."""
    return {width: translation.search(chosen.model, chosen.text, replace(options, width=width)) for width in widths}


def one_pass(data: Data, tokens: tuple[int, ...], logp: float) -> Check:
    """The log P that a search added up for a text, against one pass over it."""
    mt, text = data.mt, data.chosen.text
    return shared.run_in_worker(lambda: log_probability_is_of_one_pass(mt, text, tokens, logp), shared.about(text))


@st.cache_resource(max_entries=32, show_spinner=False)
def _story_search(model: str, prompt: str, options: BeamOptions) -> Search:
    """A beam search for the most probable continuation of a prompt."""
    return shared.run_in_worker(lambda: beam_search(_story_stepper(model, prompt), options), shared.about(prompt))


@st.cache_resource(max_entries=64, show_spinner=False)
def _samples(model: str, prompt: str, strategies: tuple[str, ...], length: int, seed: int) -> tuple[Path, ...]:
    """One text by each strategy."""

    def text_by(strategy: str) -> Path:
        stepper = _story_stepper(model, prompt)
        if strategy == CONTRASTIVE:
            text = continuing.contrastive(stepper, length=length)
        else:
            [text] = continuing.sample(stepper, SAMPLINGS[strategy], 1, length, seed)
        return Path(strategy, text.tokens, text.logps)

    return shared.run_in_worker(lambda: tuple(map(text_by, strategies)), shared.about(prompt))


def _story_stepper(model: str, prompt: str) -> LanguageStepper:
    lm = shared.model(model)
    return LanguageStepper(lm.network, lm.encode(prompt), lm.tokenizer.end_of_text)
