"""The identity behind a translator with a pointer: its probabilities from the states alone."""

from __future__ import annotations

import numpy as np
import torch

from tlmviz.analysis.translation.copying import Copied

from ..protocols import TranslatorLike
from .registry import identity
from .result import worst
from .translation_cases import copied, has_pointer


@identity(
    "Written + copied = p",
    "what is written and what is copied add up to the network's probability",
    3e-5,  # logits are sums of float32 products, which leave up to 1.1e-5 in a probability on some processors
    when=has_pointer,
    inputs=copied,
)
def parts_add_up(mt: TranslatorLike, read: Copied) -> float:
    """The mixture of softmax(h~ E') and of the attention on a token's places, in float64 NumPy (004 Eq. 53)."""
    return worst(torch.from_numpy(np.asarray(read.written + read.copied - read.p)))
