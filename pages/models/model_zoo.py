"""Model zoo: one small model per choice of positions, attention and norm, all else equal, with the noise of seeds."""

import pandas as pd
import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures import zoo as figures
from tlmviz.ui import compute, frame, zoo_state

PICTURED = ("baseline", "positions", "attention", "norm", "seed")
ORDER = (
    "model", "choice", "group", "bits_per_byte", "difference", "verdict", "cache_bytes_per_token", "parameters",
    "decode_tokens_per_s", "training_tokens_per_s", "open",
)


def overview(table: pd.DataFrame, noise: zoo_state.Noise) -> None:
    """Quality of every choice, and quality against the cache."""
    theme = frame.theme()
    rank = table["group"].map({group: place for place, group in enumerate(PICTURED)}).fillna(len(PICTURED))
    ordered = table.assign(rank=rank).sort_values(["rank", "bits_per_byte"], kind="stable")
    left, right = st.columns([0.58, 0.42])
    with left:
        bits = ordered["bits_per_byte"].to_numpy()
        figure = figures.choices(list(ordered["choice"]), list(ordered["group"]), bits, noise.band, theme)
        frame.chart(figure, key="choices", alt="Held-out bits per byte of every choice, with the noise of seeds")
    with right:
        bundled = ordered[ordered["group"] != "seed"]
        figure = figures.trade(
            list(bundled["model"]), list(bundled["choice"]), list(bundled["group"]),
            bundled["cache_bytes_per_token"].to_numpy(), bundled["bits_per_byte"].to_numpy(), noise.band, theme,
        )
        frame.chart(figure, key="zootrade", alt="Bits per byte against cache bytes per token")


def numbers(table: pd.DataFrame) -> None:
    """The whole table, to sort and to take away."""
    shown = table.assign(open=[zoo_state.link(model) for model in table["model"]])[list(ORDER)]
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.dataframe(
        shown, hide_index=True, height="content",
        column_config={
            "model": text("Model"), "choice": text("Choice", width="medium"), "group": text("Group"),
            "open": st.column_config.LinkColumn("Open", display_text="explorer", help="In the attention explorer, a new tab"),
            "bits_per_byte": number("Bits per byte", format="%.4f", help="Held-out stories; lower is better"),
            "difference": number("Difference", format="%+.4f", help="From the mean of the baseline's seeds"),
            "verdict": text("Verdict"),
            "parameters": number("Parameters", format="localized"),
            "cache_bytes_per_token": number("Cache, bytes/token", format="localized", help="All layers, float32"),
            "decode_tokens_per_s": number("Decoding, tokens/s", format="localized", help="One token at a time, CPU"),
            "training_tokens_per_s": number("Training, tokens/s", format="localized", help="Forward and backward; CPU"),
        },
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
        best, worst = (choices.loc[at] for at in (choices["bits_per_byte"].idxmin(), choices["bits_per_byte"].idxmax()))
        points.append(
            f"Lowest is *{best['choice']}* ({best['difference']:+.4f}, {best['verdict']}), highest *{worst['choice']}* "
            f"({worst['difference']:+.4f}, {worst['verdict']}). Within seed noise: {', '.join(same) or 'none'}."
        )
    points.append("One size, one recipe, one corpus of small stories: another size may order the choices differently.")
    frame.notice(*points)


def card() -> None:
    """One model's card."""
    names = list(compute.models())
    loaded = st.session_state["model"]
    st.markdown("## Model cards")
    name = st.selectbox("Card", names, index=names.index(loaded), key="card", bind="query-params", label_visibility="collapsed")
    before, curve, after = zoo_state.card(name)
    with st.expander(f"Card of {name}", expanded=True):
        st.markdown(before)
        if curve is not None:
            st.image(str(curve), width=520)
        st.markdown(after)


frame.heading("Model zoo", "One small model per choice, all else equal: what each choice costs, and what is only chance.")
try:
    table = zoo_state.table()
    noise = zoo_state.noise(table)
    table = zoo_state.judged(table, noise)
    overview(table, noise)
    words(table, noise)
    numbers(table)
    frame.copy_as_python(
        "import pandas as pd\n\ntable = pd.read_csv(\"models/zoo.csv\")\n"
        "seeds = table[table.group.isin([\"baseline\", \"seed\"])].bits_per_byte\n"
        "table[\"difference\"] = table.bits_per_byte - seeds.mean()\n"
        "table[\"noise\"] = table.difference.abs() <= table.seed_spread\n"
        "print(table.sort_values(\"bits_per_byte\")[[\"choice\", \"bits_per_byte\", \"difference\", \"noise\"]])\n"
    )
except Error as error:
    st.info(str(error))
try:
    card()
except Error as error:
    st.info(str(error))
