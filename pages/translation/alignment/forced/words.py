"""The words of the view "Force attention"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .controls import Choice

NOTICE = (
    "The pinned step tends to write the pinned word: attention is where the content of a step comes from.",
    "Pin an adjective's place to another adjective, or a skipped word to the step where it belongs. The decoder also knows "
    "what it wrote: at a step in the middle of a phrase a pin often changes nothing.",
    "The words before the first pin are kept; those after it may all change, for the pinned word is now part of what was "
    "written.",
)
EQUATIONS = (
    (
        r"a_{tj} = \begin{cases}1 & j = j^* \\ 0 & \text{otherwise}\end{cases}\quad\Rightarrow\quad "
        r"\mathbf{c}_t = \sum_j a_{tj}\,\mathbf{z}_j = \mathbf{z}_{j^*}",
        "Mathematics in Modern NLP, section 7, Eq. 42–44. At a pinned step every map, in a Transformer those of all layers and "
        "heads, gives its whole weight to one source token; what was written before stays, and the beam decodes on.",
    ),
)
PINNEDNEXT_ALT = "Next-token probabilities at the first pin, free and forced"
BEFORE_AND_AFTER_ALT = "The chosen hypothesis's map; click a cell to pin it"
FORCEDMAP_ALT = "The map of what was written with the pins"


def suggestion(step: int, target: str, source: str) -> str:
    """The caption while the page sets the pin."""
    return f"No pin is set. Shown is what happens when step {step}, “{target}”, must look at “{source}”."


def no_pin(typed: str) -> str:
    """What is wrong with a pin."""
    return f"“{typed}” is no pin; write a step and a source token, such as 3-5."


def pin_outside(pin: str, steps: int, size: int) -> str:
    """What is wrong with a pin."""
    return f"There is no pin {pin}: this translation has steps 1 to {steps}, its source tokens 1 to {size}."


def snippet(choice: Choice) -> str:
    """The chosen hypothesis decoded on from its first pin."""
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
penalties = Penalties(beta={base.penalties.beta!r}, floor={base.penalties.floor!r})
before = mt.search(text, BeamOptions(width={base.width})).hypotheses(penalties, align={base.align!r})[{base.rank - 1}]
options = BeamOptions(width={base.width}, prefix=before.tokens[:min(pins)])
after = mt.search(text, options, pins).hypotheses(penalties, align={base.align!r})[0]
print(mt.text(before.tokens))
print(mt.text(after.tokens))
source, least = [mt.tokenizer.name(i) for i in mt.encode(text)], penalties.beta * log(penalties.floor)
for title, one in (("As it was", before), ("Forced", after)):
    a, target = one.map({base.align!r}), [mt.tokenizer.name(i) for i in one.tokens]
    costs, framed = penalties.beta * token_coverage(a.sum(0), penalties.floor), tuple(p for p in pins.items() if p[0] < len(a))
    alignment.coverage_map(a, source, target, costs, least, LIGHT, title=title, pins=framed).show()
"""
