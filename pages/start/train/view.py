"""Draws the page Train a transformer: controls, and the runs, which the browser trains."""

from __future__ import annotations

import streamlit as st

from tlmviz.notebook import served
from tlmviz.ui import frame, handoff, live, state
from tlmviz.ui.language import N_, _

from . import claims
from .data import DIGITS, Data
from .state import ALONE, BESIDE, INDUCTION, PIECES, TEXTS, Choice

PICTURE = live.Picture(__file__, "train")
EQUATION = (
    r"L=-\frac1N\sum_t\log p(x_{t+1}\mid x_{\le t}),\qquad w\leftarrow "
    r"w-\eta\,\frac{\hat m}{\sqrt{\hat v}+\varepsilon}",
    "Adam: Kingma and Ba 2015, algorithm 1. Induction heads, and the previous-token heads that they need: Olsson et "
    "al. 2022, In-context Learning and Induction Heads.",
)
# What is asked before a second run begins.
ASKED = {
    "layer": N_("One layer instead of {layers}: does it get 9 of 10 right?"),
    "mask": N_("Without a mask: does it get 9 of 10 right?"),
    "fixed": N_("Taught one distance only: does it get 9 of 10 right at others?"),
    "positions": N_("Without positions: does it get 9 of 10 right?"),
    "rate": N_("At rate 0.1: does it get 9 of 10 right?"),
}


def controls() -> Choice:
    """Draw the controls; what they say."""
    *places, last = st.columns([0.26, 0.2, 0.14, 0.28, 0.12], vertical_alignment="bottom")
    for place, name in zip(places, ("task", "layers", "positions")):
        Choice.controls[name].draw(place)
    with frame.more(last):
        for place, name in zip(st.columns(4), ("heads", "width", "rate", "seed")):
            Choice.controls[name].draw(place)
        for place, name in zip(st.columns(4), ("mlp", "mask", "norm", "guess")):
            Choice.controls[name].draw(place)
        state.reset_button(Choice)
    beside = Choice.beside.draw(places[-1], options=Data(Choice.of_session()).offered)
    if Choice.task.get() in TEXTS:
        left, right = st.columns([0.8, 0.2]) if Choice.task.get() == PIECES else (st.container(), None)
        Choice.text.draw(left)
        if right:
            Choice.pieces.draw(right)
    return Choice.of_session(beside=beside)


def asks(chosen: Choice) -> bool:
    """Whether a guess comes before a second run."""
    return chosen.beside != ALONE and bool(chosen.guess)


def runs(data: Data) -> None:
    """The runs: each head's map as it is learnt, and what has been learnt so far."""
    title = claims.title(data)
    st.caption(title)
    second = data.chosen.beside
    names = [_("As chosen above"), _(BESIDE[second])] if second != ALONE else [""]
    asked = asks(data.chosen)
    why = [claim(data) for claim in claims.WHY] if asked else []
    header = {
        "title": title,
        "runs": [{"name": name, "asked": run} for name, run in zip(names, data.runs)],
        "steps": data.steps,
        "repeats": data.chosen.task == INDUCTION,
        "answers": data.chosen.task in DIGITS,
        "live": served.address(),
        "question": _(ASKED[second], layers=data.chosen.layers) if asked else "",
        "why": " ".join(filter(None, why)).replace("*", ""),
    }
    PICTURE.show(header, {})


def further(data: Data) -> None:
    """A link to the same in a language model, where there is one."""
    if data.chosen.task == INDUCTION:
        handoff.links([handoff.Onward(_("The same in a language model, step by step"), "learning")])


def words(data: Data) -> None:
    """What is said below; before a guess nothing that tells what comes of it."""
    below = claims.BEFORE if asks(data.chosen) else claims.CLAIMS
    frame.claims(below, data, more=claims.notice(data), maths=claims.MATHS)
