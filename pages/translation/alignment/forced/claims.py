"""What the part Force attention says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _

from ..claims import token
from .data import Data


def writes_another(data: Data) -> str | None:
    """The pinned step writes another token."""
    step, at = data.first
    if data.after.tokens[step] == data.base.candidate.tokens[step]:
        return None
    return _(
        "Made to look at {token}, step {step} writes {after} in place of {before}.",
        token=token(data.base.source, at),
        step=step + 1,
        before=token(data.base.target, step),
        after=token(data.base.names(data.after.tokens), step),
    )


def writes_the_same(data: Data) -> str | None:
    """The pinned step writes what it wrote."""
    if writes_another(data):
        return None
    step, at = data.first
    return _(
        "Made to look at {token}, step {step} still writes {before}: the decoder also knows what it wrote before.",
        token=token(data.base.source, at),
        step=step + 1,
        before=token(data.base.target, step),
    )


def rises(data: Data) -> str | None:
    """The token that gains most probability by the pin."""
    free, bound = data.next_tokens
    gained = int((bound - free).argmax())
    before, after = (number(float(one[gained]), ".1%") for one in (free, bound))
    if before == after:
        return None
    return _(
        "The pin raises the probability of {token} at step {step} from {before} to {after}.",
        token=token(data.base.names([gained]), 0),
        step=data.first[0] + 1,
        before=before,
        after=after,
    )


def nobodys_pin(data: Data) -> str | None:
    """The page set the pin."""
    if not data.suggested:
        return None
    step, at = data.first
    return _(
        "No pin is set. Shown is what happens when step {step}, {target}, must look at {source}.",
        step=step + 1,
        target=token(data.base.target, step),
        source=token(data.base.source, at),
    )


CLAIMS = writes_another, writes_the_same, rises, nobodys_pin
HINTS = (Hint(N_("Click a cell of the left map."), within),)


NOTICE = (
    N_("Attention is where the content of a step comes from: a pinned step tends to write the pinned word."),
    N_(
        "The words before the first pin are kept; those after it may all change, for the pinned word is now part "
        "of what was written."
    ),
)
