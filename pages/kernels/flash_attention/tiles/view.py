"""Draws the part Tiles: one head's map, tile by tile as the kernel walks it, beside standard attention."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.kernels import kernel_source
from tlmviz.analysis.kernels.tile_steps import TileStep, tile_probabilities
from tlmviz.errors import BadBackend
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from ..state import choose
from . import claims
from .data import BYTES, Data
from .state import Tiles

PICTURE = live.Picture(__file__, "memory", step=Tiles.step)
EQUATION = (
    r"m_{new} = \max\big(m_i, \max_{s \in B} x_s\big),\quad \alpha = e^{m_i-m_{new}},\quad l_i \leftarrow \alpha\, l_i "
    r"+ \sum_{s \in B} e^{x_s-m_{new}},\quad acc \leftarrow \alpha\, acc + \sum_{s \in B} e^{x_s-m_{new}} V_s,\quad Y "
    r"= acc / l_i",
    "Decoder-Only Transformers in Einstein Notation, section 5, which writes m, z and N for m_i, l_i and acc; "
    "loop order of FlashAttention-2 (Dao 2023).",
)


def controls(model: str) -> Tiles | None:
    """Text, head, and rows and columns of a tile."""
    if (asked := choose(model)) is None:
        return None
    at, room = asked
    for place, field in zip(room.columns(2), (Tiles.rows, Tiles.cols)):
        field.draw(place)
    return Tiles.of_session(**at)


def picture(shown: Data) -> None:
    """HBM and SRAM step by step, in the browser: every step's state is sent once. Standard attention walks beside the
    kernel, and has moved as many numbers at every step."""
    walk, steps = shown.walk, shown.steps
    length, width = walk.out.shape
    places = {(visit.block, visit.tile): number for number, visit in enumerate(walk.visits)}
    header = {
        "title": claims.title(shown),
        "tokens": shown.tokens[: shown.length],
        "length": length,
        "width": width,
        "rows": walk.rows,
        "cols": walk.cols,
        "bytes": BYTES,
        "error": shown.checks[0].error,
        "steps": [_described(step, places, walk.rows, walk.cols) for step in steps],
        "code": [
            {"number": line.number, "text": line.code, "when": line.when} for line in kernel_source.kernel_lines()
        ],
    }
    arrays = {
        "q": shown.inputs.q,
        "k": shown.inputs.k,
        "v": shown.inputs.v,
        "out": walk.out,
        "weights": shown.done.weights,
        "p": tile_probabilities(walk, shown.done.weights),
        "grid": np.stack([step.grid for step in steps]),
        "m": np.stack([step.m_i for step in steps]).astype(np.float32),
        "l": np.stack([step.l_i for step in steps]).astype(np.float32),
        "acc": np.stack([step.acc for step in steps]).astype(np.float32),
    }
    PICTURE.show(header, arrays)


def _described(step: TileStep, places: Mapping[tuple[int, int], int], rows: int, cols: int) -> dict[str, Any]:
    """What a step is but for its numbers; `visit` is its tile's place in the walk, -1 at a program's start and end."""
    first, last, begin, end = (int(place) for place in step.box)
    return {
        "program": step.program,
        "rows": [first, last],
        "cols": [begin, end],
        "when": sorted(step.when),
        "stages": list(step.stages),
        "visit": -1 if step.stages[0] in ("start", "finish") else places[first // rows, begin // cols],
        "moved": int(step.moved),
        "words": list(step.words),
    }


def kernel(shown: Data) -> None:
    """A button, and behind it what the Triton kernel gives for this head, beside torch."""
    if shown.inputs.relative is not None:
        return  # there is no such kernel, which the words below say
    shown.warm_up()
    asked = st.button(
        _("Run the Triton kernel"),
        key="run-kernel",
        help=_(
            "The kernel that runs on CUDA, on this head: on the card where there is one, else line by line in Triton's "
            "interpreter, in a process of its own."
        ),
    )
    if not asked:
        return
    try:
        with st.spinner(_("The kernel runs …"), show_time=True):
            run = shown.kernel()
    except BadBackend as error:
        st.warning(frame.worded(error))
        return
    st.markdown(claims.kernel(run, shown))
    table = pd.DataFrame(
        {
            "query": [f"{place} {token}" for place, token in enumerate(shown.tokens[: len(run.lse)])],
            "lse, Triton": run.lse,
            "lse, torch": run.torch_lse,
            "out row, Triton": list(run.out),
            "out row, torch": list(run.torch_out),
            "out, largest difference": run.errors,
        }
    )
    rows = {f"out row, {name}": st.column_config.LineChartColumn() for name in ("Triton", "torch")}
    formats = {"lse, Triton": ".6f", "lse, torch": ".6f", "out, largest difference": ".1e"}
    frame.table(table, formats, columns=rows, height=280)


def snippet(shown: Data) -> str:
    """The walk over the tiles with the public API, and the kernel's own result beside it."""
    at, walk = shown.chosen, shown.walk
    return f"""\
import torch

import tlmviz
from tlmviz import kernels
from tlmviz.analysis.kernels import tiling

trace = tlmviz.load({at.model!r}).trace({at.text!r})
inputs = tiling.head_inputs(trace, layer={at.layer}, head={at.head})
walk = tiling.walk(inputs, rows={walk.rows}, cols={walk.cols})
for visit in walk.visits:
    print(f"row block {{visit.block}}, tile {{visit.tile}}: m_i = {{visit.m_i}}, l_i = {{visit.l_i}}")
q, k, v = (torch.from_numpy(part)[None, None] for part in (inputs.q, inputs.k, inputs.v))
slopes = torch.tensor([inputs.slope]) if inputs.slope else None
relative = None if inputs.relative is None else torch.from_numpy(inputs.relative)
out, lse = kernels.attention(q, k, v, scale=inputs.scale, window=inputs.window, slopes=slopes, relative=relative)
print("largest difference:", (out[0, 0] - torch.from_numpy(walk.out)).abs().max().item())
"""
