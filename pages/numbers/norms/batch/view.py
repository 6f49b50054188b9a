"""Draws the views Norms and Convolution: the batch in the browser, and what a mean left standing does, below it."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.numbers import norm_pictures
from tlmviz.analysis.numbers.norms import Batch
from tlmviz.figures import readable_all
from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import below, frame

from ..controls import Choice
from . import compute, controls, words
from .component import norms_view, payload

SPREADS = 2  # standard deviations that the picture's "+" adds
LED = 12  # channels to the left of the one that is chosen


def tokens(choice: Choice, room: DeltaGenerator) -> str:
    """One batch of the loaded model's activations; returns the norm's path."""
    place = controls.choose_place(choice, room)
    batch = compute.batch(choice.model, choice.text, place)
    means, variances = compute.others(choice.model, place)
    item, channel = loudest(batch)
    picture = controls.TOKENS
    header = {
        "kind": "tokens",
        "title": f"{choice.model}: tokens by channels",
        "tokens": readable_all(batch.tokens),
        "channels": batch.x.shape[1],
        "plus": plus(batch.x),
        "origin": picture.origin(choice, place),
        "state": picture.state(item=item, channel=channel, first=max(0, channel - LED)),
        "picture": below.next_picture(),
    }
    arrays = {"x": batch.x, "unit": batch.row.astype(np.uint8), "means": means, "variances": variances}
    norms_view(payload(header, arrays), key=picture.key, on_change=picture.keep)
    return place


def loudest(batch: Batch) -> tuple[int, int]:
    """The channel that is furthest from 0 on average, and the token that has most of it."""
    channel = int(np.abs(batch.x).mean(0).argmax())
    return int(np.abs(batch.x[:, channel]).argmax()), channel


def plus(x: np.ndarray) -> float:
    """What the picture adds to a token or channel, in two digits."""
    return float(f"{SPREADS * x.std():.1g}") or 1.0


def means(choice: Choice) -> None:
    """What RMSNorm's output keeps of a mean, norm by norm, and whether a bias could absorb it."""
    found = compute.offsets(choice.model, choice.text)
    st.markdown(f"#### {words.ABSORBED}")
    if not found:
        frame.caption(words.NO_READER)
        return
    figure = figures.offsets(found, frame.theme(), title=words.offsets_title(choice))
    frame.chart(
        figure,
        key="offsets",
        alt=words.OFFSETS_ALT,
    )
    frame.caption(words.offsets_caption(choice, found, *compute.losses(choice.model, choice.text)))


def maps(choice: Choice) -> None:
    """Pictures of digits behind a convolution."""
    found = compute.maps()
    picture = controls.MAPS
    header = {
        "kind": "pictures",
        "title": words.MAPS_HEADING,
        "labels": [int(label) for label in found["labels"]],
        "filters": list(norm_pictures.FILTERS),
        "channels": len(norm_pictures.FILTERS),
        "plus": plus(found["x"]),
        "origin": picture.origin(choice.view),
        "state": picture.state(item=0, channel=0, first=0),
        "picture": below.next_picture(),
    }
    arrays = {name: found[name] for name in ("x", "images", "means", "variances")}
    norms_view(payload(header, arrays), key=picture.key, on_change=picture.keep)


def show_tokens(choice: Choice, room: DeltaGenerator) -> None:
    """The view Norms, top to bottom."""
    place = tokens(choice, room)
    frame.what_to_notice(*words.NOTICE, maths=words.NOTICE_MATHS)
    below.when_painted("beneath-norms", lambda: _beneath(choice))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, place))


def _beneath(choice: Choice) -> None:
    means(choice)
    frame.measured(lambda: compute.measured(choice.model, choice.text))


def show_maps(choice: Choice, room: DeltaGenerator) -> None:
    """The view Convolution, top to bottom."""
    maps(choice)
    frame.what_to_notice(*words.NOTICE_MAPS, maths=words.NOTICE_MAPS_MATHS)
    frame.measured(compute.measured_maps)
    frame.equation(*words.EQUATION_MAPS)
    frame.copy_as_python(words.maps_snippet())
