"""The words of the view "Translation"."""

from __future__ import annotations

from tlmviz.decoding.penalties import Penalties, Score
from tlmviz.figures.written import number

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
NO_ALIGNMENTS = (
    "The alignments made by hand are not here (tlmviz/data/alignments.tsv); the repository has them."
)
HEADERRORS_ALT = "Alignment error rate of every map"


def one_map_caption(rate: float, sentences: int) -> str:
    """What stands below it."""
    return f"Alignment error rate of its one map: **{rate:.3f}** on {sentences} sentences aligned by hand."


def score_sum(text: str, count: int, parts: Score, rules: Penalties, lp: float, stopped: str) -> str:
    """How a hypothesis's score adds up; `stopped` says why it is unfinished, if it is."""
    said = (
        f"**{text or '(nothing)'}**  log P {number(parts.logp, '.3f')} ÷ lp {lp:.3f} "
        f"({count} tokens, α {rules.alpha:g}) + cp {number(parts.coverage, '.3f')} "
        f"(β {rules.beta:g}, floor {rules.floor:g}) = **{number(parts.total, '.3f')} nats**"
    )
    return f"{said} · unfinished: {stopped}" if stopped else said


def default_caption(name: str, sentences: int, own: float, lowest: float, count: int) -> str:
    """Why a map is the default: its error among those of all `count` maps."""
    rate = (
        "A target word is linked to the source word it looks at most; words that tie share the link; "
        "the rate is 1 − 2 |A ∩ G| / (|A| + |G|) over proposed links A and those by hand G (Och and Ney 2003)."
    )
    if own == lowest:
        return (
            f"Why *{name}* is the default: on {sentences} sentences aligned by hand its error, {own:.3f}, "
            f"is the lowest of all {count}. {rate}"
        )
    return (
        f"Why *{name}* is the default: on {sentences} sentences aligned by hand its error, {own:.3f}, "
        f"is near the lowest, {lowest:.3f}. {rate}"
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
