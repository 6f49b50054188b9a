"""A trained model run with another rotation than its own: the other layout, another base, a slower plane, or none."""

from __future__ import annotations

import torch
from torch import Tensor

from tlmviz import kernels
from tlmviz.kernels.rotary import half_order
from tlmviz.layers.positions import CosSin, NoPositions, Positions, RoPE
from tlmviz.layers.scaling import ScaledRoPE
from tlmviz.protocols import LanguageModelLike

from .rope_planes import own_base


class HalfSplit(RoPE):
    """RoPE that pairs dimension j with j + D/2, for a model trained with pairs (2j, 2j + 1).

    As it is, this is the wrong layout. `permuted` reorders each query and key first, as reordering the rows of W_Q and
    W_K would: then every plane is its own again, and no score changes.
    """

    def __init__(self, head_dim: int, base: float = 10000.0, permuted: bool = False):
        super().__init__(head_dim, base)
        self.order = half_order(head_dim) if permuted else None

    def rotate(self, x: Tensor, cos_sin: CosSin) -> Tensor:
        assert cos_sin is not None  # RoPE's own `cos_sin` made them
        return kernels.rotate(x if self.order is None else x[..., self.order], *cos_sin, layout="half")


class OneSlower(ScaledRoPE):
    """RoPE of which one `plane` turns `scale` times slower: up to `scale` times the training length it meets no new
    angle."""

    def __init__(self, head_dim: int, base: float, plane: int, scale: float):
        super().__init__(head_dim, base, scale)
        self.plane = plane

    def frequencies(self, length: int) -> Tensor:
        """Radians per token of each plane, float64."""
        found = self.unscaled()
        found[self.plane] /= self.scale
        return found


def variants(lm: LanguageModelLike, base: float) -> dict[str, Positions | None]:
    """What a model can be run with, None for its own RoPE: "own", "half", "permuted", "off", "base".

    Raises BadConfig for a model without RoPE.
    """
    own, dim = own_base(lm.config), lm.config.head_dim
    return {
        "own": None,
        "half": HalfSplit(dim, own),
        "permuted": HalfSplit(dim, own, permuted=True),
        "off": NoPositions(),
        "base": RoPE(dim, base),
    }


@torch.inference_mode()
def continue_greedily(lm: LanguageModelLike, ids: list[int], positions: Positions | None, count: int) -> list[int]:
    """The `count` most probable next tokens one after another, fewer at the context's end or the end of the text."""
    cache, last, new = lm.new_cache(), torch.tensor([ids]), []
    for _ in range(min(count, lm.config.context - len(ids))):
        token = int(lm(last, cache, positions)[0, -1].argmax())
        if token in lm.tokenizer.ends:
            break
        new.append(token)
        last = torch.tensor([[token]])
    return new
