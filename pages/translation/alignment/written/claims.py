"""What the part Translation says about its picture: what was missed, how the score adds up, and why this map is
read."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps

from tlmviz.decoding.penalties import length_penalty
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from ..claims import COVERAGE, map_name
from ..data import Hypothesis
from ..state import OWN

CLAIMS = tuple(wraps(claim)(lambda data, claim=claim: claim(data.shown)) for claim in COVERAGE)
HINTS = (Hint(N_("Choose the last *Hypothesis*."), to(rank=lambda data: len(data.hypotheses))),)


def title(base: Hypothesis) -> str:
    """The name of the picture."""
    return _("Attention (probability): {map}", map=map_name(base))


def score_sum(base: Hypothesis) -> str:
    """How the score adds up, and why a text is unfinished, if it is."""
    candidate, rules = base.candidate, base.penalties
    count, parts = len(candidate.tokens), candidate.parts
    said = _(
        "**{text}**  log P {logp} ÷ lp {lp} ({count} tokens, α {alpha}) + cp {cp} (β {beta}, floor {floor}) = "
        "**{total} nats**",
        text=markdown.plain(base.mt.text(candidate.tokens)) or _("(nothing)"),
        logp=number(parts.logp, ".3f"),
        lp=f"{length_penalty(count, rules.alpha, rules.length):.3f}",
        count=count,
        alpha=f"{rules.alpha:g}",
        cp=number(parts.coverage, ".3f"),
        beta=f"{rules.beta:g}",
        floor=f"{rules.floor:g}",
        total=number(parts.total, ".3f"),
    )
    if base.counted != base.mt.align:
        ranks, own = base.mt.align, replace(base, chosen=replace(base.chosen, map=OWN))
        total = next(each.score for each in base.search.hypotheses(rules, ranks) if each.node == candidate.node)
        said = _(
            "{said} · by the coverage of {map}, which the model ranks by, {total}",
            said=said,
            map=map_name(own),
            total=number(total, ".3f"),
        )
    return said if candidate.finished else _("{said} · unfinished: {why}", said=said, why=base.search.stopped)


def about_errors(base: Hypothesis) -> str:
    """How well the shown map aligns, beside the others."""
    if base.errors is None:
        return _("The alignments made by hand are not here (tlmviz/data/alignments.tsv); the repository has them.")
    labels, rates, sentences = base.errors
    if len(labels) == 1:
        return _(
            "Alignment error rate of its one map: **{rate}** on {count} sentences aligned by hand.",
            rate=f"{rates[0]:.3f}",
            count=sentences,
        )
    mt = base.mt
    own = rates[labels.index("mean" if base.align is None else mt.maps[base.align])]
    heads = [rate for label, rate in zip(labels, rates) if label in mt.maps]
    lower = sum(f"{rate:.3f}" < f"{own:.3f}" for rate in rates)
    said = _(
        "On {count} sentences aligned by hand the error of *{map}* is {own}; of single heads the lowest is {head}, of "
        "their mean {mean}.",
        count=sentences,
        map=map_name(base),
        own=f"{own:.3f}",
        head=f"{min(heads):.3f}",
        mean=f"{rates[labels.index('mean')]:.3f}",
    )
    if lower:
        said += " " + ngettext("{n} map errs less.", "{n} maps err less.", lower)
    return (
        said
        + " "
        + _(
            "A target word is linked to the source word it looks at most; words that tie share the link; the rate is 1 "
            "− 2 |A ∩ G| / (|A| + |G|) over proposed links A and those by hand G (Och and Ney 2003)."
        )
    )


NOTICE = (
    N_(
        "A bar that reaches the dotted line costs nothing: that word was looked at enough. What lies above it "
        "earns nothing."
    ),
    N_(
        "Maps of single heads often look elsewhere (full stops, the neighbour): the alignment errors say which to "
        "trust."
    ),
)


MATHS = (
    N_("cp has its maximum, 0, when each source token got a weight of 1 in sum."),
    N_(
        "covloss in the sum form soon stays near 1, as c only grows; the average form remains a distribution and "
        "tells steps apart."
    ),
)
