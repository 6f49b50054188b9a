"""How far one optimizer step moves the parameters of each layer."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

LARGEST = 1 << 16  # numbers of one parameter that are copied


class Updates:
    """The parameters of each block as they were before a step: at most LARGEST numbers of each, evenly spaced.

    `before` copies them, `ratios` compares: the norm of the change by the norm of what was there, a number for each
    block, NaN where no copy was made. A copy of all would need the memory of the model once more.
    """

    def __init__(self, network: nn.Module, blocks: Sequence[str]):
        named = [(name, part) for name, part in network.named_parameters() if part.requires_grad]
        self.parameters = [
            [part for name, part in named if not block or name.startswith(f"{block}.")] for block in blocks
        ]
        self.copies: list[list[Tensor]] | None = None

    def before(self) -> None:
        """Keep the parameters of this moment."""
        self.copies = [[_sample(part).clone() for part in block] for block in self.parameters]

    def ratios(self) -> list[float]:
        """The ratio of each block since `before`, which is forgotten."""
        copies, self.copies = self.copies, None
        if copies is None:
            return [float("nan")] * len(self.parameters)
        return [_ratio(now, then) for now, then in zip(self.parameters, copies)]


@torch.no_grad()
def _ratio(now: Sequence[Tensor], then: Sequence[Tensor]) -> float:
    if not then:
        return float("nan")
    change = torch.stack([(_sample(a) - b).norm() for a, b in zip(now, then)]).norm()
    return float(change / torch.stack([b.norm() for b in then]).norm())


@torch.no_grad()
def _sample(parameter: Tensor) -> Float[Tensor, " n"]:
    """Numbers of a parameter, evenly spaced; of one that is spread over processes, those that are here."""
    local = parameter.to_local() if hasattr(parameter, "to_local") else parameter
    flat = local.detach().reshape(-1)
    return flat[:: -(-flat.numel() // LARGEST) or 1].float()
