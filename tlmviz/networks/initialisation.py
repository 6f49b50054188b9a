"""Building networks without drawing their starting weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode


class _SkipDraws(TorchFunctionMode):
    """Leaves a new tensor as it is where torch would fill it with random numbers."""

    DRAWS = frozenset((Tensor.normal_, Tensor.uniform_))

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if function in self.DRAWS or getattr(function, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return function(*args, **kwargs)


@contextmanager
def skipped_initialisation() -> Iterator[None]:
    """Modules built inside draw no random weights, in this thread alone; the random state stays where it was.

    The meta device would do the same, but imports torch._dynamo on its way: one to two seconds at start.
    """
    with _SkipDraws():
        yield
