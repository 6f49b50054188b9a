"""Draws the unrolled sum: every part's coefficient in what a reader gets, for a whole family of models side by side."""

from __future__ import annotations

import numpy as np
import streamlit as st

from pages.streams.mhc import compute as page
from tlmviz.analysis.streams.unrolled import Unrolled, part_names
from tlmviz.figures.streams import graph as figures
from tlmviz.figures.streams.graph import Panel
from tlmviz.ui import frame

from . import compute, controls
from . import words_unrolled as words
from .controls import Choice
from .view_depth import note_window


def show(choice: Choice) -> None:
    """The ribbons of every model of the family for one reader, and all readers of one token."""
    reading = choice.reading
    sums = {
        f"{words.SHORT[kind]} · {model}": compute.unrolled(reading.by(model))
        for kind, model in page.family(reading.model).items()
    }
    _ribbons(choice, sums)
    frame.what_to_notice(*words.NOTICE)
    _readers(choice, sums)
    frame.badges(page.checks(reading))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice))


def _ribbons(choice: Choice, sums: dict[str, Unrolled]) -> None:
    reading, to = choice.reading, controls.readers(choice.reading)[choice.reader]
    parts = part_names(reading.lm.config.n_layers)
    panels = _panels(choice, sums, len(parts))
    figure = figures.fans(
        [Panel(panel.title, panel.coefficients[:, choice.slice]) for panel in panels],
        parts,
        reading.tokens[choice.slice],
        choice.first,
        frame.theme(),
        to=to,
        offset=choice.window.start,
    )
    with frame.wide("sxwide", 800):
        frame.chart(
            figure,
            key=controls.CHARTS[choice.part],
            alt=words.ribbons_alt(to),
        )
    note_window(choice)
    ranges = [
        words.embedding_range(panel.title, panel.coefficients[0].min(), panel.coefficients[0].max())
        for panel in panels
    ]
    st.caption(words.range_caption(" ".join(ranges), to))


def _readers(choice: Choice, sums: dict[str, Unrolled]) -> None:
    """The coefficients of one token for all readers, the head last."""
    reading, token = choice.reading, choice.token
    maps = [
        Panel(
            title, np.concatenate([unrolled.read[:, :, token].numpy(), unrolled.mean[None, :, token].numpy()])
        )
        for title, unrolled in sums.items()
    ]
    figure = figures.readers(
        maps, part_names(reading.lm.config.n_layers), frame.theme(), token=reading.tokens[token]
    )
    with frame.wide("sxwidemap", 800):
        frame.chart(
            figure,
            key="sxreaders",
            alt=words.SXREADERS_ALT,
        )


def _panels(choice: Choice, sums: dict[str, Unrolled], parts: int) -> list[Panel]:
    """A panel for each model of the family; a family without a plain member gets one by definition."""
    streams = page.most_streams(choice.reading.model)
    panels = [
        Panel(title, _coefficients(unrolled, choice.reader, streams)) for title, unrolled in sums.items()
    ]
    if "residual" not in page.family(choice.reading.model):
        ones = np.ones((parts, len(choice.reading.tokens)), np.float32)
        sublayer = choice.reader - streams
        if sublayer > 0:  # it reads the parts before it alone
            ones[sublayer:] = 0.0
        panels.insert(0, Panel(words.PLAIN_TITLE, ones))
    return panels


def _coefficients(unrolled: Unrolled, reader: int, streams: int) -> np.ndarray:
    """Coefficients [parts, T] of an entry of `controls.readers`; a model with fewer streams shows its last."""
    if reader == 0:
        return unrolled.mean.numpy()
    if reader <= streams:
        return unrolled.final[..., min(reader - 1, unrolled.final.shape[-1] - 1)].numpy()
    return unrolled.read[reader - streams - 1].numpy()
