"""Reading and writing folders of word-vector models: config.json, model.safetensors, vocabulary.tsv, and the training's film.

snapshots.safetensors holds `tlmviz.word_vectors.Snapshots`; a model without it has none.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from tlmviz.config import WordsConfig
from tlmviz.errors import BadCheckpoint
from tlmviz.networks.words import WordNetwork
from tlmviz.word_vectors import Snapshots, WordVectors

from . import native

VOCABULARY, FILM = "vocabulary.tsv", "snapshots.safetensors"


def load_words(folder: Path, device: torch.device) -> WordVectors:
    """The model of a folder. Raises BadCheckpoint."""
    native.check_files(folder, ("config.json", "model.safetensors", VOCABULARY))
    config = native.read_config(folder, WordsConfig)
    vocabulary, counts = _read_vocabulary(folder, config.vocab_size)
    network = native.read_network(folder, WordNetwork, config)
    network = network.eval().requires_grad_(False).to(device)
    return WordVectors(network, vocabulary, counts, _read_film(folder, vocabulary, config))


def save_words(folder: Path, model: WordVectors) -> None:
    """Write the model, its numbers rounded to float16."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(model.config.to_json())
    lines = [f"{word}\t{count}\n" for word, count in zip(model.vocabulary, model.counts)]
    (folder / VOCABULARY).write_text("".join(lines), encoding="utf-8")
    native.write_weights(folder, native.own_weights(model.network), torch.float16)
    if model.snapshots is not None:
        values: dict[str, Any] = asdict(model.snapshots)
        del values["vocabulary"]
        values["coordinates"] = values["coordinates"].astype(np.float16)
        save_file({name: np.ascontiguousarray(value) for name, value in values.items()}, folder / FILM)


def _read_vocabulary(folder: Path, size: int) -> tuple[list[str], np.ndarray]:
    try:
        lines = (folder / VOCABULARY).read_text(encoding="utf-8").splitlines()
        entries = [line.split("\t") for line in lines]
        words, counts = [word for word, _ in entries], np.array([int(count) for _, count in entries])
    except (OSError, ValueError) as error:
        raise BadCheckpoint(f"{folder.name}/{VOCABULARY} cannot be read ({error}); copy it again.") from error
    if len(words) != size or len(set(words)) != size or counts.min(initial=1) < 1:
        raise BadCheckpoint(
            f"{folder.name}/{VOCABULARY} has {len(set(words)):,} different words in {len(words):,} lines, config.json says "
            f"{size:,}, each with a count of at least 1; they belong to different models."
        )
    return words, counts


def _read_film(folder: Path, vocabulary: list[str], config: WordsConfig) -> Snapshots | None:
    if not (folder / FILM).is_file():
        return None
    try:
        values = load_file(folder / FILM)
    except (SafetensorError, OSError, ValueError) as error:
        raise native.unreadable(f"{folder.name}/{FILM}", error) from error
    file = f"{folder.name}/{FILM}"
    native.check_names(file, set(Snapshots.__dataclass_fields__) - {"vocabulary"}, values.keys())
    coordinates = values["coordinates"].astype(np.float32)
    if coordinates.ndim != 3 or coordinates.shape[1] > len(vocabulary):
        raise BadCheckpoint(
            f"{file}: coordinates are {list(coordinates.shape)}; they are pictures, words, axes."
        )
    shown = tuple(vocabulary[: coordinates.shape[1]])
    s, _, a = coordinates.shape
    for name, shape in (
        ("axes", (a, config.d_model)),
        ("mean", (config.d_model,)),
        ("variance", (a,)),
        ("words_read", (s,)),
    ):
        native.check_shape(file, name, values[name].shape, shape)
    parts: dict[str, Any] = {**values, "vocabulary": shown, "coordinates": coordinates}
    return Snapshots(**parts)
