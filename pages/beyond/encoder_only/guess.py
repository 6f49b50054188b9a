"""The question before the picture of the page Encoder-only: what stands in a hidden place for a reader of the left side alone."""

from __future__ import annotations

from tlmviz.figures import readable
from tlmviz.ui import guess

from . import compute, words
from .controls import HIDDEN, Choice

CLEAR = 0.02  # of all probability, by which the first must lead the second: less is a tie
LIKELY = 4  # tokens of a prediction that may be offered


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. Another place of the same text asks nothing anew."""
    return guess.first("encoder_only", (choice.part, choice.text), lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """The likeliest token of the hidden place with a causal mask on; None for other parts of the page, and ties."""
    if choice.part != HIDDEN:
        return None
    found = compute.hidden(choice.text)
    place = compute.shown_place(choice.place, found)
    left, both = (
        (-rows[place]).argsort(kind="stable")[:LIKELY].tolist() for rows in (found.causal, found.both)
    )
    row, name = found.causal[place], compute.model().tokenizer.name
    if row[left[0]] - row[left[1]] < CLEAR:
        return None
    masked = found.ids[place] == compute.model().config.mask
    return guess.question(
        words.guess(found, place),
        left[0],
        (both[0], *(() if masked else (found.ids[place],)), *left[1:], *both[1:]),
        words.guessed(
            (name(left[0]), float(row[left[0]])), (name(both[0]), float(found.both[place, both[0]]))
        ),
        show=lambda token: readable(name(token)),
        order=lambda token: readable(name(token)).casefold(),
    )
