"""From a name or a folder to a model: the kinds of checkpoints, and which models there are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tlmviz.config import (
    EncoderDecoderConfig,
    IndexerConfig,
    ModelConfig,
    Seq2SeqConfig,
    without_connections,
)
from tlmviz.config.base import JSONConfig
from tlmviz.errors import BadCheckpoint, UnknownName
from tlmviz.language_model import LanguageModel
from tlmviz.layers.indexer import Indexers
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.networks.transformer import TransformerLM
from tlmviz.translator import Translator

from . import native
from .devices import choose_device
from .folders import VARIABLE, kind_of, model_folders, models_folder, named_folder


@dataclass(frozen=True)
class Kind:
    """What a `kind` in config.json stands for. Without a facade it is no model of text, and `load` refuses it."""

    config: type[JSONConfig]
    network: type[torch.nn.Module]
    facade: type[LanguageModel] | type[Translator] | None
    task: str


KINDS = {
    "": Kind(ModelConfig, TransformerLM, LanguageModel, "language"),
    "encoder-decoder": Kind(EncoderDecoderConfig, EncoderDecoder, Translator, "translation"),
    "seq2seq": Kind(Seq2SeqConfig, Seq2Seq, Translator, "translation"),
    "indexer": Kind(IndexerConfig, Indexers, None, "index"),
}


def load(name_or_path: str | Path, device: str | torch.device = "auto") -> LanguageModel | Translator:
    """A bundled model by name, or a checkpoint folder by path: a translator if its config.json says so.

    `device` "auto" is cuda when there is one, else cpu. Raises UnknownName when there is no such model, BadCheckpoint when
    the folder is incomplete or damaged, BadBackend when the device is not there.
    """
    target, folder = choose_device(device), checkpoint_folder(name_or_path)
    kind = _kind(folder)
    if kind.facade is None:
        raise BadCheckpoint(
            f"{folder.name} is a lightning indexer, no model of text; load it with tlmviz.analysis.kernels.indexer.load_indexer."
        )
    native.check_files(folder, native.FILES)
    config: Any = native.read_config(folder, kind.config)
    tokenizer = native.read_tokenizer(folder, config.vocab_size)
    network = native.read_network(folder, kind.network, config)
    return kind.facade(native.for_inference(network).to(target), tokenizer)


def list_models(task: str | None = None) -> dict[str, str]:
    """The bundled models: name -> one-line description; `task` "language", "translation" or "index" lists those alone."""
    return {
        folder.name: str(_config(folder).description)
        for folder in model_folders()
        if (kind := KINDS.get(kind_of(folder))) is not None
        and (kind.task == task if task else kind.facade is not None)
    }


def stream_models() -> dict[str, str]:
    """The bundled models with hyper-connections, and those that differ from one of them in nothing else, as `list_models`."""
    configs = {name: language_config(name) for name in list_models("language")}
    plain = {name: without_connections(config) for name, config in configs.items()}
    twins = [plain[name] for name, config in configs.items() if config.connection.kind != "residual"]
    return {name: config.description for name, config in configs.items() if plain[name] in twins}


def checkpoint_folder(name_or_path: str | Path) -> Path:
    """The folder of a bundled model or of a checkpoint on disk. Raises UnknownName."""
    text = str(name_or_path)
    folder = named_folder(text)
    if folder is None:
        raise UnknownName(
            f"There is no model {text[:200]!r}; {_choices()}, or give the path of a checkpoint folder."
        )
    return folder


def language_config(name_or_path: str | Path) -> ModelConfig:
    """The configuration of a language model, without its weights. Raises UnknownName and BadCheckpoint."""
    return native.read_config(checkpoint_folder(name_or_path), ModelConfig)


def _choices() -> str:
    names = ", ".join(list_models())
    if names:
        return f"choose one of {names}"
    return f"no model is in {models_folder()}: set {VARIABLE} to a folder that holds models"


def _kind(folder: Path) -> Kind:
    name = kind_of(folder)
    if name not in KINDS:
        others = " or ".join(key for key, kind in KINDS.items() if kind.task == "translation")
        raise BadCheckpoint(
            f"{folder.name}/config.json has kind {name!r}; a translation model's is {others}, and a language model has none."
        )
    return KINDS[name]


def _config(folder: Path) -> Any:
    return native.read_config(folder, _kind(folder).config)
