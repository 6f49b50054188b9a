"""Draws the view Masks: the table of all methods, one method's pattern and mass, and cost against loss."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.figures.kernels import long_context as figures
from tlmviz.figures.written import large
from tlmviz.ui import frame

from .. import controls as page_controls
from ..compute import Passage, checks, read
from ..controls import Choice
from . import compute, controls, needle, words
from .compute import Result
from .controls import MaskChoice


def show(choice: Choice) -> None:
    """Sparse and linear attention in place of the softmax, and the words."""
    passage = page_controls.passage(choice)
    length = len(passage.ids)
    with st.spinner(words.reading_text(length), show_time=True):
        read(passage)
    methods = controls.choose()
    results = measure(passage, methods)
    table = compute.table(passage, results)
    numbers(table)
    sampled = [name for name, part in results.items() if not part.measures[0].counted]
    st.caption(words.caption(results[controls.FULL].measures[0].queries, length, sampled))
    left, middle, right = st.columns([0.3, 0.3, 0.4])
    with left:
        methods = controls.choose_pattern(methods)
        pattern(choice, passage, methods)
    with middle:
        mass(methods, results[methods.pattern])
    with right:
        if length > 1:
            trade(table)
    needle.show(choice.model, methods)
    frame.what_to_notice(*words.NOTICE)
    frame.measured(lambda: checks(passage))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, length, methods))


def measure(passage: Passage, choice: MaskChoice) -> dict[str, Result]:
    """Every method's result by name, one after the other with its name in a bar."""
    results, place, layers = {}, st.empty(), passage.lm.config.n_layers
    for name, method in choice.methods.items():
        with place, st.spinner(words.measuring(name, layers), show_time=True):
            results[name] = compute.result(passage, method)
    place.empty()
    return results


def numbers(table: pd.DataFrame) -> None:
    """The table of all methods."""
    frame.table(
        table,
        {
            "FLOP": large,
            words.KEYS_SEEN: ",.1f",
            "Cached numbers": ",",
            "Output error": ".3f",
            "Loss": ".3f",
            "Change": "+.3f",
        },
        words.COLUMNS,
        {
            "Mass covered": st.column_config.ProgressColumn(
                format="%.3f", min_value=0, max_value=1, help=words.COLUMNS["Mass covered"]
            )
        },
    )


def pattern(choice: Choice, passage: Passage, methods: MaskChoice) -> None:
    """Which keys the method lets the chosen head's queries see."""
    picture = compute.pattern(passage, choice.layer, methods.method)[choice.head]
    title = f"{methods.pattern}, head {choice.layer}.{choice.head}"
    figure = figures.mask(picture, len(passage.ids), title, methods.linear, frame.theme())
    frame.chart(figure, key="pattern", alt=words.pattern_alt(methods.pattern))


def mass(methods: MaskChoice, result: Result) -> None:
    """The attention mass that the method covers in every head, or shares with the softmax."""
    title, caption = words.MASS_SHARED if methods.linear else words.MASS_COVERED
    if caption:
        st.caption(caption)
    figure = figures.per_head(result.mass, f"{title} (probability)", frame.theme(), top=1.0, height=330)
    frame.chart(figure, key="mass", alt=f"{title} by {methods.pattern}, per head")


def trade(table: pd.DataFrame) -> None:
    """Change of the loss against operations."""
    flops, change = table["FLOP"].to_numpy(), table["Change"].to_numpy()
    figure = figures.trade(list(table["Method"]), flops, change, frame.theme())
    frame.chart(figure, key="trade", alt=words.TRADE_ALT)
