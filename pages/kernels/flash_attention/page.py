"""FlashAttention: one row, then one head, computed without ever holding the row or the map."""

import numpy as np
import streamlit as st

from pages.kernels.flash_attention import compute as flash_state
from pages.kernels.flash_attention import words as flash_words
from tlmviz.analysis.kernels import kernel_source, online_softmax, roofline, tile_steps
from tlmviz.figures.kernels import flash_rows as flash
from tlmviz.figures.kernels import flash_tiles
from tlmviz.figures.kernels import roofline as costs
from tlmviz.ui import compute, frame, inputs, link

# Five columns need about 900 px: a phone scrolls them sideways.
_WIDE = "<style>.st-key-wide { overflow-x: auto; } .st-key-wide > div { min-width: 880px; }</style>"


def one_row(name: str, text: str, layer: int, head: int, query: int) -> None:
    """Five algorithms on one query's logits."""
    row = flash_state.logits_box(flash_state.row(name, text, layer, head, query))
    walks = online_softmax.walk_all(row.x, row.v)
    figure = flash.row_walks(
        walks, row.x, row.tokens, frame.theme(), title=flash_words.row_title(row, layer, head, query)
    )
    with st.container(key="wide"):
        frame.chart(
            figure, key="row", alt="Five algorithms on one row of logits, walked by a slider: m_i, l_i and o"
        )
    flash_words.results(walks)
    frame.badges(flash_state.row_checks(walks))
    frame.what_to_notice(*flash_words.ROW_POINTS)
    frame.equation(*flash_words.ROW_EQUATION)
    frame.copy_as_python(flash_words.row_snippet(name, text, layer, head, query, row))


def tiles(name: str, text: str, layer: int, head: int, query: int) -> None:
    """One head's map, tile by tile as the kernel walks it."""
    rows, cols = flash_state.tile_sizes()
    inputs, done, weights, checks = flash_state.tile_walk(name, text, layer, head, rows, cols)
    tokens = compute.trace(name, text).tokens
    shown = tile_steps.tile_steps(done, inputs.biased)
    figure = flash_tiles.tiles(
        done,
        weights,
        tokens[: len(inputs.q)],
        kernel_source.kernel_lines(),
        shown,
        frame.theme(),
        title=flash_words.tiles_title(done, layer, head, len(tokens)),
        naive=tile_steps.naive_moves(*inputs.q.shape),
        error=checks[0].error,
    )
    with st.container(key="wide"):
        frame.chart(
            figure,
            key="tiles",
            alt="The map in tiles, walked by a slider, beside m_i, l_i, acc and the kernel's lines",
        )
    frame.badges(checks)
    frame.what_to_notice(*flash_words.tile_points(inputs))
    frame.equation(*flash_words.TILE_EQUATION)
    frame.copy_as_python(flash_words.tiles_snippet(name, text, layer, head, rows, cols))


def memory_and_time() -> None:
    """Bytes, operations and the roofline of a device."""
    asked, theme = flash_state.cost_setting(), frame.theme()
    device, (rows, cols) = asked.device, asked.tile
    lengths = np.array(flash_state.LENGTHS)
    every = {
        "naive": [roofline.naive(t, asked.width) for t in flash_state.LENGTHS],
        "tiled": [roofline.tiled(t, asked.width, rows, cols) for t in flash_state.LENGTHS],
    }
    here = {name: values[flash_state.LENGTHS.index(asked.length)] for name, values in every.items()}
    left, middle, right = st.columns(3)
    for place, title, unit in (
        (left, "Bytes to and from slow memory", "moved"),
        (middle, "Floating-point operations", "flops"),
    ):
        values = {name: np.array([getattr(cost, unit) for cost in each]) for name, each in every.items()}
        names = {"moved": "byte", "flops": "FLOP"}
        with place:
            figure = costs.growth(lengths, values, asked.length, theme, title=title, unit=names[unit])
            frame.chart(figure, key=unit, alt=f"{title} of naive and tiled attention against the length")
    with right:
        points = {
            name: (cost.intensity, roofline.attainable(cost.intensity, device)) for name, cost in here.items()
        }
        figure = costs.roofline(points, device.peak, device.bandwidth, device.name, theme)
        frame.chart(
            figure, key="roofline", alt=f"Roofline of {device.name} with naive and tiled attention on it"
        )
    flash_words.costs(asked, here)
    frame.what_to_notice(*flash_words.COST_POINTS)
    frame.equation(*flash_words.COST_EQUATION)
    frame.copy_as_python(flash_words.cost_snippet(asked))


@frame.fragment
def show(name: str) -> None:
    """Text, head and query, and the chosen part of the page."""
    lm = compute.model(name)
    text = inputs.text_box(lm)
    if text is None:
        return
    layer, head, query, room = inputs.head_and_token_menus(lm.config, compute.trace(name, text).tokens)
    part = room.segmented_control(
        "Part",
        flash_state.PARTS,
        default=flash_state.PARTS[0],
        key="part",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if part == "Memory and time":
        memory_and_time()
    else:
        {"One row": one_row, "Tiles": tiles}[part](name, text, layer, head, query)
    link.share()


st.html(_WIDE)
frame.heading("FlashAttention", "Softmax and weighted sum in one pass: no row and no map is ever stored.")
show(st.session_state["model"])
