"""What an encoder says of each token of a text when that token alone is hidden, and what a causal mask takes from
it."""

from __future__ import annotations

import numpy as np
import torch
from jaxtyping import Float

from tlmviz.protocols import EncoderModelLike

AT_ONCE = 4096  # tokens read in one pass


@torch.inference_mode()
def each_hidden(model: EncoderModelLike, ids: list[int]) -> Float[np.ndarray, "t v"]:
    """Row t: the probability of each token at place t while [MASK] stands there and all other places are as given."""
    text = torch.tensor(ids)
    rows = max(1, AT_ONCE // len(ids))
    parts = []
    for start in range(0, len(ids), rows):
        places = torch.arange(start, min(start + rows, len(ids)))
        read = text.repeat(len(places), 1)
        read[torch.arange(len(places)), places] = model.config.mask
        normed = model.network.read(read)[torch.arange(len(places)), places]
        parts.append(model.network.unembed(normed).softmax(-1).cpu())
    return torch.cat(parts).numpy()


def nats(probabilities: Float[np.ndarray, "t v"], ids: list[int]) -> Float[np.ndarray, " t"]:
    """-log p of the tokens that stand there."""
    return -np.log(np.maximum(probabilities[np.arange(len(ids)), ids], 1e-12))


def read_by_first(row: Float[np.ndarray, "l h s"], ids: list[int], sep: int) -> Float[np.ndarray, "l h 3"]:
    """[CLS]'s weights summed over the first text, over the second, and over the special tokens, of each layer and
    head."""
    tokens = np.array(ids)
    ends = np.flatnonzero(tokens == sep)
    where = np.arange(len(tokens))
    special = (where == 0) | (tokens == sep)
    parts = (~special & (where < ends[0]), ~special & (where > ends[0]), special)
    return np.stack([row[..., part].sum(-1) for part in parts], -1)
