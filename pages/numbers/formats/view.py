"""Draws the page Formats: the number and its bits, and the table of all formats."""

from __future__ import annotations

from tlmviz.analysis.numbers import model_values
from tlmviz.figures.numbers import formats as figures
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import formats_view, payload
from .controls import Choice


def bits(choice: Choice) -> None:
    """The number in every format."""
    data = payload(format=choice.key, text=choice.text, origin=choice.origin, picture=below.next_picture())
    formats_view(data, key=controls.KEY, on_change=controls.keep)


def table() -> None:
    """Bits, ranges and steps of every format."""
    frame.table(words.rows(), {}, words.HELPS)


def of_the_model(choice: Choice, model: str, text: str) -> None:
    """The model's numbers over the doublings of the chosen format, and what every format makes of one kind of them."""
    chosen, found = choice.format, compute.values(model, text)
    figure = figures.doublings(
        {kind: model_values.by_doubling(found[kind]) for kind in compute.KINDS},
        (chosen.smallest, chosen.smallest_normal, chosen.largest),
        frame.theme(),
        title=words.title(choice, model),
    )
    frame.chart(figure, key="doublings", alt=words.DOUBLINGS_ALT)
    kind = controls.choose_kind(compute.KINDS)
    frame.table(words.fates(compute.fates(model, text, kind)), words.FATES, words.FATE_HELPS)
    frame.caption(words.sampled(found, kind))
    frame.measured(lambda: compute.measured(model, text))
