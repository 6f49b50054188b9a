"""The parts of the page "Model zoo": charts, the table, a model's card, and the way to the explorer."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.figures.models import zoo as figures
from tlmviz.ui import compute, frame

from . import compute as zoo_state

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


def drawn(table: pd.DataFrame) -> pd.DataFrame:
    """The lines in the order of the charts: by group, then by quality."""
    rank = table["group"].map({group: place for place, group in enumerate(GROUPS)}).fillna(len(GROUPS))
    return table.assign(rank=rank).sort_values(["rank", "bits_per_byte"], kind="stable")


def quality(table: pd.DataFrame, noise: zoo_state.Noise) -> None:
    """Quality of every choice, and quality against the cache."""
    theme, ordered = frame.theme(), drawn(table)
    left, right = st.columns([0.58, 0.42])
    with left:
        bits = ordered["bits_per_byte"].to_numpy()
        figure = figures.choices(list(ordered["choice"]), list(ordered["group"]), bits, noise.band, theme)
        frame.chart(
            figure, key="choices", alt="Held-out bits per byte of every choice, with the noise of seeds"
        )
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
        frame.chart(figure, key="zootrade", alt="Bits per byte against cache bytes per token")


def costs(table: pd.DataFrame) -> None:
    """Parameters, cache and both speeds of every choice."""
    bundled = drawn(table[table["group"] != "seed"])
    columns = {
        "parameters": "parameters",
        "cache bytes per token": "cache_bytes_per_token",
        "tokens/s, decoding": "decode_tokens_per_s",
        "tokens/s, training": "training_tokens_per_s",
    }
    found = {title: bundled[column].to_numpy() for title, column in columns.items()}
    figure = figures.costs(list(bundled["choice"]), list(bundled["group"]), found, frame.theme())
    frame.chart(
        figure, key="zoocosts", alt="Parameters, cache bytes per token and tokens per second of every choice"
    )


def words(table: pd.DataFrame, noise: zoo_state.Noise) -> None:
    """How to read it."""
    choices = table[~table["group"].isin(("seed", "baseline"))]
    same = choices.loc[choices["verdict"] == zoo_state.SAME, "choice"]
    points = [
        f"Band: the mean of {noise.seeds} trainings of the baseline that differ in their seed ({noise.centre:.4f}), ± the "
        f"distance from the best to the worst of them ({noise.spread:.4f}). A choice inside it is called *within seed noise*; "
        "one training more of the baseline would land outside once in four times."
    ]
    if len(choices):
        best, worst = (
            choices.loc[at] for at in (choices["bits_per_byte"].idxmin(), choices["bits_per_byte"].idxmax())
        )
        points.append(
            f"Lowest is *{best['choice']}* ({best['difference']:+.4f}, {best['verdict']}), highest *{worst['choice']}* "
            f"({worst['difference']:+.4f}, {worst['verdict']}). Within seed noise: {', '.join(same) or 'none'}."
        )
    points.append(
        "One size, one recipe, one corpus of small stories: another size may order the choices differently."
    )
    points.append(
        "Speeds are of a CPU and of this code, measured once: differences of some per cent mean nothing."
    )
    frame.what_to_notice(*points)


def numbers(table: pd.DataFrame) -> None:
    """The whole table, to sort and to take away; a chosen line opens that model's card."""
    shown = table.assign(open=[zoo_state.link(model) for model in table["model"]])[list(ORDER)]
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn

    def chosen() -> None:
        rows = st.session_state["zoorows"]["selection"]["rows"]
        if rows and table["model"].iloc[rows[0]] in compute.models():
            st.session_state["card"] = table["model"].iloc[rows[0]]

    st.dataframe(
        shown,
        hide_index=True,
        height="content",
        key="zoorows",
        on_select=chosen,
        selection_mode="single-row",
        column_config={
            "model": text("Model", width=108),
            "choice": text("Choice", width=196),
            "open": st.column_config.LinkColumn(
                "Open", display_text="explorer", width=64, help="In the attention explorer, a new tab"
            ),
            "bits_per_byte": number(
                "Bits/byte", format="%.4f", width=72, help="Held-out stories; lower is better"
            ),
            "difference": number(
                "Difference", format="%+.4f", width=78, help="From the mean of the baseline's seeds"
            ),
            "verdict": text("Verdict", width=128),
            "parameters": number("Parameters", format="localized", width=84),
            "cache_bytes_per_token": number(
                "Cache/token", format="localized", width=90, help="Bytes, all layers, float32"
            ),
            "decode_tokens_per_s": number(
                "Decode/s", format="localized", width=72, help="Tokens per second, one by one; CPU"
            ),
            "training_tokens_per_s": number(
                "Train/s", format="localized", width=68, help="Tokens per second, forward and backward; CPU"
            ),
        },
    )


def card() -> None:
    """One model's card, and a link that opens it in the explorer with this session's text."""
    names, asked = list(compute.models()), st.query_params.get("card")
    unknown = asked is not None and asked not in names
    st.markdown("## Model cards")
    choose, go = st.columns([0.72, 0.28], vertical_alignment="center")
    loaded = names.index(st.session_state["model"])
    name = choose.selectbox(
        "Card", names, index=loaded, key="card", bind="query-params", label_visibility="collapsed"
    )
    label, text = f"Open {name} in the explorer", st.session_state.get("text") or ""
    go.link_button(
        label, zoo_state.link(name, text), icon=":material/grid_view:", width="stretch", help="In a new tab"
    )
    if unknown:
        st.warning(f"There is no model “{asked[:60]}”; the card of {name} is shown instead.")
    before, curve, after = zoo_state.card(name)
    with st.expander(f"Card of {name}", expanded=True):
        st.markdown(before)
        if curve is not None:
            st.image(str(curve), width=520)
        st.markdown(after)
