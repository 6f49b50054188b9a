"""What the part Ribbons says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _

from ..claims import token
from .data import Data


def rewritten(data: Data) -> str | None:
    """What a pin changed."""
    if not data.shown or data.after.tokens == data.base.candidate.tokens:
        return None
    step, at = data.shown[-1]
    return _(
        "Made to look at {token}, step {step} leads to “{after}”; looking freely the model writes “{before}”.",
        token=token(data.source, at),
        step=step + 1,
        after=written(data, data.after),
        before=written(data, data.base.candidate),
    )


def unmoved(data: Data) -> str | None:
    """A pin that changed nothing."""
    if not data.shown or data.after.tokens != data.base.candidate.tokens:
        return None
    step, at = data.shown[-1]
    return _(
        "Made to look at {token}, step {step} writes the same, {written}: what stands before it decides here.",
        token=token(data.source, at),
        step=step + 1,
        written=token(data.target, step),
    )


def crosses(data: Data) -> str | None:
    """The order of the two languages differs."""
    if data.crossing is None:
        return None
    first, second = data.crossing
    one, two = (int(data.weights[step].argmax()) for step in data.crossing)
    return _(
        "Ribbons cross where the word order differs: {second} is written after {first}, yet it looks at {two}, which "
        "stands before {one}.",
        first=token(data.target, first),
        second=token(data.target, second),
        one=token(data.source, one),
        two=token(data.source, two),
    )


def in_order(data: Data) -> str | None:
    """No step's heaviest ribbon crosses that of the step before."""
    if not data.ordered or len(data.weights) < 3:
        return None
    return _("The heaviest ribbons do not cross here: each written token looks no further back than the one before.")


def surest(data: Data) -> str | None:
    """The token that looks at one word most."""
    if len(data.source) < 2:
        return None
    step = int(data.weights[:-1].max(1).argmax()) if len(data.weights) > 1 else 0
    at = int(data.weights[step].argmax())
    return _(
        "{written} is the surest: {share} of its attention goes to {token}.",
        written=token(data.target, step),
        share=number(data.weights[step, at], ".0%"),
        token=token(data.source, at),
    )


def most_and_least(data: Data) -> str | None:
    """The tokens looked at most and least over all steps."""
    sums = data.weights.sum(0)
    most, least = int(sums.argmax()), int(sums.argmin())
    high, low = f"{sums[most]:.2f}", f"{sums[least]:.2f}"
    if high == low:
        return None
    return _(
        "{most} is looked at most, {high} in sum over all steps, and {least} least, {low}. This sum is a source "
        "token's coverage.",
        most=token(data.source, most),
        high=high,
        least=token(data.source, least),
        low=low,
    )


CLAIMS = rewritten, unmoved, crosses, in_order, surest, most_and_least
HINTS = (Hint(N_("Drag a ribbon to another English word."), within),)


def written(data: Data, candidate) -> str:
    """A text as Markdown."""
    return markdown.plain(data.base.mt.text(candidate.tokens)) or _("(nothing)")


NOTICE = (
    N_(
        "A ribbon is as wide as the attention that a written token pays to a source token, and has the colour of "
        "the source token: violet for the first of the sentence, over green to yellow for the last. Each written "
        "token hands out a total of 1."
    ),
    N_(
        "At a pinned step every map gives one token all its weight. What was written before stays, what follows is "
        "decoded anew; pins on later steps are taken off. A piece of a word that is not its first begins with “·”."
    ),
)
