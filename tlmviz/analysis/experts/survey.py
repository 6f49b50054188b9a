"""What each expert answers to: the tokens that it reads more often than its load would make it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int

from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import recording

FILE = "survey.json"
LEAST = 8  # times that a token must stand in the texts to be counted


@dataclass(frozen=True)
class Answer:
    """A token that an expert answers to: how often it read it, and its share of all places where the token stands."""

    token: str
    count: int
    share: float


@dataclass(frozen=True)
class Expert:
    """An expert over the surveyed texts: the share of all tokens that it reads, and its tokens, the most telling
    first."""

    load: float
    answers: tuple[Answer, ...]


@dataclass(frozen=True)
class Survey:
    """All experts of a model, by layer with experts; `tokens` were read, of held-out stories where the model has a
    file."""

    tokens: int
    layers: tuple[int, ...]
    experts: tuple[tuple[Expert, ...], ...]


def survey(lm: LanguageModelLike, documents: Sequence[str], most: int = 12) -> Survey:
    """Reads the documents, each cut to the context, and keeps `most` tokens of each expert. Raises BadText where there
    are none.

    Tokens are ranked by count times log of (share / load): what they add to the difference between what the expert
    reads and what it would read if it chose blindly.
    """
    if not documents:
        raise BadText("There are no texts to survey; give at least one.")
    layers = [layer for layer in range(lm.config.n_layers) if lm.config.has_experts(layer)]
    reads, seen = _counts(lm, documents, layers)
    experts = tuple(
        tuple(_expert(lm, read[:, e], seen, most) for e in range(lm.config.experts.count)) for read in reads
    )
    return Survey(int(seen.sum()), tuple(layers), experts)


def write(found: Survey, folder: Path) -> None:
    """survey.json beside a model's weights."""
    (folder / FILE).write_text(json.dumps(asdict(found), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read(name_or_path: str | Path) -> Survey:
    """A checkpoint's survey.json. Raises BadCheckpoint where there is none, or none that can be read."""
    folder = checkpoint_folder(name_or_path)
    if not (folder / FILE).is_file():
        raise BadCheckpoint(
            f"{folder.name} has no {FILE}, so what its experts answer to is not known; stories-moe has one."
        )
    try:
        values = json.loads((folder / FILE).read_text(encoding="utf-8"))
        experts = tuple(
            tuple(Expert(one["load"], tuple(Answer(**answer) for answer in one["answers"])) for one in layer)
            for layer in values["experts"]
        )
        return Survey(values["tokens"], tuple(values["layers"]), experts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadCheckpoint(f"{folder.name}/{FILE} cannot be read ({error}); survey the model again.") from error


@torch.inference_mode()
def _counts(
    lm: LanguageModelLike, documents: Sequence[str], layers: Sequence[int]
) -> tuple[Int[np.ndarray, "l v e"], Int[np.ndarray, " v"]]:
    """How often each expert of each layer reads each token, and how often it stands there."""
    size = (lm.config.vocab_size, lm.config.experts.count)
    reads, seen = np.zeros((len(layers), *size), np.int64), np.zeros(size[0], np.int64)
    for document in documents:
        ids = np.array(lm.tokenizer.encode(document, bos=True)[: lm.config.context])
        np.add.at(seen, ids, 1)
        with recording(lambda name: name.endswith(".mlp.chosen")) as record:
            lm.network.read(torch.from_numpy(ids)[None])
        for row, layer in enumerate(layers):
            chosen = record.values[f"blocks.{layer}.mlp.chosen"][0].cpu().numpy()  # [T, k]
            np.add.at(reads[row], (ids[:, None], chosen), 1)
    return reads, seen


def _expert(lm: LanguageModelLike, read: np.ndarray, seen: np.ndarray, most: int) -> Expert:
    load = read.sum() / seen.sum()
    share: Float[np.ndarray, " v"] = read / np.maximum(seen, 1)
    telling = np.where((seen >= LEAST) & (share > load), read * np.log(np.maximum(share, 1e-9) / max(load, 1e-9)), 0)
    best = [int(token) for token in np.argsort(-telling, kind="stable")[:most] if telling[token] > 0]
    answers = (Answer(lm.tokenizer.name(t), int(read[t]), round(float(share[t]), 4)) for t in best)
    return Expert(round(float(load), 4), tuple(answers))
