"""Reading and writing indexer checkpoints: config.json with kind "indexer", model.safetensors, and no tokenizer.

An indexer knows its teacher by the hash of the teacher's weights: on any others its choices mean nothing.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import torch

from tlmviz.config import IndexerConfig
from tlmviz.errors import BadCheckpoint, UnknownName
from tlmviz.layers.indexer import Indexers

from . import native
from .folders import kind_of, named_path
from .registry import list_models

FILES = ("config.json", "model.safetensors")
KIND = "indexer"


def fingerprint(folder: Path) -> str:
    """SHA-256 of a checkpoint folder's model.safetensors, in hexadecimal. Raises BadCheckpoint."""
    try:
        return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    except OSError as error:
        raise BadCheckpoint(f"{folder.name}/model.safetensors cannot be read ({error.strerror}).") from error


def list_indexers() -> dict[str, str]:
    """The bundled indexers: name -> one-line description."""
    return list_models("index")


def load_indexer(name_or_path: str | Path) -> Indexers:
    """A bundled indexer by name or a checkpoint folder by path, as float32, ready for inference.

    Its teacher is the folder of that name beside it. Raises UnknownName when there is no such indexer,
    BadCheckpoint when it is incomplete or damaged, or was distilled from other weights than the teacher has now.
    """
    folder = _folder(str(name_or_path))
    native.check_files(folder, FILES, "an indexer")
    if kind_of(folder) != KIND:
        raise BadCheckpoint(f"{folder.name} is no indexer: its config.json does not say kind 'indexer'.")
    config = native.read_config(folder, IndexerConfig)
    if fingerprint(folder.parent / config.teacher) != config.fingerprint:
        raise BadCheckpoint(
            f"{folder.name} was distilled from other weights than {config.teacher} has now; "
            "distil it again with python -m tlmviz.training indexer --data DIR."
        )
    indexers: Indexers = native.read_network(folder, Indexers, config)
    return indexers.eval().requires_grad_(False)


def save_indexer(folder: Path, indexers: Indexers, dtype: torch.dtype = torch.float16) -> None:
    """Write config.json and model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(indexers.config.to_json())
    native.write_weights(folder, indexers.state_dict(), dtype)


def _folder(text: str) -> Path:
    folder, is_name = named_path(text), Path(text).name == text
    if folder is not None and (kind_of(folder) == KIND or not is_name):
        return folder
    names = ", ".join(list_indexers()) or "none is bundled yet"
    raise UnknownName(f"There is no indexer {text[:80]!r}; choose one of {names}, or give the path of its folder.")
