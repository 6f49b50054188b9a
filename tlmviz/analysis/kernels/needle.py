"""A needle test: whether a model, with a method in place of its softmax, still finds made-up names that it read
before."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from tlmviz.analysis.samples import long_sample_text
from tlmviz.errors import BadText
from tlmviz.protocols import LanguageModelLike

from .sparse_methods import Method, swap

NEEDLE = " Zumi Kavo Remu Tila Boko Nari."
DISTANCES = (16, 32, 64, 128, 256)  # tokens of stories between the names and their repetition
FOUND = 0.5  # nats per token that the first occurrence must gain to count as found


def texts(lm: LanguageModelLike, distance: int) -> tuple[list[int], list[int], int]:
    """Ids with the needle before `distance` tokens of stories and again behind them, the same with stories in place of
    the first needle, and the tokens of a needle. Raises BadText where the model reads less.
    """
    encode = lm.tokenizer.encode
    begin, needle, hay = lm.tokenizer.lead, encode(NEEDLE), encode(long_sample_text())
    size = len(needle)
    if len(begin) + 2 * size + distance > lm.config.context:
        raise BadText(f"{lm.name} reads {lm.config.context:,} tokens, too few for names {distance} apart.")
    between = hay[size : size + distance]
    return [*begin, *needle, *between, *needle], [*begin, *hay[:size], *between, *needle], size


def gain(lm: LanguageModelLike, method: Method | None, distance: int) -> float:
    """Nats per token by which the first occurrence makes the second more probable, in real passes with a method.

    None is the model as it is. The second needle's first token, which nothing announces, is left out. Raises BadText.
    """
    edits = None if method is None else swap(method, lm.on_cpu.network.specs())
    told, untold, size = texts(lm, distance)
    losses = [
        lm.trace_ids(ids, edits, "logits".__eq__).loss_per_token()[1 - size :].mean().item() for ids in (told, untold)
    ]
    return losses[1] - losses[0]


def reach(gains: Float[np.ndarray, " d"]) -> int | None:
    """The farthest of DISTANCES up to which the needle was found at every one; None where it was not at the nearest."""
    lost = np.flatnonzero(np.asarray(gains) < FOUND)
    count = int(lost[0]) if len(lost) else len(gains)
    return DISTANCES[count - 1] if count else None
