"""The words of the view "Translation"."""

from __future__ import annotations

from ..words import EQUATIONS
from .controls import Choice

__all__ = ["EQUATIONS", "NOTICE", "snippet"]

NOTICE = (
    "A bar that reaches the dotted line costs nothing: that word was looked at enough. What lies above the line earns nothing.",
    "An orange bar is a word that the translation may have skipped. Choose a worse hypothesis and see what it left out.",
    "Maps of single heads often look elsewhere (full stops, the neighbour): the alignment errors say which to trust.",
)
NOTICE_MATHS = (
    "cp has its maximum, 0, when each source token got a weight of 1 in sum.",
    "covloss in the sum form soon stays near 1, as c only grows; the average form remains a distribution and "
    "tells steps apart.",
)


def snippet(choice: Choice) -> str:
    """The chosen hypothesis, its coverage, and covloss in both forms."""
    penalties = choice.penalties
    return f"""\
from math import log

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

mt = tlmviz.load({choice.model!r})
search = mt.search({choice.text!r}, BeamOptions(width={choice.width}))
penalties = Penalties(beta={penalties.beta!r}, floor={penalties.floor!r})
hypothesis = search.hypotheses(penalties, align={choice.align!r})[{choice.rank - 1}]
a = hypothesis.map({choice.align!r})  # [target tokens, source tokens]; None is the mean of all maps
print(mt.text(hypothesis.tokens), hypothesis.parts)
costs = penalties.beta * token_coverage(a.sum(0), penalties.floor)  # nats, of each source token
print(a.sum(0), costs)
print(coverage_loss(a), coverage_loss(a, average=True))
source, target = ([mt.tokenizer.name(i) for i in ids] for ids in (mt.encode({choice.text!r}), hypothesis.tokens))
least = penalties.beta * log(penalties.floor)
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention (probability)").show()
"""
