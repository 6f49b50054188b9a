"""Draws the part Cost: time and operations with the cache and without."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.caches.decode_steps import WITH
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..view import decoding_code
from .claims import NAMES, measured, span
from .data import Data

EQUATION = (
    r"\text{with: } 2N + 4LHD\,T,\qquad \text{without: } 2N\,T + 4LHD\,T^2 \quad\text{operations for token } T",
    "N: parameters in products of matrices. Attention, “KV Caching”, section 5: a step with the cache is O(1) in its "
    "products with weights, plus the cost of attention, which is O(T). "
    "Masked cells are counted, as for any product of matrices.",
)


def wait(data: Data) -> None:
    """Says that tokens are timed, where the picture will stand, while they are."""
    with st.spinner(_("Measuring each token with the cache and without …"), show_time=True):
        data.timing  # noqa: B018


def picture(data: Data) -> None:
    """Operations, and times where they say something."""
    left, right = st.columns(2) if data.told_apart else (st.container(), None)
    with left:
        figure = kv_costs.operations(data.lengths, data.curves, data.length, frame.theme())
        frame.chart(figure, key="kvflops", alt=_("Operations per token by formula, with the cache and without"))
    if right is not None:
        with right:
            figure = kv_costs.milliseconds(data.timing.medians(), data.timing.rounds, frame.theme())
            frame.chart(figure, key="kvtime", alt=_("Measured milliseconds per token with the cache and without"))
    frame.timed(measured(data), data.measure_again)


def table(data: Data) -> None:
    """A row for each way of decoding; operations are those of the last token."""
    per, flop, times, taken = _("Per token"), _("FLOP, formula"), _("× with the cache"), _("ms, measured")
    rows = [
        {
            per: _(NAMES[way]),
            taken: span(data, way) if data.told_apart else None,
            flop: total,
            times: total / data.flops[WITH],
        }
        for way, total in data.flops.items()
    ]
    how = _("Median over the tokens, in the fastest and in the slowest round; the ways took turns.")
    frame.table(rows, {flop: ",d", times: ".1f"}, {flop: _("Of the last token"), taken: how})


def snippet(data: Data) -> str:
    """Times and operations of a generation."""
    return (
        decoding_code(data.chosen)
        + """\
timing = decode_steps.measure(lm, done.ids, done.prompt)
for way, (positions, milliseconds) in timing.medians().items():
    print(way, positions, milliseconds)
length = len(done.ids)
print(cost.step_flops(lm.config, length), cost.step_flops(lm.config, length, cached=False))
"""
    )
