"""The words of the part Memory and time: numbers of the chosen point, what to notice, equation, snippet."""

from __future__ import annotations

from tlmviz.analysis.kernels import roofline
from tlmviz.analysis.kernels.roofline import Cost, Device

from .controls import KIB, CostChoice

NOTICE = (
    "Naive attention writes and reads the whole T × T map, four times in all. The tiled kernel never stores it.",
    "Left of the roof's corner, memory is the limit: more rows per tile move the tiled point to the right.",
    "These are data-sheet peaks and a simple model of memory: bounds, not measurements.",
)
NOTICE_MATHS = (
    "Tiled reads K and V once per row block and skips the masked half. The model has no caches between chip and memory.",
)
EQUATION = (
    r"\text{naive: } 4Td + 4T^2 \text{ numbers},\qquad \text{tiled: } 2Td + 2d\sum_b \min(bB_r, T) + T,\qquad "
    r"4 T^2 d \text{ operations in the products, about half under a causal mask}",
    "FlashAttention, Algorithms 0 and 1 and Theorem 2 (Dao et al. 2022: order of T²d²/M for on-chip memory M); the tiled "
    "count is that of this kernel's loop over row blocks b = 1, 2, … 16-bit numbers, lse in float32, one head. "
    "Roofline: Williams et al. 2009.",
)
BYTES_SLOW_MEMORY = "Bytes to and from slow memory"


def numbers(choice: CostChoice, costs: dict[str, Cost]) -> str:
    """The chosen point in numbers, and whether the tile fits on the chip."""
    rows, cols = choice.tile
    need = roofline.on_chip(choice.width, rows, cols)
    fits = "fits" if need <= choice.memory else ":red[does not fit]"
    naive, tiled = costs["naive"], costs["tiled"]
    times = {name: cost.seconds(choice.device) * 1e6 for name, cost in costs.items()}
    return (
        f"One head, T = {choice.length:,}, d = {choice.width}, causal. Naive moves **{_bytes(naive.moved)}**, tiled "
        f"**{_bytes(tiled.moved)}** ({naive.moved / tiled.moved:.1f} times less). At least **{times['naive']:,.1f} µs** and "
        f"**{times['tiled']:,.1f} µs** on {choice.device.name}. A {rows} × {cols} tile needs {need / KIB:.1f} KiB on chip: "
        f"{fits} in {choice.memory // KIB} KiB.{_proposal(choice) if choice.proposed else ''}"
    )


def _proposal(choice: CostChoice) -> str:
    """Why the tile that follows from the memory is not the paper's."""
    rows, cols = roofline.paper_tile(choice.width, choice.memory)
    need = roofline.on_chip(choice.width, rows, cols) / KIB
    return (
        f" It has the rows of the paper's formula and the most columns that fit. The formula itself counts tiles of q, k, v "
        f"and o alone and gives {rows} × {cols}, which with accumulators and scores needs {need:.1f} KiB."
    )


def data_sheet(device: Device) -> str:
    """The peaks of a device and where they are from."""
    peak, bandwidth = device.peak / 1e12, device.bandwidth / 1e9
    return f"Data sheet: {peak:.3g} TFLOP/s, {bandwidth:,.0f} GB/s. {device.source}."


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def growth_alt(title: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{title} of naive and tiled attention against the length"


def roofline_alt(name: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Roofline of {name} with naive and tiled attention on it"


def snippet(choice: CostChoice) -> str:
    """The chosen point of the cost model with the public API."""
    rows, cols = choice.tile
    return f"""\
from tlmviz.analysis.kernels import roofline

device = next(device for device in roofline.DEVICES if device.name == {choice.device.name!r})
naive = roofline.naive({choice.length}, {choice.width})
tiled = roofline.tiled({choice.length}, {choice.width}, rows={rows}, cols={cols})
for name, cost in (("naive", naive), ("tiled", tiled)):
    microseconds = cost.seconds(device) * 1e6
    print(f"{{name}}: {{cost.moved:,.0f}} bytes, {{cost.flops:,.0f}} FLOP, at least {{microseconds:.1f}} microseconds")
"""
