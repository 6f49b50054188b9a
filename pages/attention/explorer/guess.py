"""The question before the picture of the page Attention explorer: which token the head that is shown looks at."""

from __future__ import annotations

from tlmviz.analysis.workbench.following import visible_keys
from tlmviz.figures import placed
from tlmviz.ui import guess

from . import words
from .controls import Choice

CLEAR = 0.02  # of a row's attention, by which the first must lead the second: less is a tie


def seen(choice: Choice) -> bool:
    """Whether the picture may be drawn; else the question is. Another head of the same text asks nothing anew."""
    return guess.first("explorer", (choice.model, choice.text), lambda: question(choice))


def question(choice: Choice) -> guess.Question | None:
    """Which key gets most of the row that is pinned, or of the last one; None for ties, few keys, and an image's patches."""
    trace, (layer, head), query = choice.trace, choice.view.head, choice.query
    keys = visible_keys(trace, layer, head, query)
    if trace.patches is not None or len(keys) < guess.FEWEST:
        return None
    row = trace.attention(layer, head, rows=slice(query, query + 1))[0].tolist()
    best, second, *_ = sorted(keys, key=lambda key: -row[key])
    if row[best] - row[second] < CLEAR:
        return None
    earlier = [key for key in keys if key < query and trace.tokens[key] == trace.tokens[query]]
    likely = (second, query - 1, *(key + 1 for key in earlier), *earlier, query, keys[0], *keys)
    return guess.question(
        words.guess(choice),
        best,
        [key for key in likely if key in keys],
        words.guessed(choice, (best, row[best]), (second, row[second])),
        show=lambda key: placed(key, trace.tokens[key]),
    )
