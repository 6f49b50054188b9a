"""The question before the picture of the page Attention explorer: which token the head that is shown looks at."""

from __future__ import annotations

from tlmviz.analysis.workbench.following import visible_keys
from tlmviz.figures import number, placed
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .claims import quoted
from .data import Data

CLEAR = 0.02  # of a row's attention, by which the first must lead the second: less is a tie


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is. Another head of the same text asks nothing anew."""
    return guess.first("explorer", (data.chosen.model, data.chosen.text), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """Which key gets most of the row that is pinned, or of the last one; None for ties, few keys, and an image's
    patches."""
    trace, (layer, head), query = data.trace, data.chosen.view.head, data.query
    keys = visible_keys(trace, layer, head, query)
    if trace.patches is not None or len(keys) < guess.FEWEST:
        return None
    row = data.row.tolist()
    best, second, *_rest = sorted(keys, key=lambda key: -row[key])
    if row[best] - row[second] < CLEAR:
        return None
    earlier = [key for key in keys if key < query and trace.tokens[key] == trace.tokens[query]]
    likely = (second, query - 1, *(key + 1 for key in earlier), *earlier, query, keys[0], *keys)
    values = {"layer": layer, "head": head, "token": quoted(data, query)}
    asks = _("L{layer}H{head} reads from {token}. Which token gets most of its attention?", **values)
    says = _(
        "From {token}, L{layer}H{head} looks at **{key}** with {weight}, then at {other} with {less}.",
        key=quoted(data, best),
        weight=number(row[best], ".0%"),
        other=quoted(data, second),
        less=number(row[second], ".0%"),
        **values,
    )
    return guess.question(
        asks, best, [key for key in likely if key in keys], says, show=lambda key: placed(key, trace.tokens[key])
    )
