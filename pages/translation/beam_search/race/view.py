"""Draws the view "Race": beams of several widths beside each other, and a translation that the reader writes."""

from __future__ import annotations

import numpy as np
from streamlit.delta_generator import DeltaGenerator

from tlmviz.decoding.records import Candidate
from tlmviz.tokens import output_names
from tlmviz.ui import frame

from ..controls import Choice
from . import compute, controls, words
from .component import payload, race

OFFERED = 10  # tokens to choose from, and the one that ends the text


def show(choice: Choice, place: DeltaGenerator) -> None:
    """The race, and what it shows in sentences."""
    found = compute.race(choice)
    own = controls.own(choice)
    written = compute.written(choice.model, choice.text, own)
    data = payload(
        lanes=found.lanes,
        best=_text(choice, found.best),
        duel=_duel(choice, written, found.winners),
        origin=controls.origin(choice),
        step=controls.STEP.get(),
        seq=controls.sequence(),
        model=choice.model,
    )
    with place:
        race(data, key=controls.KEY, on_change=controls.keep)
    controls.STEP.share()
    controls.OWN.share()
    frame.what_to_notice(*words.notice(choice, found.searches, found.winners))
    frame.equation(*words.EQUATION)
    frame.copy_as_python(words.snippet(choice, compute.widths(choice)))


def _text(choice: Choice, candidate: Candidate) -> str:
    return choice.mt.text(candidate.tokens) or "(nothing)"


def _duel(choice: Choice, written: compute.Written, winners: dict[int, Candidate]) -> dict:
    """The reader's text so far, what can follow, and greedy's and the beam's beside it."""
    ended = bool(written.tokens) and written.tokens[-1] in choice.tokenizer.ends
    rivals = {"greedy": winners[1]}
    if choice.rules.width > 1:
        rivals[f"beam of {choice.rules.width}"] = winners[choice.rules.width]
    return {
        "tokens": list(written.tokens),
        "names": output_names(choice.tokenizer, written.tokens),
        "fixed": len(choice.options.prefix),
        "text": choice.mt.text(written.tokens),
        "logps": written.logps.tolist(),
        "ended": ended,
        "score": written.score(choice).total if ended else None,
        "offers": [] if ended else _offers(choice, written),
        "rivals": [
            {
                "name": name,
                "text": _text(choice, winner),
                "logps": list(winner.logps),
                "score": winner.score,
            }
            for name, winner in rivals.items()
        ],
    }


def _offers(choice: Choice, written: compute.Written) -> list[dict]:
    """The most probable tokens to go on with, and the end of the text."""
    best = np.argsort(-written.following)[:OFFERED].tolist()
    best += [token for token in sorted(choice.tokenizer.ends) if token not in best][:1]
    if len(written.tokens) >= choice.mt.longest(choice.text):
        best = []
    names = output_names(choice.tokenizer, best)
    return [
        {"token": token, "name": name, "p": float(written.following[token])}
        for token, name in zip(best, names)
    ]
