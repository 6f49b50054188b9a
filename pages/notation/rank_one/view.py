"""Draws the page Rank-1 pictures: the matrix with its terms added one by one, and how many terms each way needs."""

from __future__ import annotations

from tlmviz.analysis.notation.model_products import MIXED
from tlmviz.checks import Check
from tlmviz.errors import BadShape
from tlmviz.ui import below, frame

from . import compute, controls, words
from .component import payload, rank_one_view
from .controls import Choice


def terms(choice: Choice) -> None:
    """The matrix, its sum so far, the last term, what is left; singular values and errors. Raises BadShape."""
    product, (every, values) = compute.product(choice), compute.terms(choice)
    mixed = choice.source == MIXED
    data = payload(
        product,
        every,
        values,
        names=words.names(choice.source),
        tokens=choice.trace.tokens[: len(product.left)] if mixed else (),
        title=words.title(choice),
        row="token" if mixed else "row",
        picture=below.next_picture(),
        **controls.state(),
    )
    rank_one_view(data, key=controls.KEY, on_change=controls.keep)


def needed(choice: Choice) -> None:
    """How many terms each way takes to leave a tenth or a hundredth of the matrix."""
    every, values = compute.terms(choice)
    frame.table(words.needed(every, values, choice.source), {}, words.HELPS)
    frame.caption(words.shown(choice, len(choice.trace) if choice.source == MIXED else 0))


def measured(choice: Choice) -> list[Check]:
    """The identities on this matrix; none where there is no matrix."""
    try:
        return compute.measured(choice)
    except BadShape:
        return []
