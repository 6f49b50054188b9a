"""Draws the part Memory and time: bytes, operations and the roofline of a device."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import roofline
from tlmviz.analysis.kernels.roofline import Cost
from tlmviz.figures.kernels import roofline as figures
from tlmviz.ui import frame

from ..controls import Choice
from . import compute, controls, words
from .controls import CostChoice

QUANTITIES = {  # field of Cost: title and unit
    "moved": (words.BYTES_SLOW_MEMORY, "byte"),
    "flops": ("Floating-point operations", "FLOP"),
}


def show(choice: Choice) -> None:
    """The cost model at the point that its controls name; text and head play no part."""
    point = controls.choose()
    curves = compute.curves(point)
    costs = compute.at_length(point, curves)
    *places, right = st.columns(3)
    for place, quantity in zip(places, QUANTITIES):
        with place:
            growth(point, curves, quantity)
    with right:
        device_roofline(point, costs)
    st.markdown(words.numbers(point, costs))
    st.caption(words.data_sheet(point.device))
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(point))


def growth(point: CostChoice, curves: dict[str, list[Cost]], quantity: str) -> None:
    """One quantity of naive and tiled attention against the length."""
    title, unit = QUANTITIES[quantity]
    values = {name: np.array([getattr(cost, quantity) for cost in costs]) for name, costs in curves.items()}
    lengths = np.array(controls.LENGTHS)
    figure = figures.growth(lengths, values, point.length, frame.theme(), title=title, unit=unit)
    frame.chart(figure, key=quantity, alt=words.growth_alt(title))


def device_roofline(point: CostChoice, costs: dict[str, Cost]) -> None:
    """Both algorithms on the roofline of the chosen device."""
    device = point.device
    points = {
        name: (cost.intensity, roofline.attainable(cost.intensity, device)) for name, cost in costs.items()
    }
    figure = figures.roofline(points, device.peak, device.bandwidth, device.name, frame.theme())
    frame.chart(figure, key="roofline", alt=words.roofline_alt(device.name))
