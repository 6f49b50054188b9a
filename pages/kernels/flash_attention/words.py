"""The words of the page "FlashAttention": titles, the table of results, what to notice, equations."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.kernels import online_softmax, roofline
from tlmviz.analysis.kernels.tiling import Inputs, TileWalk

from .compute import Row, Setting

ROW_POINTS = (
    "Blue steps are the running maximum *m_i*, orange dots the places where it grew and everything summed so far was "
    "multiplied by alpha = exp(m_old − m_new); *l_i* is the only thing that has to be put "
    "right.",
    "After one read of every logit, *One pass* is done. The others read the row again, from slow memory if it is long.",
    "Presets: *All + 100* changes no weight, yet exp(100) is beyond float32 and the naive sum becomes inf.",
)
ROW_EQUATION = (
    r"m_i = \max(m_{i-1}, x_i),\quad l_i = l_{i-1}\,e^{m_{i-1}-m_i} + e^{x_i-m_i},\quad "
    r"o_i = o_{i-1}\,\frac{l_{i-1}}{l_i}\,e^{m_{i-1}-m_i} + \frac{e^{x_i-m_i}}{l_i}\,v_i",
    "Transformer with PyTorch, section 4, Eq. 72–87, which write d_i for l_i. The notes' Eq. 86–87 print the factor on the old "
    "output as exp(m_i) / exp(m_{i−1}); it is the inverse, exp(m_{i−1} − m_i), as for d_i in Eq. 79. All numbers here are "
    "float32, as in the kernel, and compared with float64 at the end.",
)
TILE_POINTS = (
    "Each program keeps one block of queries on chip and walks over the keys: *m_i*, *l_i* and *acc* are all it remembers. "
    "The map is drawn so that you see where it reads; the kernel never has it.",
    "Grey tiles lie behind the mask and are never loaded. Only tiles that cross the mask check their cells.",
    "On a GPU the programs run at once, the longest launched first; here one after the other, in launch order.",
    "The kernel keeps scores times log₂ e and calls exp2; *m_i* is shown in natural units. Its tiles are at least 16 × 16.",
)
TILE_EQUATION = (
    r"m_{new} = \max\big(m_i, \max_{s \in B} x_s\big),\quad \alpha = e^{m_i-m_{new}},\quad l_i \leftarrow \alpha\, l_i + "
    r"\sum_{s \in B} e^{x_s-m_{new}},\quad acc \leftarrow \alpha\, acc + \sum_{s \in B} e^{x_s-m_{new}} V_s,\quad Y = acc / l_i",
    "Decoder-Only Transformers in Einstein Notation, section 5, which writes m, z and N for m_i, l_i and acc; "
    "loop order of FlashAttention-2 (Dao 2023).",
)
COST_POINTS = (
    "Naive writes or reads T × T numbers four times; tiled reads K and V once per row block and skips the masked half.",
    "Left of the roof's corner the memory sets the pace: more rows per tile move the tiled point to the right.",
    "All figures are data-sheet peaks and a model without caches between chip and memory: bounds, not measurements.",
)
COST_EQUATION = (
    r"\text{naive: } 4Td + 4T^2 \text{ numbers},\qquad \text{tiled: } 2Td + 2d\sum_b \min(bB_r, T) + T,\qquad "
    r"4 T^2 d \text{ operations in the products, about half under a causal mask}",
    "FlashAttention, Algorithms 0 and 1 and Theorem 2 (Dao et al. 2022: order of T²d²/M for on-chip memory M); the tiled "
    "count is that of this kernel's loop over row blocks b = 1, 2, … 16-bit numbers, lse in float32, one head. "
    "Roofline: Williams et al. 2009.",
)


def row_title(row: Row, layer: int, head: int, query: int) -> str:
    """What the picture of one row shows, and what was left out."""
    n, part = len(row.x), ""
    if row.seen > online_softmax.LONGEST:
        part = f"; the last {online_softmax.LONGEST} of {row.seen} keys, so not the model's whole row"
    return f"Layer {layer}, head {head}, query {query}: {n} logit{'s' * (n != 1)}{part}"


def results(walks: tuple[online_softmax.Walk, ...]) -> None:
    """How each algorithm ended, as a table; red where it broke."""
    lines = [
        "| | reads of each logit | l_i | weights or output | largest difference from float64 |",
        "|---|---|---|---|---|",
    ]
    for walk in walks:
        end = "finite" if walk.finite else ":red[**inf or NaN**]"
        lines.append(
            f"| {walk.name} | {len(walk.passes)} | {_shown(walk.l_i[-1])} | {end} | {_shown(walk.error)} |"
        )
    st.markdown("\n".join(lines))


def _shown(value: float) -> str:
    return (
        f"{float(value):.3g}" if np.isfinite(value) else f":red[**{float(value):.0f}**]".replace("nan", "NaN")
    )


def tile_points(inputs: Inputs) -> tuple[str, ...]:
    """What to notice about the tiles of one head."""
    if inputs.relative is None:
        return TILE_POINTS
    return (
        *TILE_POINTS,
        "The quoted kernel has no relative positions: this model runs in torch. The walk adds them to each tile.",
    )


def tiles_title(done: TileWalk, layer: int, head: int, tokens: int) -> str:
    """What the picture of the tiles shows, and what was left out."""
    length = len(done.out)
    part = f"; the first {length} of {tokens} tokens" if tokens > length else ""
    skipped = int(done.skipped.sum())
    count = f"{len(done.visits)} tiles of {done.rows} × {done.cols} visited, {skipped} skipped by the mask"
    return f"Layer {layer}, head {head}: {count}{part}"


def costs(asked: Setting, here: dict[str, roofline.Cost]) -> None:
    """The chosen point in numbers, and whether the tile fits on the chip."""
    rows, cols = asked.tile
    need = roofline.on_chip(asked.width, rows, cols)
    fits = "fits" if need <= asked.memory else ":red[does not fit]"
    naive, tiled = here["naive"], here["tiled"]
    times = {name: cost.seconds(asked.device) * 1e6 for name, cost in here.items()}
    st.markdown(
        f"One head, T = {asked.length:,}, d = {asked.width}, causal. Naive moves **{_bytes(naive.moved)}**, tiled "
        f"**{_bytes(tiled.moved)}** ({naive.moved / tiled.moved:.1f} times less). At least **{times['naive']:,.1f} µs** and "
        f"**{times['tiled']:,.1f} µs** on {asked.device.name}. A {rows} × {cols} tile needs {_bytes(need)} on chip: {fits} in "
        f"{asked.memory // 1024} kB."
    )
    peak, bandwidth = asked.device.peak / 1e12, asked.device.bandwidth / 1e9
    st.caption(f"Data sheet: {peak:.3g} TFLOP/s, {bandwidth:,.0f} GB/s. {asked.device.source}.")


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


# --- snippets ----------------------------------------------------------------------------------------


def row_snippet(name: str, text: str, layer: int, head: int, query: int, row: Row) -> str:
    """The picture of one row with the public API; `x` holds the logits as shown."""
    values = ", ".join("-inf" if value == -np.inf else f"{value:.9g}" for value in row.x)
    return f"""\
from numpy import array, float32, inf

import tlmviz
from tlmviz.analysis.kernels import online_softmax, tiling
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import flash_rows as flash

trace = tlmviz.load({name!r}).trace({text!r})
keys = slice({row.first}, {row.first + len(row.x)})
v = tiling.head_inputs(trace, layer={layer}, head={head}, longest=None).v[keys]
# the row as shown; the model's own is trace.scores({layer}, {head}, "masked")[{query}, keys]
x = array([{values}], float32)
walks = online_softmax.walk_all(x, v)
for walk in walks:
    print(f"{{walk.name}}: l_i = {{walk.l_i[-1]:.6g}}, off by {{walk.error:.1e}}")
figure = flash.row_walks(walks, x, trace.tokens[keys], LIGHT, title="Layer {layer}, head {head}, query {query}")
figure.show()
"""


def tiles_snippet(name: str, text: str, layer: int, head: int, rows: int, cols: int) -> str:
    """The walk over the tiles with the public API, and the kernel's own result beside it."""
    return f"""\
import torch

import tlmviz
from tlmviz import kernels
from tlmviz.analysis.kernels import tiling

trace = tlmviz.load({name!r}).trace({text!r})
inputs = tiling.head_inputs(trace, layer={layer}, head={head})
done = tiling.walk(inputs, rows={rows}, cols={cols})
for visit in done.visits:
    print(f"row block {{visit.block}}, tile {{visit.tile}}: m_i = {{visit.m_i}}, l_i = {{visit.l_i}}")
q, k, v = (torch.from_numpy(part)[None, None] for part in (inputs.q, inputs.k, inputs.v))
slopes = torch.tensor([inputs.slope]) if inputs.slope else None
relative = None if inputs.relative is None else torch.from_numpy(inputs.relative)
out, lse = kernels.attention(q, k, v, scale=inputs.scale, window=inputs.window, slopes=slopes, relative=relative)
print("largest difference:", (out[0, 0] - torch.from_numpy(done.out)).abs().max().item())
"""


def cost_snippet(asked: Setting) -> str:
    """The chosen point of the cost model."""
    rows, cols = asked.tile
    return f"""\
from tlmviz.analysis.kernels import roofline

device = next(device for device in roofline.DEVICES if device.name == {asked.device.name!r})
naive = roofline.naive({asked.length}, {asked.width})
tiled = roofline.tiled({asked.length}, {asked.width}, rows={rows}, cols={cols})
for name, cost in (("naive", naive), ("tiled", tiled)):
    microseconds = cost.seconds(device) * 1e6
    print(f"{{name}}: {{cost.moved:,.0f}} bytes, {{cost.flops:,.0f}} FLOP, at least {{microseconds:.1f}} microseconds")
"""
