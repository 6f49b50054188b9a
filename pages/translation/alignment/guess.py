"""The question before the ribbons of the page Alignment: which source word a written word looks at."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number, placed
from tlmviz.ui import guess, markdown
from tlmviz.ui.language import _

from .data import Hypothesis

CLEAR = 0.05  # of a row's attention, by which the first must lead the second: less is a tie


def seen(base: Hypothesis) -> bool:
    """Whether the picture may be drawn; else the question is. Pins set in the picture ask nothing anew."""
    chosen = base.chosen
    return guess.first("alignment", (chosen.model, chosen.text, chosen.rank, base.align), lambda: question(base))


def question(base: Hypothesis) -> guess.Question | None:
    """Which source token gets most of a step's attention: of the step that leaves the diagonal furthest.

    None where no step is clear, and for short sentences.
    """
    attention, source, target = base.candidate.map(base.align), base.source, base.target
    if attention is None or len(source) < guess.FEWEST:
        return None
    found = _furthest(attention, source, target)
    if found is None:
        return None
    row, beside = attention[found], _beside(attention, found)
    ranked = (-row).argsort(kind="stable").tolist()
    best, second = ranked[:2]
    asks = _(
        "The model writes “{text}”. While it writes {written} (step {step}), at which source token does it look most?",
        text=markdown.plain(base.mt.text(base.candidate.tokens)),
        written=_quoted(target[found]),
        step=found + 1,
    )
    says = _(
        "While it writes {written} it looks at **{first}** with {share}, then at {second} with {less}.",
        written=_quoted(target[found]),
        first=_quoted(source[best]),
        share=number(float(row[best]), ".0%"),
        second=_quoted(source[second]),
        less=number(float(row[second]), ".0%"),
    )
    others = (beside, second, best - 1, best + 1, *ranked)
    return guess.question(
        asks, best, [at for at in others if 0 <= at < len(source)], says, show=lambda at: placed(at, source[at])
    )


def _quoted(token: str) -> str:
    return f"“{markdown.plain(token.strip())}”"


def _beside(attention: np.ndarray, step: int) -> int:
    """The source token at the same place in its sentence as a step is in the other."""
    steps, size = attention.shape
    return min(size - 1, round(step * (size - 1) / max(1, steps - 1)))


def _furthest(attention: np.ndarray, source: list[str], target: list[str]) -> int | None:
    """The clear step that looks furthest from where the same place would be; the last one writes the end, and is left
    out.

    A word that looks at a word goes before marks, which look at anything.
    """
    ordered = np.sort(attention, 1)
    clear = [step for step in range(len(attention) - 1) if ordered[step, -1] - ordered[step, -2] >= CLEAR]
    looks = attention.argmax(1)
    words_only = [step for step in clear if _is_word(target[step]) and _is_word(source[looks[step]])]
    return max(words_only or clear, key=lambda step: abs(int(looks[step]) - _beside(attention, step)), default=None)


def _is_word(token: str) -> bool:
    return any(letter.isalpha() for letter in token)
