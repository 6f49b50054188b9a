"""The question before the tree of the page Beam search: which of the finished texts wins."""

from __future__ import annotations

from tlmviz.decoding.records import Candidate
from tlmviz.ui import guess

from . import compute, words
from .controls import Choice

CLEAR = 0.001  # nats, by which the best must lead the next: less is a tie


def seen(choice: Choice, ranked: list[Candidate]) -> bool:
    """Whether the tree may be drawn; else the question is. Weights that only rank anew ask nothing anew."""
    about = choice.view, choice.model, choice.text, choice.rules
    return guess.first("beam_search", about, lambda: question(choice, ranked))


def question(choice: Choice, ranked: list[Candidate]) -> guess.Question | None:
    """Which text is ranked first, beside greedy's and those behind it; None for ties and where few were found."""
    if len(ranked) < guess.FEWEST or ranked[0].score - ranked[1].score < CLEAR:
        return None
    greedy = compute.greedy(choice)
    texts = [choice.mt.text(candidate.tokens) for candidate in (ranked[0], greedy, *ranked[1:])]
    return guess.question(
        words.guess(choice, len(ranked)),
        texts[0],
        [text for text in texts[1:] if text],
        words.guessed(choice, ranked[0], greedy),
        order=lambda text: (len(text), text),
    )
