"""The question before the tree of the page Beam search: which of the finished texts wins."""

from __future__ import annotations

from dataclasses import replace

from tlmviz.figures import number
from tlmviz.ui import guess, markdown
from tlmviz.ui.language import _

from .data import Data

CLEAR = 0.001  # nats, by which the best must lead the next: less is a tie


def seen(data: Data) -> bool:
    """Whether the tree may be drawn; else the question is. Weights that only rank anew ask nothing anew."""
    about = replace(data.chosen, alpha=0.0, beta=0.0, gamma=0.0, table=False, whole=False)
    return guess.first("beam_search", about, lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """Which text is ranked first, beside greedy's and those behind it; None for ties and where few were found."""
    ranked, greedy = data.ranked, data.greedy
    if len(ranked) < guess.FEWEST or ranked[0].score - ranked[1].score < CLEAR:
        return None
    texts = [data.mt.text(candidate.tokens) for candidate in (ranked[0], greedy, *ranked[1:])]
    asks = _(
        "A beam of {width} ends with {count} translations of “{text}”. Which one does it rank first?",
        width=data.chosen.width,
        count=len(ranked),
        text=markdown.plain(data.chosen.text),
    )
    says = _(
        "First is **{text}** with a score of {score}.",
        text=markdown.plain(texts[0]) or _("(nothing)"),
        score=number(ranked[0].score, ".3f"),
    )
    if ranked[0].tokens == greedy.tokens:
        says += " " + _("Greedy writes the same.")
    else:
        other = markdown.plain(texts[1]) or _("(nothing)")
        says += " " + _("Greedy writes “{text}”: {score}.", text=other, score=number(greedy.score, ".3f"))
    return guess.question(
        asks, texts[0], [text for text in texts[1:] if text], says, order=lambda text: (len(text), text)
    )
