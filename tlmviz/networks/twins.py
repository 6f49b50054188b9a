"""Networks that share their weights with another one: to be changed, or read with other weights, while others read that
one.

A server computes for several visitors at once, and torch puts weights and hooks into the modules themselves.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

Module = TypeVar("Module", bound=nn.Module)
_DRAWING = threading.Lock()


def twin(network: Module) -> Module:
    """The same modules made anew around the same weights: hooks on it, or another mode, are its own. Takes
    milliseconds."""
    kept = {id(tensor): tensor for tensor in (*network.parameters(), *network.buffers())}
    return copy.deepcopy(network, kept)


def with_weights(network: nn.Module, weights: Mapping[str, Tensor], *given: Any) -> Any:
    """What a network returns with these weights, by name, in place of its own (torch.func.functional_call)."""
    return torch.func.functional_call(twin(network), dict(weights), given)


@contextmanager
def drawn_from(seed: int) -> Iterator[None]:
    """Starting weights drawn inside are those of a seed; the random state is left as it was. One thread at a time."""
    no_devices: list[int] = []
    with _DRAWING, torch.random.fork_rng(no_devices):
        torch.manual_seed(seed)
        yield
