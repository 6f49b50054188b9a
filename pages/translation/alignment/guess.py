"""The question before the ribbons of the page Alignment & coverage: which source word a written word looks at."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import placed
from tlmviz.ui import guess

from . import words
from .hypothesis.controls import Choice

CLEAR = 0.05  # of a row's attention, by which the first must lead the second: less is a tie


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. Pins set in the picture ask nothing anew."""
    about = choice.model, choice.text, choice.rank, choice.align
    return guess.first("alignment", about, lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """Which source token gets most of a step's attention: of the step that leaves the diagonal furthest.

    None where no step is clear, and for short sentences.
    """
    attention, source = choice.candidate.map(choice.align), choice.source
    if attention is None or len(source) < guess.FEWEST:
        return None
    target = choice.names(choice.candidate.tokens)
    found = _furthest(attention, source, target)
    if found is None:
        return None
    row, beside = attention[found], _beside(attention, found)
    ranked = (-row).argsort(kind="stable").tolist()
    best, second = ranked[:2]
    others = (beside, second, best - 1, best + 1, *ranked)
    return guess.question(
        words.guess(choice.mt.text(choice.candidate.tokens), target[found], found),
        best,
        [at for at in others if 0 <= at < len(source)],
        words.guessed(target[found], (source[best], float(row[best])), (source[second], float(row[second]))),
        show=lambda at: placed(at, source[at]),
    )


def _beside(attention: np.ndarray, step: int) -> int:
    """The source token at the same place in its sentence as a step is in the other."""
    steps, size = attention.shape
    return min(size - 1, round(step * (size - 1) / max(1, steps - 1)))


def _furthest(attention: np.ndarray, source: list[str], target: list[str]) -> int | None:
    """The clear step that looks furthest from where the same place would be; the last one writes the end, and is left out.

    A word that looks at a word goes before marks, which look at anything.
    """
    ordered = np.sort(attention, 1)
    clear = [step for step in range(len(attention) - 1) if ordered[step, -1] - ordered[step, -2] >= CLEAR]
    looks = attention.argmax(1)
    words_only = [step for step in clear if _is_word(target[step]) and _is_word(source[looks[step]])]
    return max(
        words_only or clear, key=lambda step: abs(int(looks[step]) - _beside(attention, step)), default=None
    )


def _is_word(token: str) -> bool:
    return any(letter.isalpha() for letter in token)
