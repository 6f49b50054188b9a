"""Reading and writing folders of word-vector models: config.json, model.safetensors, vocabulary.tsv, and the training's
film.

snapshots.safetensors holds `word_vectors.Snapshots`, meetings.safetensors the counts that GloVe fits; a model without
one of them has none.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from scipy import sparse

from tlmviz.config import WordsConfig
from tlmviz.errors import BadCheckpoint
from tlmviz.facades.word_vectors import Meetings, Snapshots, WordVectors
from tlmviz.networks.words import WordNetwork

from . import native

VOCABULARY, FILM, MEETINGS = "vocabulary.tsv", "snapshots.safetensors", "meetings.safetensors"
# Meetings weigh 1 / distance: for windows of up to 5 words a count is a whole number of sixtieths.
PARTS, WIDEST = 60, 5
LARGE = np.iinfo(np.uint16).max  # in the file's short numbers: the count is in a list of its own


def load_words(folder: Path, device: torch.device) -> WordVectors:
    """The model of a folder. Raises BadCheckpoint."""
    native.check_files(folder, ("config.json", "model.safetensors", VOCABULARY))
    config = native.read_config(folder, WordsConfig)
    vocabulary, counts = _read_vocabulary(folder, config.vocab_size)
    network = native.read_network(folder, WordNetwork, config)
    network = network.eval().requires_grad_(False).to(device)
    film, meetings = _read_film(folder, vocabulary, config), _read_meetings(folder, config)
    return WordVectors(network, vocabulary, counts, film, meetings)


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
    if model.meetings is not None:
        save_meetings(folder, model.meetings)


def save_meetings(folder: Path, meetings: Meetings) -> None:
    """Write counts exactly, in four bytes a pair: the upper half, row by row. Raises ValueError for wide windows."""
    if meetings.window > WIDEST:
        raise ValueError(f"counts of windows of {meetings.window} words are no whole sixtieths; up to {WIDEST} are.")
    upper = sparse.triu(meetings.matrix).tocsr()
    upper.sort_indices()
    counts = np.rint(upper.data * PARTS).astype(np.int64)
    values = {
        "starts": upper.indptr.astype(np.int32),
        "columns": upper.indices.astype(np.uint16),
        "counts": np.minimum(counts, LARGE).astype(np.uint16),
        "large": counts[counts >= LARGE].astype(np.int32),
        "totals": np.rint(meetings.totals * PARTS).astype(np.int32),
        "window": np.array([meetings.window], np.int32),
    }
    save_file(values, folder / MEETINGS)


def _read_vocabulary(folder: Path, size: int) -> tuple[list[str], np.ndarray]:
    try:
        lines = (folder / VOCABULARY).read_text(encoding="utf-8").splitlines()
        entries = [line.split("\t") for line in lines]
        words, counts = [word for word, _ in entries], np.array([int(count) for _, count in entries])
    except (OSError, ValueError) as error:
        raise BadCheckpoint(f"{folder.name}/{VOCABULARY} cannot be read ({error}); copy it again.") from error
    if len(words) != size or len(set(words)) != size or counts.min(initial=1) < 1:
        raise BadCheckpoint(
            f"{folder.name}/{VOCABULARY} has {len(set(words)):,} different words in {len(words):,} lines, config.json "
            f"says {size:,}, each with a count of at least 1; they belong to different models."
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
        raise BadCheckpoint(f"{file}: coordinates are {list(coordinates.shape)}; they are pictures, words, axes.")
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


def _read_meetings(folder: Path, config: WordsConfig) -> Meetings | None:
    file = f"{folder.name}/{MEETINGS}"
    if not (folder / MEETINGS).is_file():
        return None
    try:
        values = load_file(folder / MEETINGS)
        native.check_names(file, {"starts", "columns", "counts", "large", "totals", "window"}, values.keys())
        native.check_shape(file, "totals", values["totals"].shape, (config.vocab_size,))
        counts = values["counts"].astype(np.float64)
        counts[values["counts"] == LARGE] = values["large"]
        size = len(values["starts"]) - 1
        upper = sparse.csr_matrix((counts / PARTS, values["columns"].astype(np.int32), values["starts"]), (size, size))
    except (SafetensorError, OSError, ValueError) as error:
        raise native.unreadable(file, error) from error
    if size > config.vocab_size:
        raise BadCheckpoint(
            f"{file} counts {size:,} words and the vocabulary has {config.vocab_size:,}; copy it again."
        )
    matrix = (upper + sparse.triu(upper, 1).T).tocsr()
    return Meetings(matrix, values["totals"] / PARTS, int(values["window"][0]))
