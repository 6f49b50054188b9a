"""Draws the page Model zoo: charts, the table, and a model's card."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.figures.models import zoo as figures
from tlmviz.ui import compute as shared
from tlmviz.ui import frame

from . import compute, words
from .controls import CARD, Choice

ROWS = "zoorows"  # the key of the table
GROUPS = ("baseline", "positions", "attention", "norm", "seed")  # as they are drawn
ORDER = (
    "model",
    "open",
    "choice",
    "bits_per_byte",
    "difference",
    "verdict",
    "parameters",
    "cache_bytes_per_token",
    "decode_tokens_per_s",
    "training_tokens_per_s",
)


def in_groups(table: pd.DataFrame) -> pd.DataFrame:
    """The lines in the order of the charts: by group, then by quality."""
    rank = table["group"].map({group: place for place, group in enumerate(GROUPS)}).fillna(len(GROUPS))
    return table.assign(rank=rank).sort_values(["rank", "bits_per_byte"], kind="stable")


def quality(table: pd.DataFrame, noise: compute.Noise) -> None:
    """Quality of every choice, and quality against the cache."""
    theme, ordered = frame.theme(), in_groups(table)
    left, right = st.columns([0.58, 0.42])
    with left:
        bits = ordered["bits_per_byte"].to_numpy()
        figure = figures.choices(list(ordered["choice"]), list(ordered["group"]), bits, noise.band, theme)
        frame.chart(figure, key="choices", alt=words.CHOICES_ALT)
    with right:
        bundled = ordered[ordered["group"] != "seed"]
        figure = figures.trade(
            list(bundled["model"]),
            list(bundled["choice"]),
            list(bundled["group"]),
            bundled["cache_bytes_per_token"].to_numpy(),
            bundled["bits_per_byte"].to_numpy(),
            noise.band,
            theme,
        )
        frame.chart(figure, key="zootrade", alt=words.ZOOTRADE_ALT)


def costs(table: pd.DataFrame) -> None:
    """Parameters, cache and both speeds of every choice."""
    bundled = in_groups(table[table["group"] != "seed"])
    columns = {
        "parameters": "parameters",
        words.CACHE_AXIS: "cache_bytes_per_token",
        "tokens/s, decoding": "decode_tokens_per_s",
        "tokens/s, training": "training_tokens_per_s",
    }
    values = {title: bundled[column].to_numpy() for title, column in columns.items()}
    figure = figures.costs(list(bundled["choice"]), list(bundled["group"]), values, frame.theme())
    frame.chart(figure, key="zoocosts", alt=words.ZOOCOSTS_ALT)


def numbers(table: pd.DataFrame) -> None:
    """The whole table, to sort and to take away; a chosen line opens that model's card."""
    rows = table.assign(open=[compute.link(model) for model in table["model"]])[list(ORDER)]
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn

    def open_card() -> None:
        selected = frame.selection(ROWS).get("rows")
        if selected and table["model"].iloc[selected[0]] in shared.models():
            st.session_state[CARD] = table["model"].iloc[selected[0]]

    frame.table(
        rows,
        {"difference": "+.4f"},
        key=ROWS,
        on_select=open_card,
        selection_mode="single-row",
        columns={
            "model": text("Model", width=108),
            "choice": text("Choice", width=172),
            "open": st.column_config.LinkColumn(
                "Open", display_text="explorer", width=64, help=words.OPEN_HELP
            ),
            "bits_per_byte": number("Bits/byte", format="%.4f", width=72, help=words.BITS_HELP),
            "difference": number("Difference", width=78, help=words.DIFFERENCE_HELP),
            "verdict": text("Verdict", width=124),
            "parameters": number("Parameters", format="localized", width=84),
            "cache_bytes_per_token": number(
                "Cache/token", format="localized", width=90, help="Bytes, all layers, float32"
            ),
            "decode_tokens_per_s": number("Decode/s", format="localized", width=72, help=words.DECODE_HELP),
            "training_tokens_per_s": number("Train/s", format="localized", width=68, help=words.TRAIN_HELP),
        },
    )


def card(choice: Choice) -> None:
    """One model's card. Raises UnknownName where it has none."""
    before, curve, after = compute.card(choice.card)
    with st.expander(f"Card of {choice.card}", expanded=True):
        st.markdown(before)
        if curve is not None:
            st.image(str(curve), width=520, alt=words.curve_alt(choice.card))
        st.markdown(after)
