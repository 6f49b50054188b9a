"""A matrix that stays in memory in the 16 bits of its file, and is float32 to whoever uses it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_map

from tlmviz.errors import BadCheckpoint

SIXTEEN = (torch.bfloat16, torch.float16)


class Stored(Tensor):
    """A float32 tensor to all operations, of which 16 bits a number are kept: each operation gets a float32 copy for
    its time.

    Both 16-bit types are part of float32, so every result is that of a float32 tensor, bit for bit. Rows that an
    embedding looks up are converted alone. What is copied into it is rounded to 16 bits; any other writing raises
    BadCheckpoint, and a part of it (`weight[0]`) is a copy.
    """

    kept: Tensor

    @staticmethod
    def __new__(cls, kept: Tensor) -> Stored:
        made: Stored = torch.Tensor._make_wrapper_subclass(cls, kept.shape, dtype=torch.float32, device=kept.device)
        made.kept = kept
        return made

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"Stored({list(self.shape)}, {self.kept.dtype})"

    def numpy(self, **options: Any) -> Any:
        """Its numbers as float32."""
        return self.kept.float().numpy(**options)

    def tolist(self) -> Any:
        """Its numbers, nested."""
        return self.kept.float().tolist()

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        made = nn.Parameter(Stored(self.kept.clone()), requires_grad=self.requires_grad)
        memo[id(self)] = made
        return made

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        aten, first = torch.ops.aten, args[0] if args else None
        if function in (aten.detach.default, aten.alias.default) and isinstance(first, Stored):
            return Stored(first.kept)
        if function is aten.copy_.default and isinstance(first, Stored):
            first.kept.copy_(_whole(args[1]))
            return first
        if function is aten.embedding.default and isinstance(first, Stored):
            return function(first.kept, *args[1:], **(kwargs or {})).float()
        if function._schema.is_mutable and isinstance(first, Stored):
            raise BadCheckpoint(
                'Weights that were loaded with dtype="own" cannot be changed; load the model without it to train '
                "or edit it."
            )
        return function(*tree_map(_whole, args), **tree_map(_whole, kwargs or {}))


def _whole(value: Any) -> Any:
    """A float32 copy of a Stored tensor; anything else itself."""
    return value.kept.float() if isinstance(value, Stored) else value


def keep(network: nn.Module, name: str, dtype: torch.dtype) -> Tensor:
    """Put a Stored tensor in a parameter's place, in every module that shares it; its 16 bits, still to be filled."""
    owner, _, leaf = name.rpartition(".")
    replaced = getattr(network.get_submodule(owner), leaf)
    kept = torch.empty(replaced.shape, dtype=dtype)
    made = nn.Parameter(Stored(kept), requires_grad=False)
    for module in network.modules():
        for own, value in list(module._parameters.items()):
            if value is replaced:
                module._parameters[own] = made
    return kept
