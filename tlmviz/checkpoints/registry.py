"""From a name or a folder to a model that can be asked."""

from __future__ import annotations

from pathlib import Path

from tlmviz.language_model import LanguageModel
from tlmviz.networks.transformer import TransformerLM
from tlmviz.translator import Translator

from .native import checkpoint_folder, load_network


def load(name_or_path: str | Path) -> LanguageModel | Translator:
    """A bundled model by name, or a checkpoint folder by path: a translator if its config.json says so.

    Raises UnknownName when there is neither, BadCheckpoint when the folder is incomplete or damaged.
    """
    network, tokenizer = load_network(checkpoint_folder(name_or_path))
    return (LanguageModel if isinstance(network, TransformerLM) else Translator)(network, tokenizer)
