"""The question before the picture of the page Encoder-only: what stands in a hidden place for a reader of the left side
alone."""

from __future__ import annotations

from tlmviz.figures import number, readable
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .claims import quoted
from .data import Data

CLEAR = 0.02  # of all probability, by which the first must lead the second: less is a tie
LIKELY = 4  # tokens of a prediction that may be offered


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. Another place of the same text asks nothing anew."""
    return guess.first("encoder_only", (data.chosen.part, data.chosen.read), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """The likeliest token of the hidden place with a causal mask on; None for ties."""
    found, place = data.found, data.place
    left, both = ((-rows[place]).argsort(kind="stable")[:LIKELY].tolist() for rows in (found.causal, found.both))
    row, name = found.causal[place], data.encoder.tokenizer.name
    if row[left[0]] - row[left[1]] < CLEAR:
        return None
    asks = _(
        "{token} ({place}) is hidden. Which token does the model put there first if it reads only what stands before?",
        token=quoted(found.tokens[place]),
        place=place,
    )
    (first, p), (other, q) = data.first(found.causal), data.first(found.both)
    said = (
        _("From the left alone it puts **{first}** first, with {p}; reading both sides too, with {q}.")
        if first == other
        else _("From the left alone it puts **{first}** first, with {p}; reading both sides {other}, with {q}.")
    )
    said = said.format(first=quoted(first), p=number(p, ".0%"), other=quoted(other), q=number(q, ".0%"))
    own = () if data.masked else (found.ids[place],)
    return guess.question(
        asks,
        left[0],
        (both[0], *own, *left[1:], *both[1:]),
        said,
        show=lambda token: readable(name(token)),
        order=lambda token: readable(name(token)).casefold(),
    )
