"""tlmviz: a visual attention explorer.

import tlmviz
lm = tlmviz.load("stories-rope")
trace = lm.trace("Once upon a time")
trace.attention(layer=0, head=0)  # [T, T], computed when asked
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # for editors and checkers; _HOMES says the same where it runs
    from . import kernels as kernels
    from .analysis.workbench.comparing import Comparison, compare
    from .analysis.workbench.doctor import Diagnosis, diagnose
    from .checkpoints.registry import list_models, load
    from .dump import open_trace
    from .encoder import EncoderModel, Guess
    from .errors import Error
    from .given_weights import show
    from .hull import HullFinder
    from .language_model import LanguageModel
    from .latents import DigitReader, ReadDigit
    from .mixture import Mixture, MixtureModel
    from .shots import shot
    from .trace import Trace
    from .translator import Hypothesis, Translator
    from .watching import Watched, watch
    from .word_vectors import WordVectors

    open = open_trace

__all__ = [
    "Comparison",
    "Diagnosis",
    "DigitReader",
    "EncoderModel",
    "Error",
    "Guess",
    "HullFinder",
    "Hypothesis",
    "LanguageModel",
    "Mixture",
    "MixtureModel",
    "ReadDigit",
    "Trace",
    "Translator",
    "Watched",
    "WordVectors",
    "compare",
    "diagnose",
    "list_models",
    "load",
    "shot",
    "show",
    "watch",
]
__version__ = "0.3.0"

# Module -> what it gives. Nothing is imported before somebody asks for it: `import tlmviz` costs nothing, not even torch.
_HOMES = {
    "analysis.workbench.comparing": ("Comparison", "compare"),
    "analysis.workbench.doctor": ("Diagnosis", "diagnose"),
    "checkpoints.registry": ("list_models", "load"),
    "dump": ("open",),
    "encoder": ("EncoderModel", "Guess"),
    "errors": ("Error",),
    "given_weights": ("show",),
    "hull": ("HullFinder",),
    "kernels": ("kernels",),
    "language_model": ("LanguageModel",),
    "latents": ("DigitReader", "ReadDigit"),
    "mixture": ("Mixture", "MixtureModel"),
    "shots": ("shot",),
    "trace": ("Trace",),
    "translator": ("Hypothesis", "Translator"),
    "watching": ("Watched", "watch"),
    "word_vectors": ("WordVectors",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_HOME[name]}", __name__)
    # `open` is no name of `from tlmviz import *`, which would take away Python's own.
    value = module if name == _HOME[name] else getattr(module, "open_trace" if name == "open" else name)
    globals()[name] = value  # the next time it is found without asking
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
