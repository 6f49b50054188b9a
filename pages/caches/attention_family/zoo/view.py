"""Draws the part Model zoo: charts, the table, and a model's card."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.figures.caches import zoo as figures
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, markdown
from tlmviz.ui.language import _

from .data import Card, Data
from .state import Zoo

ROWS = "zoorows"  # the key of the table
GROUPS = ("baseline", "positions", "attention", "norm", "seed")  # as they are drawn
SNIPPET = """import pandas as pd

from tlmviz.checkpoints.folders import models_folder
from tlmviz.figures import LIGHT
from tlmviz.figures.caches import zoo

table = pd.read_csv(models_folder() / "zoo.csv")
seeds = table[table.group.isin(["baseline", "seed"])].bits_per_byte
table["difference"] = table.bits_per_byte - seeds.mean()
table["noise"] = table.difference.abs() <= table.seed_spread
table = table.sort_values("bits_per_byte")
print(table[["choice", "bits_per_byte", "difference", "noise"]].to_string(index=False))
band = (seeds.mean() - table.seed_spread.max(), seeds.mean(), seeds.mean() + table.seed_spread.max())
zoo.choices(list(table.choice), list(table.group), table.bits_per_byte.to_numpy(), band, LIGHT).show()
"""


def _in_groups(table: pd.DataFrame) -> pd.DataFrame:
    """The lines in the order of the charts: by group, then by quality."""
    rank = table["group"].map({group: place for place, group in enumerate(GROUPS)}).fillna(len(GROUPS))
    return table.assign(rank=rank).sort_values(["rank", "bits_per_byte"], kind="stable")


def quality(data: Data) -> None:
    """Quality of every choice, and quality against the cache. Charts with names of choices at their side need their
    width."""
    theme, ordered, noise = frame.theme(), _in_groups(data.table), data.noise
    with frame.wide("zoowide", 540):
        left, right = st.columns([0.58, 0.42])
    with left:
        bits, names, groups = (ordered["bits_per_byte"].to_numpy(), list(ordered["choice"]), list(ordered["group"]))
        figure = figures.choices(names, groups, bits, noise.band, theme, limit=noise.limit)
        frame.chart(figure, key="choices", alt=_("Held-out bits per byte of every choice, with the noise of seeds"))
    with right:
        own = ordered[ordered["group"] != "seed"]
        cache, bits = own["cache_bytes_per_token"].to_numpy(), own["bits_per_byte"].to_numpy()
        figure = figures.trade(
            list(own["model"]), list(own["choice"]), list(own["group"]), cache, bits, noise.band, theme
        )
        frame.chart(figure, key="zootrade", alt=_("Bits per byte against cache bytes per token"))


def costs(data: Data) -> None:
    """Parameters, cache and both speeds of every choice."""
    own = _in_groups(data.table[data.table["group"] != "seed"])
    columns = {
        _("parameters"): "parameters",
        _("cache bytes per token"): "cache_bytes_per_token",
        _("tokens/s, decoding"): "decode_tokens_per_s",
        _("tokens/s, training"): "training_tokens_per_s",
    }
    values = {title: own[column].to_numpy() for title, column in columns.items()}
    with frame.wide("zoocostswide", 860):
        alt = _("Parameters, cache bytes per token and tokens per second of every choice")
        frame.chart(
            figures.costs(list(own["choice"]), list(own["group"]), values, frame.theme()), key="zoocosts", alt=alt
        )


def numbers(data: Data) -> None:
    """The whole table, to sort and to take away; a chosen line opens that model's card."""
    table = data.table.assign(open=data.links, verdict=data.table["verdict"].map(_))
    number, text, own = (st.column_config.NumberColumn, st.column_config.TextColumn, st.column_config.LinkColumn)
    speed = _("Tokens per second, one by one; CPU"), _("Tokens per second, forward and backward; CPU")
    columns = {
        "model": text(_("Model"), width=108),
        "open": own(_("Open"), display_text=_("explorer"), width=64, help=_("In the attention explorer, a new tab")),
        "choice": text(_("Choice"), width=250),
        "bits_per_byte": number(_("Bits/byte"), format="%.4f", width=72, help=_("Held-out stories; lower is better")),
        "difference": number(_("Difference"), width=78, help=_("From the mean of the baseline's seeds")),
        "verdict": text(_("Verdict"), width=124),
        "parameters": number(_("Parameters"), format="localized", width=84),
        "cache_bytes_per_token": number(
            _("Cache/token"), format="localized", width=90, help=_("Bytes, all layers, float32")
        ),
        "decode_tokens_per_s": number(_("Decode/s"), format="localized", width=72, help=speed[0]),
        "training_tokens_per_s": number(_("Train/s"), format="localized", width=68, help=speed[1]),
    }

    def open_card() -> None:
        rows = frame.clicked(ROWS)
        if rows and rows[0] < len(table) and table["model"].iloc[rows[0]] in shared.models():
            Zoo.card.set(table["model"].iloc[rows[0]])

    formats = {"difference": "+.4f"}
    frame.table(
        table[list(columns)], formats, key=ROWS, on_select=open_card, selection_mode="single-row", columns=columns
    )


def card(model: str) -> None:
    """A menu of cards, a link that opens that model in the explorer with this session's text, and the card.

    Raises UnknownName where it has none.
    """
    names, asked = list(shared.models()), Zoo.card.get()
    menu, button = st.columns([0.72, 0.28], vertical_alignment="center")
    name = Zoo.card.draw(menu, options=names, unchosen=Card(model).best)
    Zoo.of_session(model=model)
    typed = inputs.TEXT.get()
    button.link_button(
        _("Open {model} in the explorer", model=name),
        Card(name).link("" if typed == inputs.DEFAULT_TEXT else typed) or "",
        icon=":material/grid_view:",
        width="stretch",
        help=_("In a new tab"),
    )
    if asked not in (None, name):
        st.warning(
            _(
                "There is no model “{asked}”; the card of {name} is shown instead.",
                asked=markdown.sentence(asked),
                name=name,
            )
        )
    before, curve, after = Card(name).text
    with st.expander(_("Card of {name}", name=name), expanded=asked is not None):
        st.markdown(before)
        if curve is not None:
            st.image(str(curve), width=520, alt=_("The loss of {name} while it was trained", name=name))
        st.markdown(after)
