"""Draws the part Tiles: one head's map, tile by tile as the kernel walks it."""

from __future__ import annotations

from tlmviz.analysis.kernels import kernel_source, tile_steps
from tlmviz.figures.kernels import flash_tiles
from tlmviz.ui import frame

from ..controls import Choice
from . import compute, controls, words


def show(choice: Choice) -> None:
    """The tiles that the controls name, with the kernel's lines beside them."""
    tile_choice = controls.choose(choice)
    tiles, tokens = compute.tiles(tile_choice), choice.trace.tokens
    figure = flash_tiles.tiles(
        tiles.walk,
        tiles.weights,
        tokens[: len(tiles.inputs.q)],
        kernel_source.kernel_lines(),
        tile_steps.tile_steps(tiles.walk, tiles.inputs.biased),
        frame.theme(),
        title=words.title(choice, tiles.walk, len(tokens)),
        naive=tile_steps.naive_moves(*tiles.inputs.q.shape),
        error=tiles.checks[0].error,
    )
    alt = "The map in tiles, walked by a slider, beside m_i, l_i, acc and the kernel's lines"
    with frame.wide("wide", 880):
        frame.chart(figure, key="tiles", alt=alt)
    frame.badges(tiles.checks)
    frame.what_to_notice(*words.notice(tiles.inputs))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(tile_choice))
