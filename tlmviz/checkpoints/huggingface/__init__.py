"""Checkpoint folders of Hugging Face, converted into our own networks when they are read; `transformers` is not needed.

A module for each group of like families says what their settings mean and where their tensors go; FAMILIES names them
by `model_type`. What is not reproduced is refused by name. Nothing in a folder is ever run, and no pickle is opened.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tlmviz.config import ModelConfig
from tlmviz.config.base import MOST_LAYERS
from tlmviz.errors import BadCheckpoint, BadConfig
from tlmviz.networks.initialisation import skipped_initialisation
from tlmviz.networks.transformer import TransformerLM, count_parameters

from .. import native
from ..layouts import interleave, interleaved
from ..memory import check_memory
from ..stored import keep
from . import deepseek, experts, gemma, gpt2, gpt_neox, llama, olmo, phi, qwen
from .family import Family
from .settings import WATCH, Settings
from .weights import WeightFiles, check, check_tied, copy_into, own_type

FAMILIES: dict[str, Family] = {
    "llama": llama.LLAMA,
    "mistral": llama.MISTRAL,
    "smollm3": llama.SMOLLM3,
    "stablelm": llama.STABLELM,
    "qwen2": qwen.QWEN2,
    "qwen3": qwen.QWEN3,
    "mixtral": experts.MIXTRAL,
    "qwen2_moe": experts.QWEN2_MOE,
    "qwen3_moe": experts.QWEN3_MOE,
    "phi": phi.PHI,
    "phi3": phi.PHI3,
    "olmo2": olmo.OLMO2,
    "gemma2": gemma.GEMMA2,
    "gemma3_text": gemma.GEMMA3,
    "gpt2": gpt2.GPT2,
    "gpt_neox": gpt_neox.GPT_NEOX,
    "deepseek_v2": deepseek.DEEPSEEK_V2,
    "deepseek_v3": deepseek.DEEPSEEK_V3,
}
LAYERS = ("num_hidden_layers", "n_layer")  # how families call the number of layers
LANGUAGE_MODELS = ("ForCausalLM", "LMHeadModel", "Model")  # how `architectures` end


def recognises(folder: Path) -> bool:
    """Whether a folder's config.json is one of Hugging Face: it has a `model_type` or `architectures`, which ours have
    not."""
    try:
        values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(values, dict) and ("model_type" in values or "architectures" in values)


def read_config(folder: Path) -> ModelConfig:
    """The configuration of a folder, named after it.

    Raises BadCheckpoint for what is not reproduced: another model_type, an option that changes the numbers, code of its
    own.
    """
    settings = Settings.read(folder)
    family = _family(settings)
    for key in LAYERS:  # before lists of as many entries are made
        if isinstance(value := settings.values.get(key), int) and value > MOST_LAYERS:
            raise settings.wrong(key, value, f"at most {MOST_LAYERS:,}")
    try:
        config = ModelConfig.of(folder.name, **family.fields(settings))
    except BadConfig as error:
        raise BadCheckpoint(f"{folder.name}/config.json describes no possible model: {error}") from error
    settings.finish()
    return interleaved(config.with_(description=_description(family.title, config)))


def read_network(folder: Path, config: ModelConfig, own: bool = False) -> TransformerLM:
    """A network with the folder's weights as float32, of the configuration that `read_config` gave.

    With `own`, matrices that the folder has in 16 bits stay so in memory: see `Stored`.

    Tensors are read one at a time into their place, so that no more than the model and one tensor is in memory. Raises
    BadCheckpoint where files are missing or damaged, and before anything is read where the memory would not do.
    """
    family = _family(Settings.read(folder))
    with WeightFiles(folder, family.prefix) as files:
        if config.n_layers > len(files.names()):  # before as many layers are laid out
            raise BadCheckpoint(
                f"{folder.name} has {len(files.names())} tensors, too few for {config.n_layers} layers; copy the files "
                "again."
            )
        parts = family.parts(config)
        embedding, head = parts["token_emb.weight"][0].name, f"{family.head}.weight"
        # Before the memory is asked: what config.json says of sizes that the files do not have is nothing to make room
        # for.
        check(files, parts, head if config.tied else None)
        if own:
            check_memory(folder.name, files.needed_bytes(own), "in its own types")
        else:
            half = files.needed_bytes(own=True)
            needed = max(files.needed_bytes(), 4 * count_parameters(config))
            advice = f'with dtype="own" {half / 1e9:.1f} GB will do: take that, ' if half < 0.9 * needed else ""
            check_memory(folder.name, needed, advice=advice)
        if config.tied:
            check_tied(files, head, embedding)
        with skipped_initialisation(), torch.no_grad():
            network = TransformerLM(config)
            for name, parameter in native.own_weights(network).items():
                dtype = own_type(files, parts[name]) if own and parameter.ndim == 2 else None
                copy_into(parameter if dtype is None else keep(network, name, dtype), files, parts[name])
    return interleave(network)


def needed_bytes(folder: Path) -> int:
    """Bytes of memory that loading a folder takes, from the headers of its files alone. Raises BadCheckpoint."""
    with WeightFiles(folder) as files:
        return files.needed_bytes()


def _family(settings: Settings) -> Family:
    """The family of a folder. Raises BadCheckpoint for what no family covers."""
    name = settings.take("model_type", None)
    if not isinstance(name, str) or name not in FAMILIES:
        raise settings.unknown("model_type", name, ", ".join(FAMILIES))
    if settings.take("auto_map", None):
        raise BadCheckpoint(
            f"{settings.name} brings its own code (auto_map), which tlmviz never runs; {WATCH}, or remove auto_map "
            "from config.json if transformers reads it without trust_remote_code."
        )
    if settings.take("quantization_config", None):
        raise settings.unknown("quantization_config", settings.values["quantization_config"], "float weights")
    for architecture in settings.take("architectures", []):
        if not str(architecture).endswith(LANGUAGE_MODELS):
            raise settings.unknown("architectures", settings.values["architectures"], "language models, ...ForCausalLM")
    return FAMILIES[name]


def _description(title: str, config: ModelConfig) -> str:
    return (
        f"{title} from Hugging Face: {config.n_layers} layers × {config.n_heads} heads, d {config.d_model}, "
        f"{count_parameters(config) / 1e6:,.1f} M parameters."
    )
