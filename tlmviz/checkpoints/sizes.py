"""How large a model is, without loading it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from safetensors import SafetensorError, safe_open

from .registry import checkpoint_folder


def size(name_or_path: str | Path) -> str:
    """A model's parameters, as its files of tensors count them, or else the megabytes of its file: "2.9 M" or "92 MB".

    Raises UnknownName.
    """
    path = checkpoint_folder(name_or_path)
    try:
        return _millions(sum(map(_numbers, _tensor_files(path))))
    except (OSError, SafetensorError, ValueError):
        files = path.rglob("*") if path.is_dir() else [path]
        return f"{sum(file.stat().st_size for file in files if file.is_file()) / 1e6:.0f} MB"


def _tensor_files(path: Path) -> Iterator[Path]:
    """The files of tensors in a folder. Raises ValueError where there are none."""
    files = sorted(path.glob("model*.safetensors")) if path.is_dir() else []
    if not files:
        raise ValueError(path)
    yield from files


def _numbers(file: Path) -> int:
    """How many numbers the tensors of a file have: its header is read, no tensor."""
    with safe_open(file, framework="numpy") as tensors:
        names = tensors.keys()
        return sum(math.prod(tensors.get_slice(name).get_shape()) for name in names)


def _millions(count: int) -> str:
    return f"{count / 1e6:.1f} M" if count < 1e7 else f"{count / 1e6:.0f} M"
