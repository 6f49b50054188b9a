"""What the view Depth says of its picture: how far products of all matrices amplify, and what is left of
differences."""

from __future__ import annotations

from functools import reduce
from math import isfinite
from typing import Any

from pages.streams.mhc.claims import factor
from pages.streams.mhc.state import AVERAGE, BACKWARD, FORWARD, LARGEST, ONE
from tlmviz.figures import number
from tlmviz.figures.streams.depth import NAMES
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _

from .data import RUNS, Deep

WHAT = {FORWARD: N_("a signal"), BACKWARD: N_("a gradient")}
WHERE = {
    ONE: N_("at token {token}"),
    AVERAGE: N_("on average over tokens"),
    LARGEST: N_("at the token where it is largest"),
}


def gains(data: Deep) -> str | None:
    """What products of free matrices and of doubly stochastic ones can do."""
    if not {"hyper", "manifold"} <= set(data.gains):
        return None
    return _(
        "**Over all {count} sublayers free matrices can multiply {what} by {free}**, doubly stochastic ones by "
        "{bound}, {where}.",
        free=factor(data.gains["hyper"]),
        bound=factor(data.gains["manifold"]),
        **_said(data),
    )


def gain_alone(data: Deep) -> str | None:
    """The family lacks one of the two."""
    if {"hyper", "manifold"} <= set(data.gains):
        return None
    kind, gain = list(data.gains.items())[-1]
    return _(
        "**Over all {count} sublayers the matrices of {model} can multiply {what} by {gain}**, {where}.",
        model=markdown.plain(data.family[kind]),
        gain=factor(gain),
        **_said(data),
    )


def fades(data: Deep) -> str | None:
    """Differences between mHC's streams fade."""
    if data.left is None or not data.left < 0.9995:
        return None
    return _(
        "In mHC no more than {left} of a difference between streams at the start is left after all sublayers.",
        left=number(data.left, ".1%" if data.left >= 5e-4 else ".1e"),
    )


def losses(data: Deep) -> str | None:
    """What the models' losses are on this text."""
    if not all(isfinite(passed.loss) for passed in data.passed.values()):
        return None
    said = [
        _("{name} {loss}", name=NAMES[kind], loss=number(passed.loss, ".3f")) for kind, passed in data.passed.items()
    ]
    return _("Mean loss per token (nats): {losses}.", losses=reduce(lambda one, more: one + ", " + more, said))


CLAIMS = gains, gain_alone, fades, losses
HINTS = (Hint(N_("Choose *Largest over tokens*."), to(over=LARGEST)),)


def _said(data: Deep) -> dict[str, Any]:
    chosen = data.chosen
    return {
        "count": len(data.sublayers),
        "what": _(WHAT[chosen.gain]),
        "where": _(WHERE[chosen.over], token=data.token),
    }


NOTICE = (
    N_(
        "A gain of 1 has the colour of the page: nothing is amplified or lost. Plain residuals have it everywhere; "
        "nothing keeps that of free hyper-connections (HC)."
    ),
    N_(
        "In mHC what all streams have in common, their mean, is carried on whole. Where its solid lines meet, at "
        "1/N (dotted), every stream has become the mean of all: what differs from there on was written by "
        "sublayers on the way."
    ),
)


MATHS = (
    N_(
        "Products of doubly stochastic matrices are doubly stochastic. Their largest singular value is 1, that of "
        "the mean; the others shrink from product to product."
    ),
)


def backward() -> str:
    """What the gradients below each other can be compared in."""
    return _(
        "One backward pass through the weights as they are. The head reads the mean over N streams, so after all "
        "sublayers each gets an Nth of one stream's gradient: the norm over all is √N times smaller."
    )


def simulation() -> str:
    """That stacks are drawn by chance, and how."""
    return _(
        "A simulation, not a trained network: {runs} stacks per model, each matrix drawn at random, with replacement, "
        "from all sublayers and tokens of the trained model on your text, and multiplied. Median, and the band between "
        "10% and 90%; the dotted line is where the trained models end.",
        runs=RUNS,
    )
