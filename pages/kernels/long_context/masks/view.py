"""Draws the part Masks: the table of all methods, one method's pattern and mass, cost against loss, and the needle
test."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.kernels import needle
from tlmviz.figures.kernels import long_context as figures
from tlmviz.figures.kernels import needle as needle_figures
from tlmviz.figures.written import large
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..data import Text
from ..view import snippet_start
from . import claims
from .data import Data
from .state import SIZES, Sparse

EQUATION = (
    r"\text{mask } M_t:\ z'_t = \sum_{s \in M_t} \frac{p_{ts}}{\sum_{r \in M_t} p_{tr}}\,v_s,\qquad "
    r"\text{linear: } z'_t = \frac{\phi(q_t)\sum_{s \le t}\phi(k_s)\,v_s^\top}{"
    r"\phi(q_t) \cdot \sum_{s \le t}\phi(k_s)}",
    "Attention, “Strategies to Mitigate Inefficiency”; Decoder-Only Transformers in Einstein Notation, sections 4.3 "
    "and 4.4.",
    "The notes call attention within a page “paged attention”; that is this block-local mask. Paged attention proper "
    "is a layout of memory, and still sees every token.",
)


def controls(found: Text) -> Data:
    """Draw the methods with their sizes; one that makes no sense is left out and a sentence says why."""
    left, right = st.columns([0.82, 0.18], vertical_alignment="center")
    Sparse.methods.draw(left, Sparse.methods.options)
    with right.popover(_("Sizes and seeds"), width="stretch"):
        for name in SIZES:
            Sparse.controls[name].draw()
    shown = Data(found, Sparse.of_session(), found.passage)
    for error in shown.asked[1]:
        st.warning(_("{why} It is left out.", why=frame.worded(error)))
    return shown


def measure(data: Data) -> None:
    """Every method, one after the other with its name in a bar."""
    place, layers = st.empty(), data.passage.lm.config.n_layers
    for name, method in data.methods.items():
        with (
            place,
            st.spinner(_("{name}: measuring {layers} layers and the loss …", name=name, layers=layers), show_time=True),
        ):
            data.result(method)
    place.empty()


def numbers(data: Data) -> None:
    """The table of all methods."""
    columns = {
        "flops": (_("FLOP"), large, _("For this text, all heads of all layers")),
        "seen": (
            _("Keys a query sees"),
            ",.1f",
            _("Mean over queries and heads; of fixed masks by formula over every query"),
        ),
        "keys": (_("Keys in cache"), str, _("Per head, to decode on; linear attention has a state")),
        "cached": (_("Cached numbers"), ",", _("Keys and values, or the state: all heads of all layers")),
        "mass": (_("Mass covered"), ".3f", _("Of the softmax; for linear attention the mass both share")),
        "error": (_("Output error"), ".3f", _("|z′ − z| / |z|, mean over heads")),
        "loss": (_("Loss"), ".3f", _("Nats per token")),
        "change": (_("Change"), "+.3f", _("Nats per token against the model as it is")),
    }
    rows = [
        {_("Method"): row.method}
        | {title: getattr(row, name) for name, (title, _form, _help) in columns.items()}
        | {columns["keys"][0]: _("state") if row.keys is None else f"{row.keys:,}"}
        for row in data.rows
    ]
    mass = columns["mass"]
    frame.table(
        pd.DataFrame(rows),
        {title: form for title, form, _help in columns.values()},
        {title: help for title, _form, help in columns.values()},
        {mass[0]: st.column_config.ProgressColumn(format="%.3f", min_value=0, max_value=1, help=mass[2])},
    )


def pattern_and_mass(data: Data) -> Data:
    """Which keys the method of a menu lets the chosen head's queries see, what it covers, and cost against loss of
    all."""
    left, middle, right = st.columns([0.3, 0.3, 0.4])
    with left:
        Sparse.pattern.draw(options=list(data.methods), unchosen=data.pattern)
        data = Data(data.found, Sparse.of_session(), data.passage)
        layer, head = data.found.head
        title = _("{pattern}, L{layer}H{head}", pattern=data.pattern, layer=layer, head=head)
        figure = figures.mask(data.cells, len(data.passage.ids), title, data.linear, frame.theme())
        frame.chart(figure, key="pattern", alt=_("Which keys {pattern} lets queries see", pattern=data.pattern))
    with middle:
        title = _("Mass shared, of 1") if data.linear else _("Mass covered, of 1")
        if data.linear:
            st.caption(_("Σ min(p, p′): no mask, so its weights are compared with the softmax."))
        mass = data.results[data.pattern].mass
        figure = figures.per_head(mass, _("{title} (probability)", title=title), frame.theme(), top=1.0, height=330)
        frame.chart(figure, key="mass", alt=_("{title} by {pattern}, per head", title=title, pattern=data.pattern))
    with right:
        if len(data.passage.ids) > 1:
            table = pd.DataFrame(data.rows)
            figure = figures.trade(
                list(table["method"]), table["flops"].to_numpy(), table["change"].to_numpy(), frame.theme()
            )
            frame.chart(figure, key="trade", alt=_("Change of the loss against operations, one dot per method"))
    return data


def needles(data: Data) -> None:
    """A switch, and where it is on the test of every method that is compared."""
    names = needle.NEEDLE.strip()
    said = _("“{names}” is read, then stories, then the same names again: ten passes for each method.", names=names)
    asked = Sparse.needle.draw(help=said)
    Sparse.of_session()
    if not asked:
        return
    place = st.empty()
    for name, method in data.methods.items():
        with place, st.spinner(_("{name}: looking for the names …", name=name), show_time=True):
            data.gain(method)
    place.empty()
    figure = needle_figures.gains(data.gains, needle.DISTANCES, needle.FOUND, frame.theme())
    frame.chart(figure, key="needle", alt=_("Gain by distance, a line for each method"))
    st.caption(claims.reaches(data))


def snippet(data: Data) -> str:
    """The numbers of the method whose pattern is drawn, with the public API."""
    method, (layer, head) = data.method, data.found.head
    start = snippet_start(data.found, "long_trace")
    return f"""\
from tlmviz.analysis.kernels.sparse_methods import mean_loss, measure, picture
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import long_context as figures
from {type(method).__module__} import {type(method).__name__}
{start}method = {method!r}
measures = measure(trace, {layer}, method)  # layer {layer}: mass and error per head
change = mean_loss(lm, ids, method) - mean_loss(lm, ids)  # swapped into every layer
print(measures, change)
cells = picture(trace, {layer}, method)[{head}]
figures.mask(cells, len(trace), "{data.pattern}, L{layer}H{head}", {data.linear}, LIGHT).show()
"""
