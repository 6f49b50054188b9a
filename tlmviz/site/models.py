"""The models of a site: their files as the engine in the browser reads them, each small enough for a visit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from safetensors.torch import save

import tlmviz
from tlmviz.checkpoints import gguf
from tlmviz.checkpoints.folders import SUFFIX
from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import BadShape
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.notebook import live
from tlmviz.tracing.trace_file import TraceFile

MOST = 7_500_000  # bytes of weights in 16 bits; a model of more is rounded to 8
CONFIG, WEIGHTS, TOKENIZER, VOCABULARY = ("config.json", "model.safetensors", "tokenizer.json", "vocabulary.tsv")
GGUF = "model.gguf"  # the one file of such a model, as it lies
# What the engine reads of such files (tlmviz/browser/gguf.js and gguf_model.js): quantisations, how texts are cut,
# tokens of a text.
KINDS, SPLITS, MOST_TOKENS = (0, 1, 2, 3, 8, 30), ("gpt-2", "smollm", "starcoder", "refact", "command-r"), 1024
TASKS = ("language", "translation", "hull", "words")
ROUNDED = "Its matrices are rounded to 8 bits with a scale for each row."


@dataclass(frozen=True)
class Model:
    """A model of a site: its name and task, what is said of it, and its files."""

    name: str
    task: str
    says: str
    files: dict[str, bytes]

    @cached_property
    def folder(self) -> str:
        """Where it lies on the site. Other files lie elsewhere, so that a browser never mixes two versions."""
        return f"models/{self.name}-{hashlib.sha256(b''.join(self.files.values())).hexdigest()[:8]}"

    @property
    def given(self) -> dict[str, object]:
        """What tlmviz/site/frame.js is told of it."""
        sizes = {name: len(content) for name, content in self.files.items()}
        return {"folder": self.folder, "files": sizes, "task": self.task, "says": self.says}


def chosen(names: Iterable[str] | None) -> list[Model]:
    """The models of these names, or all that are here and that a browser runs. Raises UnknownName and BadShape."""
    offered = {name: task for task in TASKS for name in tlmviz.list_models(task)}
    if names is None:
        names = [name for name in offered if not (_is_gguf(name) and _unread(gguf.file_of(checkpoint_folder(name))))]
    return [(_of_gguf if _is_gguf(name) else _model)(name) for name in dict.fromkeys(names)]


def _is_gguf(name: str) -> bool:
    path = checkpoint_folder(name)
    return path.suffix == SUFFIX or (path.is_dir() and any(path.glob(f"*{SUFFIX}")))


def _unread(file: Path) -> str:
    """What the engine does not read in a file; empty where it reads all."""
    header = gguf.read_header(file)
    reasons = {
        f"the architecture {header.architecture}": header.architecture != "llama",
        "another quantisation": any(stored.kind not in KINDS for stored in header.tensors.values()),
        "another tokenizer": header.fields.get("tokenizer.ggml.pre") not in SPLITS,
    }
    return next((what for what, holds in reasons.items() if holds), "")


def _of_gguf(name: str) -> Model:
    file = gguf.file_of(checkpoint_folder(name))
    if reason := _unread(file):
        raise BadShape(
            f"{name} has {reason}; of GGUF files a site holds those of llama in F32, F16, BF16, Q4_0, Q4_1 or Q8_0 "
            "with a byte-level tokenizer."
        )
    config = gguf.read_config(file)
    description = tlmviz.list_models("language").get(name, config.description)
    says = f"{description}. Here it reads texts of up to {min(config.context, MOST_TOKENS):,} tokens."
    return Model(name, "language", says, {GGUF: file.read_bytes()})


def _model(name: str) -> Model:
    model = tlmviz.load(name, device="cpu")
    if model.task not in TASKS or isinstance(model, TraceFile):
        raise BadShape(f"{name} is for the task {model.task}; a site holds models of {', '.join(TASKS)}.")
    if isinstance(model, LanguageModel):
        live.check(model, 16)
    weights, says = save(live.stored(model.network, 16)), model.sizes
    if len(weights) > MOST:
        weights, says = save(live.stored(model.network, 8)), f"{says}. {ROUNDED}"
    files = {CONFIG: model.config.to_json().encode(), WEIGHTS: weights}
    if (tokenizer := getattr(model, "tokenizer", None)) is not None:
        files[TOKENIZER] = tokenizer.to_json().encode()
    if isinstance(model, WordVectors):
        lines = (f"{word}\t{count}\n" for word, count in zip(model.vocabulary, model.counts.tolist(), strict=True))
        files[VOCABULARY] = "".join(lines).encode()
    return Model(name, model.task, says, files)
