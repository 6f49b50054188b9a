"""From a name or a folder to a model that can be asked."""

from __future__ import annotations

from pathlib import Path

from .language_model import LanguageModel
from .networks.transformer import TransformerLM
from .networks.zoo import checkpoint_folder, load_network
from .translator import Translator


def load(name_or_path: str | Path) -> LanguageModel | Translator:
    """A bundled model by name, or a checkpoint folder by path: a translator if its config.json says so.

    Raises UnknownName when there is neither, BadCheckpoint when the folder is incomplete or damaged.
    """
    network, tokenizer = load_network(checkpoint_folder(name_or_path))
    return (LanguageModel if isinstance(network, TransformerLM) else Translator)(network, tokenizer)
