"""Draws the part Memory and time: bytes, operations and the roofline of a device."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import roofline
from tlmviz.figures.kernels import roofline as figures
from tlmviz.ui import frame, menu
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data
from .state import LENGTHS, Costs

QUANTITIES = {  # field of Cost: title and unit
    "moved": (N_("Bytes to and from slow memory"), "byte"),
    "flops": (N_("Floating-point operations"), "FLOP"),
}
EQUATION = (
    r"\text{naive: } 4Td + 4T^2 \text{ numbers},\qquad \text{tiled: } 2Td + 2d\sum_b \min(bB_r, T) + T,\qquad "
    r"4 T^2 d \text{ operations in the products, about half under a causal mask}",
    "FlashAttention, Algorithms 0 and 1 and Theorem 2 (Dao et al. 2022: order of T²d²/M for on-chip memory M); the "
    "tiled count is that of this kernel's loop over row blocks b = 1, 2, … 16-bit numbers, lse in float32, one head. "
    "Roofline: Williams et al. 2009.",
)


def controls() -> Costs:
    """Length, device and tile; the rest behind More. Text and head play no part."""
    menu.unread("text")
    *places, last = st.columns([0.28, 0.28, 0.28, 0.16], vertical_alignment="bottom")
    for place, field in zip(places, (Costs.length, Costs.name, Costs.sides)):
        field.draw(place)
    with frame.more(last):
        Costs.width.draw()
        Costs.kibibytes.draw()
    return Costs.of_session()


def picture(data: Data) -> None:
    """Both quantities against the length, and both algorithms on the roofline of the device."""
    *places, right = st.columns(3)
    for place, quantity in zip(places, QUANTITIES):
        with place:
            _growth(data, quantity)
    with right:
        _roofline(data)
    st.caption(claims.data_sheet(data.chosen.device))


def _growth(data: Data, quantity: str) -> None:
    title, unit = _(QUANTITIES[quantity][0]), QUANTITIES[quantity][1]
    values = {name: np.array([getattr(cost, quantity) for cost in costs]) for name, costs in data.curves.items()}
    figure = figures.growth(np.array(LENGTHS), values, data.chosen.length, frame.theme(), title=title, unit=unit)
    frame.chart(figure, key=quantity, alt=_("{title} of naive and tiled attention against the length", title=title))


def _roofline(data: Data) -> None:
    device = data.chosen.device
    points = {name: (cost.intensity, roofline.attainable(cost.intensity, device)) for name, cost in data.costs.items()}
    figure = figures.roofline(points, device.peak, device.bandwidth, device.name, frame.theme())
    frame.chart(
        figure, key="roofline", alt=_("Roofline of {device} with naive and tiled attention on it", device=device.name)
    )


def snippet(data: Data) -> str:
    """The chosen point of the cost model with the public API."""
    point, (rows, cols) = data.chosen, data.chosen.tile
    return f"""\
from tlmviz.analysis.kernels import roofline

device = next(device for device in roofline.DEVICES if device.name == {point.device.name!r})
naive = roofline.naive({point.length}, {point.width})
tiled = roofline.tiled({point.length}, {point.width}, rows={rows}, cols={cols})
for name, cost in (("naive", naive), ("tiled", tiled)):
    microseconds = cost.seconds(device) * 1e6
    print(f"{{name}}: {{cost.moved:,.0f}} bytes, {{cost.flops:,.0f}} FLOP, at least {{microseconds:.1f}} microseconds")
"""
