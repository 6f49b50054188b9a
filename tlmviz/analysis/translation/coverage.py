"""What a translation repeats, where it looks again, and what it says when it must look elsewhere (004 section 7.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.decoding.penalties import coverage_vectors
from tlmviz.protocols import TranslatorLike


def repeats(tokens: Sequence[int], size: int = 2) -> int:
    """How many n-grams of a text were there before: 0 for "a b c", 2 for "a b a b a" with `size` 2."""
    grams = [tuple(tokens[i : i + size]) for i in range(len(tokens) - size + 1)]
    return len(grams) - len(set(grams))


def overlaps(
    attention: Float[np.ndarray, "t s"], average: bool = False
) -> tuple[Float[np.ndarray, "t s"], Float[np.ndarray, "t s"]]:
    """The coverage vectors c^t (Eq. 48, or 50 with `average`) and min(a^t, c^t), whose rows sum to covloss_t (Eq.
    49)."""
    c = coverage_vectors(attention, average)
    return c, np.minimum(attention, c)


def next_tokens(
    mt: TranslatorLike, text: str, written: Sequence[int], pins: dict[int, int] | None = None
) -> Float[Tensor, " v"]:
    """Probabilities of the token after `written` in a model's translation of `text`, with `pins` as in `mt.stepper`.

    Raises BadText.
    """
    stepper, row = mt.stepper(text, pins), torch.tensor([0])
    step = stepper.advance(row, None)
    for token in written:
        step = stepper.advance(row, torch.tensor([token]))
    return step.logp[0].exp()
