"""The question before the pictures of the page Long context: what is lost beyond the length that the model was trained on."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui import guess

from . import words
from .controls import Choice

FACTOR = 1.6  # from one answer to the next


def seen(choice: Choice, loss: np.ndarray) -> bool:
    """Whether the pictures may be drawn; else the question is. Another head asks nothing anew."""
    return guess.first("long_context", (choice.model, choice.text), lambda: question(choice, loss))


def question(choice: Choice, loss: np.ndarray) -> guess.Question | None:
    """The mean loss beyond the training length; None for texts that end within it."""
    context = choice.lm.config.context
    inside, outside = loss[: context - 1], loss[context - 1 :]
    if not len(inside) or not len(outside):
        return None
    within, beyond = float(inside.mean()), float(outside.mean())
    return guess.question(
        words.guess(choice.model, context, len(loss) + 1, within),
        beyond,
        guess.ladder(beyond, (choice.model, choice.text), FACTOR),
        words.guessed(context, within, beyond),
        show=lambda nats: f"{number(nats, '.2f')} nats",
    )
