"""Draws the view "Ribbons": the live picture, and below it what it shows in numbers."""

from __future__ import annotations

import numpy as np

from tlmviz.decoding.records import Candidate
from tlmviz.ui import below, frame

from ..hypothesis import compute as hypothesis
from ..hypothesis.controls import map_name
from . import compute, controls, words
from .component import payload, ribbons
from .controls import Choice


def picture(choice: Choice) -> Candidate:
    """The live picture. Returns the text that it shows: the hypothesis as it is written under the pins."""
    after = compute.rewritten(choice)
    ribbons(_sent(choice, after), key=controls.KEY, on_change=controls.keep_pins)
    return after


def _sent(choice: Choice, after: Candidate) -> bytes:
    base, before = choice.hypothesis, choice.hypothesis.candidate
    return payload(
        after.map(base.align),
        base.source,
        base.names(after.tokens),
        compute.changed(before, after),
        was=_written(choice, before),
        now=_written(choice, after),
        pins=[pin for pin in choice.pins if pin[0] < len(after.tokens)],
        origin=choice.origin,
        seq=choice.sequence,
        picture=below.next_picture(),
        model=base.model,
        map=map_name(base.mt, base.align),
    )


def _written(choice: Choice, candidate: Candidate) -> dict:
    text = choice.hypothesis.mt.text(candidate.tokens)
    return {"text": text, "logp": float(np.sum(candidate.logps, dtype=np.float64))}


def beneath(choice: Choice, after: Candidate) -> None:
    """What to notice, badges, equations and code."""
    base = choice.hypothesis
    frame.what_to_notice(*words.notice(choice, after.map(base.align), base.source, base.names(after.tokens)))
    frame.badges(hypothesis.checks(base.model, base.text))
    for equation in words.EQUATIONS:
        frame.equation(*equation)
    frame.copy_as_python(words.snippet(choice))
