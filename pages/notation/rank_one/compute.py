"""Everything the page Rank-1 pictures computes, cached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from tlmviz.analysis.notation import model_products, rank_one
from tlmviz.analysis.notation.model_products import SOURCES
from tlmviz.analysis.notation.rank_one import Product, Terms
from tlmviz.checks import Check
from tlmviz.checks import notation_rank_one as checks
from tlmviz.ui import compute, inputs

if TYPE_CHECKING:
    from .controls import Choice

TOKENS = 96  # of the text, whose P V is taken apart


@st.cache_data(max_entries=32, show_spinner=False)
def plainest(model: str) -> tuple[int, int]:
    """The head whose P V a few terms come nearest to, on the text that the app opens with."""
    lm, trace = compute.model(model), compute.trace(model, inputs.DEFAULT_TEXT)
    return compute.run_in_worker(lambda: model_products.plainest(lm, trace, TOKENS), len(trace))


@st.cache_resource(max_entries=24, show_spinner=False)
def product(choice: Choice) -> Product:
    """The matrix. Raises BadShape for what is typed and is none."""
    if choice.source not in SOURCES:
        return rank_one.read(choice.typed)
    text = choice.text or inputs.DEFAULT_TEXT  # weights do not depend on it
    lm, trace = choice.lm, compute.trace(choice.model, text)
    return compute.run_in_worker(
        lambda: model_products.of_head(lm, trace, choice.source, choice.layer, choice.head, TOKENS)
    )


@st.cache_resource(max_entries=24, show_spinner=False)
def terms(choice: Choice) -> tuple[dict[str, Terms], np.ndarray]:
    """Its terms by every way, and the singular values."""
    found = product(choice)

    def work() -> tuple[dict[str, Terms], np.ndarray]:
        every = {way: rank_one.terms(found, way) for way in found.ways}
        return every, np.linalg.norm(every[rank_one.SINGULAR].columns, axis=0)

    return compute.run_in_worker(work)


@st.cache_resource(max_entries=24, show_spinner=False)
def measured(choice: Choice) -> list[Check]:
    """The identities behind this page, on the matrix that is shown."""
    found = product(choice)

    def work() -> list[Check]:
        every = [checks.terms_add_up(found), checks.singular_terms_come_nearest(found)]
        if choice.source == model_products.MIXED:
            every.append(checks.mixed_is_the_output(choice.lm, choice.trace))
        return every

    return compute.run_in_worker(work)
