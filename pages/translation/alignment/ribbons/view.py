"""Draws the part Ribbons: the live picture, its equation and its snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.decoding.records import Candidate
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from .. import guess
from .. import view as shared
from ..claims import map_name
from ..state import Alignment
from .data import Data
from .state import Ribbons

PICTURE = live.Picture(__file__, "ribbon", pins=Ribbons.pins)


def controls(model: str, text: str) -> Alignment:
    """Draw the menus of a translation and its map; what they say."""
    with frame.after_picture():
        return shared.plain(model, text).chosen


def guessed(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is."""
    return guess.seen(data.base)


def picture(data: Data) -> None:
    """Two rows of tokens and the ribbons between them."""
    base = data.base
    header = {
        "title": _(
            "{model}, {map}: width is attention, colour the place of the English token",
            model=base.chosen.model,
            map=map_name(base),
        ),
        "model": base.chosen.model,
        "source": data.source,
        "target": data.target,
        "changed": data.changed,
        "was": _written(data, base.candidate),
        "now": _written(data, data.after),
        "pins": data.shown,
        "origin": data.origin,
    }
    PICTURE.show(header, {"weights": data.weights})


def _written(data: Data, candidate: Candidate) -> dict:
    text = data.base.mt.text(candidate.tokens)
    return {"text": text, "logp": float(np.sum(candidate.logps, dtype=np.float64))}


def snippet(data: Data) -> str:
    """The chosen hypothesis, decoded on from each pin in turn."""
    base, chosen = data.base, data.base.chosen
    return f"""\
from math import log

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

mt = tlmviz.load({chosen.model!r})
text, pins = {chosen.text!r}, {dict(data.pins)!r}  # step: source token, from 0
penalties = Penalties()
best = mt.search(text, BeamOptions(width={chosen.width})).hypotheses(penalties)[{chosen.rank - 1}]
set_pins = {{}}
for step, token in pins.items():
    if step < len(best.tokens):
        set_pins[step] = token
        options = BeamOptions(width={chosen.width}, prefix=best.tokens[:step])
        best = mt.search(text, options, set_pins).hypotheses(penalties)[0]
a = best.map({base.align!r})  # [target tokens, source tokens]
print(mt.text(best.tokens), sum(best.logps))
source, target = ([mt.tokenizer.name(i) for i in ids] for ids in (mt.encode(text), best.tokens))
costs, framed = penalties.beta * token_coverage(a.sum(0), penalties.floor), tuple(set_pins.items())
least = penalties.beta * log(penalties.floor)
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention (probability)", pins=framed).show()
"""
