"""Draws the part Tiles: one head's map, tile by tile as the kernel walks it."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.kernels import kernel_source, tile_steps
from tlmviz.errors import BadBackend
from tlmviz.ui import frame

from ..controls import Choice
from . import compute, controls, words
from .component import memory_view, payload


def show(choice: Choice) -> None:
    """The tiles that the controls name, with the kernel's lines beside them."""
    tile_choice = controls.choose(choice)
    tiles, tokens = compute.tiles(tile_choice), choice.trace.tokens
    steps = tile_steps.tile_steps(tiles.walk, tiles.inputs.biased)
    data = payload(
        tiles.inputs,
        tiles.walk,
        tiles.weights,
        steps,
        kernel_source.kernel_lines(),
        tokens[: len(tiles.inputs.q)],
        title=words.title(choice, tiles.walk, len(tokens)),
        error=tiles.checks[0].error,
        state=controls.state(),
    )
    st.markdown(f"**{words.title(choice, tiles.walk, len(tokens))}**")
    memory_view(data, key=controls.KEY, on_change=controls.keep_step)
    kernel(tile_choice, tiles, tokens)
    frame.badges(tiles.checks)
    frame.what_to_notice(
        *words.notice(tiles.inputs, tiles.walk, steps[-1].moved), maths=words.notice_maths(tiles.inputs)
    )
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(tile_choice))


def kernel(choice: controls.TileChoice, tiles: compute.Tiles, tokens: list[str]) -> None:
    """A button, and behind it what the Triton kernel gives for this head, beside torch."""
    if tiles.inputs.relative is not None:
        return  # there is no such kernel, which the words below say
    compute.warm_up()
    asked = st.button(words.RUN_TRITON_KERNEL, key="run-kernel", help=words.KERNEL_HELP)
    if not asked:
        return
    try:
        with st.spinner("The kernel runs …", show_time=True):
            run = compute.kernel(choice)
    except BadBackend as error:
        st.warning(str(error))
        return
    st.markdown(words.kernel(run, len(tokens)))
    table = pd.DataFrame(
        {
            "query": [f"{place} {token}" for place, token in enumerate(tokens[: len(run.lse)])],
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
