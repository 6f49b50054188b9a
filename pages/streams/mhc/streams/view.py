"""Draws the view "Streams" of the page mHC: streams through depth, the unrolled sum, and passes with a stream muted."""

from __future__ import annotations

from pages.streams.mhc.controls import Reading
from tlmviz.ui import frame

from . import compute, controls, view_depth, view_muting, view_unrolled
from .controls import DEPTH, MUTE, SUM

PARTS = {DEPTH: view_depth.show, SUM: view_unrolled.show, MUTE: view_muting.show}


@frame.fragment
def show(reading: Reading) -> None:
    """The chosen part, below its controls."""
    choice, body = controls.choose(reading, compute.strongest_stream)
    with body:
        PARTS[choice.part](choice)
