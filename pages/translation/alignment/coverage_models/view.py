"""Draws the view "With and without coverage": both maps, covloss along the way, and a table of repetitions."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.penalties import Penalties, coverage_loss
from tlmviz.figures.translation import alignment
from tlmviz.tokens import output_names
from tlmviz.ui import frame, translation

from ..view import LOW, coverage_map
from . import compute, words
from .controls import REPEATERS, Choice


def maps(choice: Choice) -> None:
    """One sentence through two models: what they wrote, their maps, and covloss along the way."""
    losses, tokens = {}, {}
    for place, name in zip(st.columns(2), choice.models):
        mt, candidate = translation.model(name), compute.best(name, choice.text, choice.width)
        attention = candidate.map(mt.align)
        source, target = (
            output_names(mt.tokenizer, ids) for ids in (mt.encode(choice.text), candidate.tokens)
        )
        losses[name], tokens[name] = coverage_loss(attention), target
        with place:
            repeats = words.repeats(coverage.repeats(candidate.tokens, words.GRAM))
            st.markdown(f"**{name}**: {mt.text(candidate.tokens) or '(nothing)'} :small[:gray[· {repeats}]]")
            figure = coverage_map(attention, Penalties(), source, target, title=name, height=LOW)
            frame.chart(figure, key=f"map-{name}", alt=words.maps_alt(name))
    figure = alignment.overlap_lines(losses, tokens, frame.theme())
    frame.chart(figure, key="overlaplines", alt=words.OVERLAPLINES_ALT)


def repetitions(choice: Choice) -> None:
    """Sentences that invite repetition, through both models: what is repeated, and the mean covloss."""
    lines = []
    with st.spinner(words.TRANSLATING, show_time=True):
        for text in REPEATERS:
            line = {"sentence": text}
            for name, label in zip(choice.models, ("without", "with")):
                mt, candidate = translation.model(name), compute.best(name, text, choice.width)
                line |= {
                    label: mt.text(candidate.tokens),
                    f"repeats, {label}": coverage.repeats(candidate.tokens, words.GRAM),
                    f"covloss, {label}": float(coverage_loss(candidate.map(mt.align)).mean()),
                }
            lines.append(line)
    table = pd.DataFrame(lines)
    sums = [int(table[f"repeats, {label}"].sum()) for label in ("without", "with")]
    st.caption(
        words.repeated(
            choice,
            len(table),
            sums,
            [float(table[f"covloss, {label}"].mean()) for label in ("without", "with")],
        )
    )
    numbers = [column for column in table if column.startswith(("repeats", "covloss"))]
    st.dataframe(
        table[[column for column in table if column not in numbers] + numbers],
        hide_index=True,
        column_config={
            **{
                column: st.column_config.NumberColumn(format="%.3f" if "cov" in column else "%d", width=118)
                for column in numbers
            },
            **{column: st.column_config.TextColumn(width=152) for column in ("sentence", "without", "with")},
        },
    )
