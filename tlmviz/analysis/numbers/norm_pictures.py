"""A convolution over pictures of handwritten digits, with fixed filters, for BatchNorm over batch, height and width.

Source: LLM notes, section 4.1; Sobel and Feldman 1968 for the filters of edges.
"""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float
from torch.nn import functional as F

from tlmviz import digits

FILTERS = {  # set by hand, not learned
    "edges, left to right": ((-1, 0, 1), (-2, 0, 2), (-1, 0, 1)),
    "edges, top to bottom": ((-1, -2, -1), (0, 0, 0), (1, 2, 1)),
    "outline": ((0, -1, 0), (-1, 4, -1), (0, -1, 0)),
    "blur": ((1, 2, 1), (2, 4, 2), (1, 2, 1)),
}
SHOWN = 64  # digits to choose from: held out, as all others are used up by the running statistics
BATCH, BATCHES = 8, 60  # of the running statistics


def responses(images: Float[np.ndarray, "b h w"]) -> Float[np.ndarray, "b c h w"]:
    """What each filter makes of pictures; beyond the border is paper, 0. A convolution as networks have it: not
    flipped."""
    filters = torch.tensor(list(FILTERS.values()), dtype=torch.float64)[:, None]
    return F.conv2d(torch.tensor(np.asarray(images, np.float64))[:, None], filters, padding=1).numpy()


def shown() -> tuple[Float[np.ndarray, "n h w"], list[int]]:
    """The pictures that can be chosen, 0 to 16, and which digits they are."""
    found = digits.held_out()
    return found.images[:SHOWN], [int(label) for label in found.labels[:SHOWN]]


def other_batches() -> Float[np.ndarray, "k b c h w"]:
    """What the filters make of BATCHES batches of other digits."""
    images = digits.training().images[: BATCH * BATCHES]
    return responses(images).reshape(BATCHES, BATCH, len(FILTERS), *images.shape[1:])


def batch_moments(batches: Float[np.ndarray, "k ..."]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and unbiased variance per channel, [K, C], of batches [K, N, C] of tokens or [K, B, C, H, W] of maps."""
    axes = tuple(axis for axis in range(1, batches.ndim) if axis != 2)
    return batches.mean(axes), batches.var(axes, ddof=1)


def drawn(count: int, wanted: int, seed: int) -> list[int]:
    """The first so many of `count` numbers in an order that the seed decides, as the browser draws them (mulberry32);
    seed 0 leaves them as they are.
    """
    order, state, bits = list(range(count)), seed, 0xFFFFFFFF
    for i in range(wanted if seed else 0):
        state = (state + 0x6D2B79F5) & bits
        t = ((state ^ (state >> 15)) * (state | 1)) & bits
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & bits)) & bits
        j = i + ((t ^ (t >> 14)) & bits) * (count - i) // 2**32
        order[i], order[j] = order[j], order[i]
    return order[:wanted]
