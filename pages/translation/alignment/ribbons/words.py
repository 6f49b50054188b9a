"""The words of the view "Ribbons"."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tlmviz.ui import inputs

from ..forced.words import EQUATIONS

if TYPE_CHECKING:
    from .controls import Choice

__all__ = ["EQUATIONS", "notice", "snippet"]

RULE = (
    "A ribbon is as wide as the attention that a written token pays to a source token, and has the colour of the source token: "
    "violet for the first of the sentence, over green to yellow for the last. Each written token hands out a total of 1."
)
MOVING = (
    "Drag a ribbon to another source word (or choose a written word, then a source word): every map of that step gives it all "
    "its weight. What was written before stays, what follows is decoded anew; pins on later steps are taken off."
)


def notice(choice: Choice, attention: np.ndarray, source: list[str], target: list[str]) -> list[str]:
    """What to look for, with the source tokens that are looked at most and least in this text."""
    points, sums = [RULE, MOVING], attention.sum(0)
    most, least = int(sums.argmax()), int(sums.argmin())
    if len(source) > 1:
        points.append(
            f"“{_plain(source[most])}” is looked at most, {sums[most]:.2f} in sum over all steps, and “{_plain(source[least])}” "
            f"least, {sums[least]:.2f}. This sum is a source word's coverage."
        )
    crossings = crossing_steps(attention)
    if crossings:
        earlier, later = (_plain(target[step]) for step in crossings)
        points.append(
            f"Ribbons cross where the word order differs: “{later}” is written after “{earlier}” and looks most at a "
            "source token that stands before that of the other."
        )
    return points


def crossing_steps(attention: np.ndarray) -> tuple[int, int] | None:
    """The two neighbouring steps whose heaviest ribbons cross and are the surest together; None where none cross.

    The last step, which writes the end, is left out.
    """
    looks, sure = attention.argmax(1), attention.max(1)
    pairs = [(t, t + 1) for t in range(len(looks) - 2) if looks[t + 1] < looks[t]]
    return max(pairs, key=lambda pair: min(sure[list(pair)]), default=None)


def _plain(token: str) -> str:
    return inputs.plain(token.strip())


def snippet(choice: Choice) -> str:
    """The chosen hypothesis, decoded on from each pin in turn."""
    base = choice.hypothesis
    return f"""\
from math import log

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

mt = tlmviz.load({base.model!r})
text, pins = {base.text!r}, {dict(choice.pins)!r}  # step: source token, from 0
penalties = Penalties()
best = mt.search(text, BeamOptions(width={base.width})).hypotheses(penalties, align={base.align!r})[{base.rank - 1}]
set_pins = {{}}
for step, token in pins.items():
    if step < len(best.tokens):
        set_pins[step] = token
        options = BeamOptions(width={base.width}, prefix=best.tokens[:step])
        best = mt.search(text, options, set_pins).hypotheses(penalties, align={base.align!r})[0]
a = best.map({base.align!r})  # [target tokens, source tokens]
print(mt.text(best.tokens), sum(best.logps))
source, target = ([mt.tokenizer.name(i) for i in ids] for ids in (mt.encode(text), best.tokens))
costs, framed = penalties.beta * token_coverage(a.sum(0), penalties.floor), tuple(set_pins.items())
least = penalties.beta * log(penalties.floor)
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention (probability)", pins=framed).show()
"""
