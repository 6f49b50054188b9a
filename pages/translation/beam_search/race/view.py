"""Draws the part Race: beams of several widths beside each other, and a translation that the reader writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.tokens import output_names
from tlmviz.ui import engine, live, translation
from tlmviz.ui.language import _

from ..state import Beam
from ..view_code import options_code, penalties_code
from .data import Data
from .state import Race

READER = Path(__file__).parent / "reader.js"
PICTURE = live.Picture(__file__, "beamrace", step=Race.step, own=Race.own)


def picture(data: Data) -> None:
    """The lanes of all widths, and the duel."""
    header = {
        "engine": _engine(data.base.chosen),
        "title": _("{model}: beams of {widths}", model=data.base.chosen.model, widths=", ".join(map(str, data.widths))),
        "lanes": [data.lane(width) for width in data.widths],
        "best": data.text(data.best) or _("(nothing)"),
        "duel": _duel(data),
        "origin": data.origin,
        "warm": {name: theme.warm for name, theme in figures.THEMES.items()},
    }
    PICTURE.show(header, {})


def _engine(chosen: Beam) -> dict[str, Any] | None:
    """What the browser makes races of further sentences by; None where the server does: the engine has the usual
    rules."""
    if not chosen.has_usual_rules:
        return None
    weights = {"alpha": chosen.alpha, "beta": chosen.beta, "gamma": chosen.gamma}
    return engine.offer(
        chosen.model, chosen.text, READER, ("own",), translation.SENTENCE.key, width=chosen.width, penalties=weights
    )


def _duel(data: Data) -> dict:
    """The reader's text so far, what can follow, and greedy's and the beam's beside it."""
    written, width, tokenizer = data.written, data.base.chosen.width, data.base.tokenizer
    rivals = {_("greedy"): data.winners[1]}
    if width > 1:
        rivals[_("beam of {width}", width=width)] = data.winners[width]
    offers = data.offers
    return {
        "tokens": list(data.own),
        "fixed": len(data.base.options.prefix),
        "text": data.base.mt.text(data.own),
        "logps": written.logps.tolist(),
        "ended": data.ended,
        "score": data.score if data.ended else None,
        "offers": [
            {"token": token, "name": name, "p": float(written.following[token])}
            for token, name in zip(offers, output_names(tokenizer, offers))
        ],
        "rivals": [
            {"name": name, "text": data.text(winner), "logps": list(winner.logps), "score": winner.score}
            for name, winner in rivals.items()
        ],
    }


def snippet(data: Data) -> str:
    """The same race with the public API."""
    chosen = data.base.chosen
    return f"""\
from dataclasses import replace

import tlmviz
from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties

mt = tlmviz.load({chosen.model!r})
options, penalties, found = {options_code(data.base.options)}, {penalties_code(data.base.penalties)}, {{}}
for width in {data.widths!r}:
    found[width] = mt.search({chosen.text!r}, replace(options, width=width, groups=1))
best = max((search.hypotheses(penalties)[0] for search in found.values()), key=lambda one: one.score)
for width, search in found.items():
    winner = search.hypotheses(penalties)[0]
    print(width, round(winner.score, 3), mt.text(winner.tokens), beam_race.loss(search, best))
"""
