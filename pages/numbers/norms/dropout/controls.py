"""The controls of the view Dropout: which activation, and what the picture is set to."""

from __future__ import annotations

from tlmviz.analysis.numbers import dropout
from tlmviz.ui import link

from ..controls import Choice, Picture, flag, written

MOST_P = 90  # percent
PICTURE = Picture(
    "dropoutview",
    {
        "p": link.Field(
            "ndrop", 10, link.whole(0, MOST_P)
        ),  # percent: the rate that the bundled models learned with
        "seed": link.Field("ndseed", 0, link.whole(0, 999)),
        "masks": link.Field("ndmasks", 20, link.whole(1, 1000)),
        "raw": link.Field("ndraw", False, flag, written),
        "evaluating": link.Field("ndeval", False, flag, written),
    },
)


def rate() -> float:
    """The share that is dropped."""
    return float(PICTURE.fields["p"].get()) / 100


def choose_place(choice: Choice, room) -> str:
    """A menu of the places where the model drops out, in `room`; the tap of the one chosen, the last at first."""
    names = dropout.places(choice.lm)
    taps = list(names)
    return link.menu(
        room,
        "Activation",
        taps,
        "ndplace",
        default=taps[-1],
        show=lambda tap: f"What dropout acts on at “{names[tap]}”",
        label_visibility="collapsed",
    )
