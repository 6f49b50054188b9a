"""Weights that several processes of one machine hold once: written to a file by the first that loads a model, mapped by
all.

A host runs one app process per core. Each reads a checkpoint as it always does and then, where FOLDER names a folder,
gives its own copy of the weights back and maps the file instead; pages that nobody writes to are one for all who map
them.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from .stored import Stored

FOLDER = "TLMVIZ_WEIGHTS"  # the environment variable that names the folder, best one in memory: `tlmviz serve` sets it
ALIGNMENT = 64  # bytes


def shared(model: Any, path: Path) -> None:
    """Replace the weights of a model that was loaded from `path` by mapped ones; nothing happens unless FOLDER is set.

    The numbers, shapes and strides stay. Weights are not to be written to afterwards: the writer would get a copy of
    its own.
    """
    folder = os.environ.get(FOLDER)
    tensors = _tensors(model) if folder else []
    if not folder or not tensors:
        return
    file = Path(folder) / f"{path.stem}-{_fingerprint(path)}.weights"
    try:
        with _alone(file):
            if not file.exists():
                _write(file, tensors)
    except OSError:  # the disk is full: the process keeps its own copy, which works as well
        return
    _map(file, tensors)
    with contextlib.suppress(OSError, AttributeError):  # glibc keeps what was freed, unless it is told
        ctypes.CDLL(None).malloc_trim(0)


def _tensors(model: Any) -> list[Tensor]:
    """The parameters and buffers of every network in a model, each memory once, in an order that loading always
    gives."""
    modules = [value for value in vars(model).values() if isinstance(value, nn.Module)]
    found: dict[int, Tensor] = {}
    for module in modules:
        for tensor in (*module.parameters(), *module.buffers()):
            if tensor.device.type == "cpu" and tensor.numel() and not isinstance(tensor, Stored):
                found.setdefault(tensor.data_ptr(), tensor)
    return list(found.values())


def _fingerprint(path: Path) -> str:
    """A name for what a path holds now: a checkpoint that is written anew gets another one."""
    files = [path] if path.is_file() else sorted(each for each in path.iterdir() if each.is_file())
    seen = [(str(each.resolve()), each.stat().st_size, each.stat().st_mtime_ns) for each in files]
    return hashlib.sha256(repr(seen).encode()).hexdigest()[:16]


@contextlib.contextmanager
def _alone(file: Path) -> Iterator[None]:
    """A block that one process at a time is in: of two that load a model at once, one writes."""
    import fcntl  # late: Windows has none, and needs none

    with open(file.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _row(tensor: Tensor) -> Tensor:
    """A tensor's memory as a row of its elements, whatever its strides."""
    elements = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return tensor.detach().as_strided((elements,), (1,))


def _span(row: Tensor) -> int:
    """How many bytes of the file a row takes."""
    return -(-row.nbytes // ALIGNMENT) * ALIGNMENT


def _write(file: Path, tensors: list[Tensor]) -> None:
    unfinished = file.with_suffix(".part")
    with open(unfinished, "wb") as out:
        for row in map(_row, tensors):
            out.write(row.view(torch.uint8).numpy().data)
            out.write(bytes(_span(row) - row.nbytes))
    unfinished.replace(file)


def _map(file: Path, tensors: list[Tensor]) -> None:
    # Not shared=True: a stray write into weights would reach every process.
    whole = torch.from_file(str(file), shared=False, size=file.stat().st_size, dtype=torch.uint8)
    offset = 0
    for tensor in tensors:
        row = _row(tensor)
        mapped = whole[offset : offset + row.nbytes].view(tensor.dtype)
        tensor.data = mapped.as_strided(tensor.shape, tensor.stride())
        offset += _span(row)
