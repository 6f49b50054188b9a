"""Reading and writing indexer checkpoints: config.json with kind "indexer", model.safetensors, and no tokenizer.

An indexer knows its teacher by the hash of the teacher's weights: on any others its choices mean nothing.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

import torch

from tlmviz.errors import BadCheckpoint, BadConfig, UnknownName
from tlmviz.layers.indexer import IndexerConfig, Indexers

from . import native as zoo

FILES = ("config.json", "model.safetensors")


def fingerprint(folder: Path) -> str:
    """SHA-256 of a checkpoint folder's model.safetensors, in hexadecimal. Raises BadCheckpoint."""
    try:
        return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    except OSError as error:
        raise BadCheckpoint(f"{folder.name}/model.safetensors cannot be read ({error.strerror}).") from error


def list_indexers() -> dict[str, str]:
    """The bundled indexers: name -> one-line description."""
    folders = sorted(path.parent for path in zoo.MODELS.glob("*/config.json"))
    return {
        folder.name: _read_config(folder).description for folder in folders if zoo.kind(folder) == "indexer"
    }


def load_indexer(name_or_path: str | Path) -> Indexers:
    """A bundled indexer by name or a checkpoint folder by path, as float32, ready for inference.

    Its teacher is the folder of that name beside it. Raises UnknownName when there is no such indexer,
    BadCheckpoint when it is incomplete or damaged, or was distilled from other weights than the teacher has now.
    """
    folder = _folder(str(name_or_path))
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise BadCheckpoint(f"{folder.name} lacks {', '.join(missing)}; an indexer needs {', '.join(FILES)}.")
    config = _read_config(folder)
    if fingerprint(folder.parent / config.teacher) != config.fingerprint:
        raise BadCheckpoint(
            f"{folder.name} was distilled from other weights than {config.teacher} has now; "
            "distil it again with python -m tlmviz.training indexer --data DIR."
        )
    weights = zoo.read_weights(folder)
    with torch.device("meta"):  # draws no random numbers
        indexers = Indexers(config)
    zoo.check_weights(folder.name, indexers.state_dict(), weights)
    indexers.load_state_dict(weights, assign=True)
    return indexers.eval().requires_grad_(False)


def save_indexer(folder: Path, indexers: Indexers, dtype: torch.dtype = torch.float16) -> None:
    """Write config.json and model.safetensors."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(asdict(indexers.config), indent=2) + "\n")
    zoo.write_weights(folder, indexers.state_dict(), dtype)


def _folder(text: str) -> Path:
    try:
        if Path(text).name == text and zoo.kind(zoo.MODELS / text) == "indexer":
            return zoo.MODELS / text
        if Path(text).expanduser().is_dir():
            return Path(text).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # too long for a file name, or holding a null byte
        pass
    names = ", ".join(list_indexers()) or "none is bundled yet"
    raise UnknownName(
        f"There is no indexer {text[:80]!r}; choose one of {names}, or give the path of its folder."
    )


def _read_config(folder: Path) -> IndexerConfig:
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if not isinstance(values, dict) or values.get("kind") != "indexer":
            raise BadCheckpoint(f"{folder.name} is no indexer: its config.json does not say kind 'indexer'.")
        return IndexerConfig(**values)
    except BadConfig as error:
        raise BadCheckpoint(f"{folder.name}: {error}") from error
    except (OSError, ValueError, RecursionError, TypeError) as error:
        raise BadCheckpoint(f"{folder.name}/config.json cannot be read as an indexer's ({error}).") from error
