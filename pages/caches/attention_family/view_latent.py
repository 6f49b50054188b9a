"""Draws the part Latent attention of the page Attention family: weight absorption, and content and rotary scores."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.caches.family import Sizes, Variant
from tlmviz.analysis.caches.weight_absorption import folded_counts, folding
from tlmviz.figures.caches import latent as figures
from tlmviz.figures.kernels.long_context import per_head
from tlmviz.ui import frame

from . import compute, controls, view, words
from .controls import Choice

FOLDING_WIDTH = 620  # pixels: it stands in a column


def latent(choice: Choice) -> None:
    """The absorbed matrices, the parts of a head's score, and what RoPE would do in their place."""
    config = choice.reading.lm.config
    choice = controls.choose_head(choice, config.n_layers, config.n_heads)
    left, right = st.columns([0.7, 0.3])
    with left:
        _folding(choice)
    with right:
        shares = compute.rotary_shares(choice.reading)
        title = words.ROTARY_SHARE_SCORES
        figure = per_head(shares, title, frame.theme(), top=1.0, height=330)
        frame.chart(figure, key="rotary", alt=words.ROTARY_ALT)
    _costs(choice)
    _scores(choice)
    view.turning(choice, "W_↑K")
    frame.copy_as_python(words.latent_snippet(choice))


def _folding(choice: Choice) -> None:
    """The two products of weight absorption with their factors."""
    lm = choice.reading.lm
    folded, (state, query) = folding(lm, choice.layer, choice.head), words.query_product(lm.config)
    products = {
        f"The score: {state} {query} W_↑K' c_s'": {
            query: folded.query,
            "W_↑K'": folded.up_k,
            "absorbed": folded.score,
        },
        "The output: Σ a_ts c_s W_↑V W_O": {
            "W_↑V": folded.up_v,
            "W_O": folded.out,
            "absorbed": folded.value,
        },
    }
    parts = [
        ([(name, matrix.numpy()) for name, matrix in matrices.items()], label)
        for label, matrices in products.items()
    ]
    alt = words.folding_heading(choice.layer, choice.head)
    with frame.wide("wide-folding", FOLDING_WIDTH):
        frame.chart(figures.folding(parts, frame.theme()), key="folding", alt=alt)


def _costs(choice: Choice) -> None:
    """The measured error, what absorbing saves per token, and that the stored product would be larger than its factors."""
    lm = choice.reading.lm
    error = compute.absorbed_errors(choice.reading)[choice.layer]
    variant = Variant(Sizes.of(lm.config), None)
    st.caption(words.absorption(choice.layer, error, variant, len(choice.reading.trace), folded_counts(lm)))


def _scores(choice: Choice) -> None:
    """A head's score as content and rotary part, and its softmax."""
    content, rotary, weights = compute.latent_parts(choice.reading, choice.layer, choice.head)
    tokens, title = (
        choice.reading.trace.tokens,
        words.score_parts_heading(choice.layer, choice.head),
    )
    start = len(tokens) - len(content)
    title += f", last {len(content)} of {len(tokens)} tokens" if start else ""
    figure = figures.score_parts(
        content, rotary, weights, tokens[start:], frame.theme(), title=title, start=start
    )
    with frame.wide("wide-scores", view.WIDTH):
        frame.chart(
            figure,
            key="scoreparts",
            alt=words.scoreparts_alt(choice.layer, choice.head),
        )
