"""The question before the pictures of the page Long context: what is lost beyond the length that the model was trained
on."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import guess, markdown
from tlmviz.ui.language import _

from .data import Text

FACTOR = 1.6  # from one answer to the next


def seen(found: Text, loss: np.ndarray) -> bool:
    """Whether the pictures may be drawn; else the question is. Another head asks nothing anew."""
    return guess.first("long_context", (found.chosen.model, found.text), lambda: question(found, loss))


def question(found: Text, loss: np.ndarray) -> guess.Question | None:
    """The mean loss beyond the training length; None for texts that end within it."""
    context, model = found.lm.config.context, found.chosen.model
    inside, outside = loss[: context - 1], loss[context - 1 :]
    if not len(inside) or not len(outside):
        return None
    within, beyond = float(inside.mean()), float(outside.mean())
    values = {"context": f"{context:,}", "within": number(within, ".2f")}
    asks = _(
        "{model} was trained on texts of {context} tokens and reads {tokens}. Within its training length its loss is "
        "{within} nats per token. What is it beyond?",
        model=markdown.plain(model),
        tokens=f"{len(loss) + 1:,}",
        **values,
    )
    says = _(
        "Beyond {context} tokens the loss is **{beyond} nats** per token: {change} on the {within} within.",
        beyond=number(beyond, ".2f"),
        change=number(round(beyond - within, 2) + 0.0, "+.2f"),
        **values,
    )
    ladder = guess.ladder(beyond, (model, found.text), FACTOR)
    return guess.question(asks, beyond, ladder, says, show=lambda nats: _("{nats} nats", nats=number(nats, ".2f")))
