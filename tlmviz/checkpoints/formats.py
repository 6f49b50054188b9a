"""The formats of checkpoints: which one a path has, and how each is read.

Adding one is a class with the four methods of `Format` and a row in FORMATS. Readers of foreign formats are imported
when a path asks for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch

from tlmviz.config import (
    EncoderConfig,
    EncoderDecoderConfig,
    IndexerConfig,
    LatentsConfig,
    ModelConfig,
    MTPConfig,
    ParallelMTPConfig,
    PointerConfig,
    ScenesConfig,
    SentinelConfig,
    Seq2SeqConfig,
    WordsConfig,
)
from tlmviz.config.base import JSONConfig
from tlmviz.errors import BadCheckpoint
from tlmviz.facades.encoder import EncoderModel
from tlmviz.facades.hull import HullFinder
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.latents import DigitReader
from tlmviz.facades.mixture import MixtureModel
from tlmviz.facades.next_tokens import NextTokenModel
from tlmviz.facades.scenes.models import PictureMarker, PictureReader
from tlmviz.facades.translator import Translator
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.layers.indexer import Indexers
from tlmviz.networks.encoder import TransformerEncoder
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.latents import LatentReader
from tlmviz.networks.mtp import MTPNetwork, ParallelMTPNetwork
from tlmviz.networks.pointer import PointerNetwork
from tlmviz.networks.scenes import SceneMarker, SceneReader
from tlmviz.networks.sentinel import SentinelLSTM
from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.networks.transformer import TransformerLM
from tlmviz.networks.words import WordNetwork
from tlmviz.tokens import Tokenizer
from tlmviz.tracing.trace_file import TraceFile, described

from . import native
from .folders import AT, STEPS, SUFFIX, TRACE, kind_of
from .steps import read_step
from .words import load_words

Model = (
    LanguageModel
    | Translator
    | WordVectors
    | HullFinder
    | MixtureModel
    | EncoderModel
    | DigitReader
    | PictureReader
    | PictureMarker
    | TraceFile
)


@dataclass(frozen=True)
class Kind:
    """What a `kind` in config.json stands for. Without a facade it is no model of text, and `load` refuses it.

    The facade is given the network and what `tokenizer` reads of the folder; without one the network alone. A kind
    whose folder holds other files has a `reader` of its own, which does all of it.
    """

    config: type[JSONConfig]
    network: type[torch.nn.Module]
    facade: Callable[..., Model] | None
    task: str
    tokenizer: Callable[[Path, int], Any] | None = native.read_tokenizer
    reader: Callable[[Path, torch.device], Model] | None = None


KINDS = {
    "": Kind(ModelConfig, TransformerLM, LanguageModel, "language"),
    "mtp": Kind(MTPConfig, MTPNetwork, NextTokenModel, "language"),
    "mtp-parallel": Kind(ParallelMTPConfig, ParallelMTPNetwork, NextTokenModel, "language"),
    "encoder-decoder": Kind(EncoderDecoderConfig, EncoderDecoder, Translator, "translation"),
    "seq2seq": Kind(Seq2SeqConfig, Seq2Seq, Translator, "translation"),
    "indexer": Kind(IndexerConfig, Indexers, None, "index"),
    "words": Kind(WordsConfig, WordNetwork, WordVectors, "words", reader=load_words),
    "pointer": Kind(PointerConfig, PointerNetwork, HullFinder, "hull", tokenizer=None),
    "sentinel": Kind(SentinelConfig, SentinelLSTM, MixtureModel, "mixture", native.read_words),
    "latents": Kind(LatentsConfig, LatentReader, DigitReader, "digits", tokenizer=None),
    "scenes": Kind(ScenesConfig, SceneReader, PictureReader, "scenes", native.read_words),
    "scenes-turned": Kind(ScenesConfig, SceneMarker, PictureMarker, "scenes", native.read_words),
    "encoder": Kind(EncoderConfig, TransformerEncoder, EncoderModel, "encoder"),
}


class Format(Protocol):
    """One way in which checkpoints are stored."""

    def recognises(self, path: Path) -> bool:
        """Whether a path is of this format, by names and a few values; nothing large is read."""

    def task(self, path: Path) -> str:
        """What its model is for, one of `list_models`' tasks; "" for a model that nobody can load."""

    def read_config(self, path: Path) -> Any:
        """The configuration, without reading weights. Raises BadCheckpoint."""

    def load(self, path: Path, device: torch.device, **options: Any) -> Model:
        """The model on a device; options are those of a reader of models by others. Raises BadCheckpoint."""


class Native:
    """A folder as tlmviz.training writes it: config.json, model.safetensors, tokenizer.json."""

    def recognises(self, path: Path) -> bool:
        """Any folder: it is asked last, and says what is missing."""
        return path.is_dir()

    def task(self, path: Path) -> str:
        kind = KINDS.get(kind_of(path))
        return "" if kind is None else kind.task

    def read_config(self, path: Path) -> Any:
        return native.read_config(path, self._kind(path).config)

    def load(self, path: Path, device: torch.device, **options: Any) -> Model:
        kind = self._kind(path)
        if kind.reader is not None:
            return kind.reader(path, device)
        if kind.facade is None:
            raise BadCheckpoint(
                f"{path.name} is a lightning indexer, no model of text; load it with "
                "tlmviz.analysis.kernels.indexer.load_indexer."
            )
        native.check_files(path, native.FILES if kind.tokenizer else native.FILES[:2])
        config: Any = native.read_config(path, kind.config)
        tokenizers = [kind.tokenizer(path, config.vocab_size)] if kind.tokenizer else []
        if isinstance(config, ModelConfig) and not config.bos:
            tokenizers[0].begin = None
        network = native.read_network(path, kind.network, config, options.get("weights"))
        return kind.facade(native.for_inference(network).to(device), *tokenizers)

    def _kind(self, path: Path) -> Kind:
        name = kind_of(path)
        if name not in KINDS:
            others = " or ".join(key for key, kind in KINDS.items() if kind.task == "translation")
            raise BadCheckpoint(
                f"{path.name}/config.json has kind {name!r}; a translation model's is {others}, and a language model "
                "has none."
            )
        return KINDS[name]


NATIVE = Native()


class Step:
    """A file of `steps.write_step` in a folder of ours: that model, as it was at a step of its training."""

    def recognises(self, path: Path) -> bool:
        return path.parent.name == STEPS and path.is_file() and (path.parents[1] / "config.json").is_file()

    def task(self, path: Path) -> str:
        return NATIVE.task(path.parents[1])

    def read_config(self, path: Path) -> Any:
        return NATIVE.read_config(path.parents[1])

    def load(self, path: Path, device: torch.device, **options: Any) -> Model:
        model = NATIVE.load(path.parents[1], device, weights=read_step(path))
        model.name = f"{model.name}{AT}{int(path.stem)}"
        return model


@dataclass(frozen=True)
class Foreign:
    """A format of language models by others: `tells` recognises it, `reader` imports the module that reads it.

    The module has `read_config(path) -> ModelConfig` and `read_network(path, config) -> TransformerLM`.
    """

    tells: Callable[[Path], bool]
    reader: Callable[[], Any]
    tokenizer: Callable[[Path], Tokenizer]
    TASK: ClassVar[str] = "language"

    def recognises(self, path: Path) -> bool:
        return self.tells(path)

    def task(self, path: Path) -> str:
        return self.TASK

    def read_config(self, path: Path) -> ModelConfig:
        config: ModelConfig = self.reader().read_config(path)
        return config

    def load(self, path: Path, device: torch.device, **options: Any) -> LanguageModel:
        config = self.read_config(path)
        tokenizer = self.tokenizer(path)
        if tokenizer.largest >= config.vocab_size:
            raise BadCheckpoint(
                f"{path.name}: the tokenizer has an entry {tokenizer.largest:,} and the embedding only "
                f"{config.vocab_size:,} rows; they belong to different models."
            )
        network = self.reader().read_network(path, config, **options)
        return LanguageModel(native.for_inference(network).to(device), tokenizer)


@dataclass(frozen=True)
class Described:
    """What stands for the configuration of something without a network."""

    description: str


class Saved:
    """A file of one pass, as `trace.save` and docs/write_dump.py write it."""

    def recognises(self, path: Path) -> bool:
        return path.suffix == TRACE and path.is_file()

    def task(self, path: Path) -> str:
        return TraceFile.task

    def read_config(self, path: Path) -> Described:
        return Described(described(path))

    def load(self, path: Path, device: torch.device, **options: Any) -> TraceFile:
        return TraceFile(path)


def _is_huggingface(path: Path) -> bool:
    return path.is_dir() and _huggingface().recognises(path)


def _huggingface() -> Any:
    from . import huggingface

    return huggingface


def _is_gguf(path: Path) -> bool:
    return path.suffix == SUFFIX or (path.is_dir() and not (path / "config.json").exists() and _has_gguf(path))


def _has_gguf(folder: Path) -> bool:
    return next(folder.glob(f"*{SUFFIX}"), None) is not None


def _gguf() -> Any:
    from . import gguf

    return gguf


# The first format that recognises a path reads it.
FORMATS: dict[str, Format] = {
    "gguf": Foreign(_is_gguf, _gguf, lambda path: _gguf().read_tokenizer(path)),
    "huggingface": Foreign(_is_huggingface, _huggingface, Tokenizer.from_huggingface),
    "step": Step(),
    "trace": Saved(),
    "native": NATIVE,
}


def format_of(path: Path) -> Format:
    """The format of a checkpoint's file or folder. Raises BadCheckpoint, also where something in it would be waited
    for."""
    for each in (path, *(path.iterdir() if path.is_dir() else ())):
        if each.exists() and not (each.is_file() or each.is_dir()):
            raise BadCheckpoint(f"{each.name} is a pipe, a socket or a device and no file; put a file in its place.")
    for each in FORMATS.values():
        if each.recognises(path):
            return each
    raise BadCheckpoint(f"{path.name} is no model; give a .gguf file or a checkpoint folder.")
