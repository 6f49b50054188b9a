"""A device that this machine does not have, played by tensors on the CPU: what would fail on a card fails on it.

`DEVICE` has no storage. A tensor on it is a `Distant`: it says that it is there, carries its numbers on the CPU, and
refuses to meet a tensor on the CPU in one operation, as torch does between a card and the CPU; `.numpy()` refuses too.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

DEVICE = torch.device("lazy", 0)
aten = torch.ops.aten
# As with a card: an index may lie on the CPU, and a copy is how to get from one to the other.
MIXED = {aten._to_copy, aten.copy_, aten.index, aten.index_put, aten.index_put_, aten._index_put_impl_}


class Distant(torch.Tensor):
    """A tensor on DEVICE."""

    @staticmethod
    def __new__(cls, here):
        with torch.inference_mode(False):  # a view of a weight must not be an inference tensor
            return torch.Tensor._make_wrapper_subclass(
                cls,
                here.shape,
                strides=here.stride(),
                storage_offset=here.storage_offset(),
                dtype=here.dtype,
                device=DEVICE,
                requires_grad=False,
            )

    def __init__(self, here):
        self.here = here

    def __repr__(self):
        return f"Distant({self.here!r})"

    def tolist(self):
        return self.here.tolist()

    def numpy(self, *arguments, **options):
        raise TypeError(f"can't convert a tensor on {DEVICE} to numpy: use .cpu() first")

    __array__ = numpy
    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        return run(function, args, kwargs or {})


class Elsewhere(TorchDispatchMode):
    """While it is active, DEVICE can be asked for in this thread."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return run(function, args, kwargs or {})


def run(function, args, kwargs):
    """One operation: on the CPU, its result where its inputs or `device=` say."""
    if torch._C._dispatch_has_kernel_for_dispatch_key(function.name(), "CompositeImplicitAutograd"):
        with Elsewhere():  # in inference mode torch leaves it to us to take operations apart
            return function.decompose(*args, **kwargs)
    inputs = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, torch.Tensor)]
    distant = [x for x in inputs if isinstance(x, Distant)]
    strangers = [x for x in inputs if not isinstance(x, Distant) and x.ndim]
    if distant and strangers and function.overloadpacket not in MIXED:
        raise RuntimeError(
            f"{function}: tensors on {DEVICE} and on the CPU meet: {[tuple(x.shape) for x in strangers]}"
        )
    asked = kwargs.get("device")
    there = bool(distant) if asked is None else torch.device(asked).type == DEVICE.type
    if asked is None and function.overloadpacket in MIXED and isinstance(args[0], torch.Tensor):
        there = isinstance(args[0], Distant)
    if asked is not None and torch.device(asked).type == DEVICE.type:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    found = function(*tree_map(near, args), **tree_map(near, kwargs))
    if function.overloadpacket is aten._local_scalar_dense:
        return found
    known = {id(x.here): x for x in distant}

    def placed(x):
        if not isinstance(x, torch.Tensor):
            return x
        same = known.get(id(x))  # an operation in place gives back its input
        return same if same is not None else Distant(x) if there else x

    return tree_map(placed, found)


def near(x):
    """The numbers behind a tensor."""
    return x.here if isinstance(x, Distant) else x


@contextmanager
def everywhere(monkeypatch):
    """`Elsewhere` in this thread and in every thread that is started in it."""
    begin = threading.Thread.run

    def within(thread):
        with Elsewhere():
            begin(thread)

    monkeypatch.setattr(threading.Thread, "run", within)
    with Elsewhere():
        yield
