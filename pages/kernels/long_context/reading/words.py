"""The words of the view "Text": what to notice, and the snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.kernels.far_reading import FAR

from ..controls import Choice
from ..maps.words import EQUATION
from ..words import snippet_start

__all__ = ["EQUATION", "notice", "snippet"]

NOTICE = (
    "Click a word: the orange line of the map is its row, the dots are the tokens that the head reads most for it. Arrow keys "
    "walk through the text, a click on the map pins the query of that row.",
    f"*Heads that read far* are those that put the most weight on one token {FAR} or more tokens back, the mean over the text "
    "(measured, without the first tokens).",
    "*Loss* colours each word by how surprising it was to the model: −log p in nats, the darkest from 8 on.",
)


def notice(choice: Choice, query: int, row: np.ndarray) -> list[str]:
    """What to look for, and how much of the pinned query's `row` lies farther back than any text that was trained on."""
    context = choice.lm.config.context
    points = list(NOTICE)
    if query >= context:
        beyond = float(row[: query - context + 1].sum(dtype=np.float64))
        points.append(
            f"The pinned query puts **{beyond:.3f}** of this head's weight on tokens {context:,} or more back: distances that no "
            "training text had, so nothing taught the head what to do there."
        )
    return points


def reading_text(length: int) -> str:
    """What is said while it is computed."""
    return f"One pass over {length:,} tokens …"


def snippet(choice: Choice, length: int, query: int) -> str:
    """The pinned query's row with the public API."""
    start = snippet_start(choice, length, "long_trace, loss_along")
    return f"""\
{start}loss = loss_along(lm, trace).numpy()  # nats of each next token
row = trace.attention({choice.layer}, {choice.head}, rows=slice({query}, {query + 1}))[0]
for key in row.argsort(descending=True)[:8].tolist():
    print(f"{{row[key]:.4f}}  {query} -> {{key}}  {{trace.tokens[key]!r}}")
"""
