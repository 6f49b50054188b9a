"""Reading safetensors of Hugging Face, one file or several shards, tensor by tensor and never twice in memory."""

from __future__ import annotations

import ctypes
import json
import math
import re
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from tlmviz.errors import BadCheckpoint

from .. import native
from .parts import Part, Parts
from .settings import WATCH

FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
FLOATS = ("F64", "F32", "F16", "BF16")
SIXTEEN = {"F16": torch.float16, "BF16": torch.bfloat16}
PAGE = 4096  # bytes of memory that are given back together
DONTNEED = 4  # of madvise
# Tensors that older files hold and that follow from the configuration: tables of RoPE, and the causal triangle.
DERIVED = re.compile(r"(.*\.)?(rotary_emb\.inv_freq|(attn|attention)\.(masked_)?bias)")


class WeightFiles:
    """The tensors of a checkpoint folder by name, without the prefix of their family. A context manager, which opens
    the files.

    Files are memory-mapped: a tensor is read when it is asked for. Raises BadCheckpoint for files that are missing or
    damaged.
    """

    def __init__(self, folder: Path, prefix: str = ""):
        self.folder, self.prefix = folder, prefix
        self._opened = ExitStack()
        self._files: dict[str, Any] = {}
        self._where: dict[str, tuple[str, str]] = {}  # name -> the file it is in, and its name there

    def __enter__(self) -> WeightFiles:
        index = None if (self.folder / FILE).is_file() else self._index()
        for file in [FILE] if index is None else sorted(set(index.values())):
            self._files[file] = self._open(file)
            for name in list(self._files[file].keys()):
                self._where[name.removeprefix(self.prefix)] = (file, name)
        if index is not None:
            self._check_index(index)
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def names(self) -> set[str]:
        """Names of all tensors but those that follow from the configuration."""
        return {name for name in self._where if not DERIVED.fullmatch(name)}

    def file(self, name: str) -> str:
        """The file that holds a tensor, as messages name it."""
        return f"{self.folder.name}/{self._where[name][0]}"

    def shape(self, name: str) -> list[int]:
        """A tensor's shape, from the header of its file."""
        shape: list[int] = self._slice(name).get_shape()
        return shape

    def kind(self, name: str) -> str:
        """The type of a tensor's numbers, as its header names it."""
        kind: str = self._slice(name).get_dtype()
        return kind

    def tensor(self, name: str) -> Tensor:
        """A tensor in its own precision."""
        file, stored = self._where[name]
        try:
            value: Tensor = self._files[file].get_tensor(stored)
        except (SafetensorError, OSError, ValueError) as error:
            raise native.unreadable(f"{self.folder.name}/{file}", error) from error
        return value

    def needed_bytes(self, own: bool = False) -> int:
        """All tensors as float32, and the largest once more while it is read or, where types are `own`, while it is
        used."""
        counts = {name: math.prod(self.shape(name)) for name in self.names()}
        each = {name: 2 if own and self.kind(name) in SIXTEEN else 4 for name in counts}
        return sum(each[name] * count for name, count in counts.items()) + 4 * max(counts.values(), default=0)

    def _slice(self, name: str) -> Any:
        file, stored = self._where[name]
        return self._files[file].get_slice(stored)

    def _open(self, file: str) -> Any:
        try:
            return self._opened.enter_context(safe_open(self.folder / file, framework="pt", device="cpu"))
        except (SafetensorError, OSError, ValueError) as error:
            raise native.unreadable(f"{self.folder.name}/{file}", error) from error

    def _index(self) -> dict[str, str]:
        """Name of a tensor -> its shard."""
        native.check_files(self.folder, [FILE if not (self.folder / INDEX).is_file() else INDEX])
        try:
            index = json.loads((self.folder / INDEX).read_text(encoding="utf-8"))["weight_map"]
            files = set(index.values())
        except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
            raise BadCheckpoint(f"{self.folder.name}/{INDEX} has no readable weight_map; copy it again.") from error
        foreign = [file for file in files if not isinstance(file, str) or Path(file).name != file]
        if foreign or not files:
            raise BadCheckpoint(
                f"{self.folder.name}/{INDEX} names {(foreign or ['no file'])[0]!r}; shards lie beside it, copy it "
                "again."
            )
        native.check_files(self.folder, sorted(files), "the index")
        return dict(index)

    def _check_index(self, index: dict[str, str]) -> None:
        absent = [name for name in index if name.removeprefix(self.prefix) not in self._where]
        if absent:
            raise BadCheckpoint(
                f"{self.folder.name}/{INDEX} says that {index[absent[0]]} holds {absent[0]}, and it does not; copy "
                "both again."
            )


def check(files: WeightFiles, parts: Parts, tied: str | None) -> None:
    """Raise BadCheckpoint unless the files hold exactly these parts, in their shapes, as floating-point numbers.

    `tied` is a name that may stand beside them, of the tensor that the first part has already.
    """
    expected = {part.name: part for several in parts.values() for part in several}
    names = files.names() - ({tied} if tied else set())
    for name in sorted(names):
        if files.kind(name) not in FLOATS:
            raise BadCheckpoint(
                f"{files.file(name)} holds {name} as {files.kind(name)}; tlmviz reads {', '.join(FLOATS)}: {WATCH}."
            )
    native.check_names(f"{files.folder.name}/{FILE}", expected.keys(), names)
    for name, part in expected.items():
        native.check_shape(files.file(name), name, files.shape(name), part.shape)


def copy_into(parameter: Tensor, files: WeightFiles, parts: list[Part]) -> None:
    """Fill one of our parameters. Raises BadCheckpoint for what is no number."""
    parameter, start = (parameter.flatten(0, -2) if parameter.ndim > 2 else parameter, 0)  # experts one above the other
    for part in parts:
        value = read = files.tensor(part.name)
        if part.change is not None:
            value = part.change.read(value.float())  # before it is changed: 1 + w has no place in 16 bits
        target = parameter[start : start + len(value)]
        target.copy_(value)
        native.check_finite(files.file(part.name), part.name, target)
        start += len(value)
        forget(read)


def own_type(files: WeightFiles, parts: list[Part]) -> torch.dtype | None:
    """The 16-bit type that all parts of a parameter have and keep; None where one has another, or is changed when it is
    read."""
    kinds = {files.kind(part.name) if part.change is None else "" for part in parts}
    return SIXTEEN.get(kinds.pop()) if len(kinds) == 1 else None


def forget(value: Tensor) -> None:
    """Give the memory of a tensor that was copied back: pages of a mapped file would stay until the file is closed."""
    first = -(-value.data_ptr() // PAGE) * PAGE
    size = (value.data_ptr() + value.nbytes - first) // PAGE * PAGE
    if sys.platform == "linux" and size > 0 and value.is_contiguous():
        ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(size), DONTNEED)


def check_tied(files: WeightFiles, head: str, embedding: str) -> None:
    """Raise BadCheckpoint where a file holds a head that is not the embedding, though its configuration says so."""
    if head not in files.names():
        return
    if files.shape(head) != files.shape(embedding) or not torch.equal(files.tensor(head), files.tensor(embedding)):
        raise BadCheckpoint(
            f"{files.file(head)} holds a {head} of its own, and config.json says tie_word_embeddings true; make it "
            "false."
        )
