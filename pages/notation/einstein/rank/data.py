"""Everything that the part Rank-1 pictures shows: a matrix, its terms by every way, and what is left after each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis.notation import model_products, rank_one
from tlmviz.analysis.notation.model_products import MIXED
from tlmviz.analysis.notation.rank_one import SINGULAR, Product, Terms
from tlmviz.checks import Check
from tlmviz.checks import notation_rank_one as checks
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import inputs
from tlmviz.ui.cached import cached

from .state import OWN, Rank

TOKENS = 96  # of the text, whose P V is taken apart


@dataclass(frozen=True)
class Data:
    """A matrix as sums of outer products. Raises BadShape for what is typed and is none."""

    chosen: Rank

    @property
    def of_text(self) -> bool:
        """Whether the rows are tokens."""
        return self.chosen.source == MIXED

    @property
    def trace(self) -> Trace:
        """The model's pass over the text."""
        return shared.trace(self.chosen.model, self.chosen.text)

    @cached_property
    def product(self) -> Product:
        """The matrix."""
        chosen = self.chosen
        if chosen.source == OWN:
            return rank_one.read(chosen.typed)
        text = chosen.text if self.of_text else inputs.DEFAULT_TEXT  # weights do not depend on it
        return _of_head(chosen.model, text, chosen.source, chosen.layer, chosen.head)

    @property
    def tokens(self) -> list[str]:
        """The tokens of its rows."""
        return self.trace.tokens[: len(self.product.left)] if self.of_text else []

    @cached_property
    def terms(self) -> dict[str, Terms]:
        """Its terms by every way."""
        return {way: rank_one.terms(self.product, way) for way in self.product.ways}

    @cached_property
    def values(self) -> np.ndarray:
        """The singular values."""
        found: np.ndarray = np.linalg.norm(self.terms[SINGULAR].columns, axis=0)
        return found

    @property
    def rank(self) -> int:
        """How many of them are above 0."""
        return rank_one.rank(self.values)

    @property
    def way(self) -> str:
        """The way that is shown: the chosen one, or the first of a matrix that is no product."""
        return self.chosen.way if self.chosen.way in self.terms else self.product.ways[0]

    @property
    def count(self) -> int:
        """How many terms are added up."""
        return min(self.chosen.count, len(self.terms[self.way]))

    def left(self, way: str, count: int) -> float:
        """What so many terms leave, as a share of the norm: the largest first, or as they stand where the picture says
        so."""
        found = self.terms[way]
        ordered = self.chosen.sorted or way == SINGULAR
        errors = found.errors(found.largest_first() if ordered else None)
        return float(errors[min(count, len(found))])

    @cached(32)
    def plainest(model: str) -> tuple[int, int]:
        """The head whose P V a few terms come nearest to, on the text that the app opens with."""
        lm, trace = shared.model(model), shared.trace(model, inputs.DEFAULT_TEXT)
        return shared.run_in_worker(lambda: model_products.plainest(lm, trace, TOKENS), len(trace))

    @property
    def checks(self) -> list[Check]:
        """The identities behind this part, on the matrix that is shown."""
        found = [checks.terms_add_up(self.product), checks.singular_terms_come_nearest(self.product)]
        if self.of_text:
            lm = shared.model(self.chosen.model)
            found.append(shared.run_in_worker(lambda: checks.mixed_is_the_output(lm, self.trace)))
        return found


@st.cache_resource(max_entries=24, show_spinner=False)
def _of_head(model: str, text: str, source: str, layer: int, head: int) -> Product:
    lm, trace = shared.model(model), shared.trace(model, text)
    return shared.run_in_worker(lambda: model_products.of_head(lm, trace, source, layer, head, TOKENS))
