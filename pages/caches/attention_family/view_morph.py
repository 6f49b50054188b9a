"""Draws the part Morph of the page Attention family: one layer from MHA to MLA, and the matrices of each variant."""

from __future__ import annotations

from dataclasses import asdict

import pandas as pd
import streamlit as st

from tlmviz.analysis.caches.family import Variant, shape_rows
from tlmviz.figures.caches import family as figures
from tlmviz.ui import frame

from . import controls, guess, words
from .controls import Choice, Morph
from .view import WIDTH


def morph(choice: Choice) -> None:
    """From MHA to MLA, and the matrices of each."""
    with frame.picture_first():
        with frame.after_picture(pairs=False):
            options = controls.choose_morph(choice)
        if not guess.seen(choice, options.sizes):
            return
        _picture(options)
    variants = options.sizes.variants()
    frame.caption(words.morph_caption(options, variants), maths=words.morph_costs(options, variants))
    _matrices(variants, options.opening)
    frame.copy_as_python(words.morph_snippet(options))


def _picture(options: Morph) -> None:
    """The picture that is walked."""
    variants = options.sizes.variants()
    flops = [variant.flops(options.length) for variant in variants]
    figure = figures.morph(
        variants, flops, asdict(options.sizes), options.length, options.opening, frame.theme()
    )
    with frame.wide("wide-morph", WIDTH):
        frame.chart(
            figure,
            key="morph",
            alt=words.MORPH_ALT,
        )


def _matrices(variants: list[Variant], opening: int) -> None:
    """Which projections there are, their shapes, how many, and who uses one: ends of the family and the opened variant."""
    columns = {}
    for i in sorted({0, opening, len(variants) - 2, len(variants) - 1}):
        variant = variants[i]
        columns[variant.name] = {
            str(
                row["Matrix"]
            ): f"{row['How many']} × ({row['Shape']}), per {row['Used by'].removeprefix('one ')}"
            for row in shape_rows(variant)
        }
        columns[variant.name]["together"] = f"{variant.parameters:,} parameters"
    order = ["W_Q", "W_↓Q", "W_↑Q", "W_K", "W_V", "W_↓KV", "W_KR", "W_↑K", "W_↑V", "W_O", "together"]
    used = [row for row in order if any(row in column for column in columns.values())]
    table = pd.DataFrame(columns).reindex(used).fillna("–")
    with st.expander(words.PROJECTIONS):
        st.dataframe(table)
