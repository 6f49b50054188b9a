"""tlmviz: a visual attention explorer.

import tlmviz
lm = tlmviz.load("stories-rope")
trace = lm.trace("Once upon a time")
trace.attention(layer=0, head=0)  # [T, T], computed when asked
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .showing import SHOWN_BY

if TYPE_CHECKING:  # for editors and checkers; _HOMES says the same where it runs
    from . import kernels as kernels
    from . import monitoring as monitoring
    from .analysis.workbench.comparing import Comparison, compare
    from .analysis.workbench.doctor import Diagnosis, diagnose
    from .checkpoints.registry import list_models, load
    from .errors import Error
    from .facades.encoder import EncoderModel, Guess
    from .facades.hull import HullFinder
    from .facades.language_model import LanguageModel
    from .facades.latents import DigitReader, ReadDigits
    from .facades.mixture import Mixture, MixtureModel
    from .facades.translator import Hypothesis, Translator
    from .facades.word_vectors import WordVectors
    from .monitoring import Monitor, monitor
    from .monitoring.callback import MonitorCallback
    from .shots import shot
    from .tracing.dump import open_trace
    from .tracing.given_weights import show
    from .tracing.trace import Trace
    from .watching import Watched, watch

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
    "Monitor",
    "MonitorCallback",
    "ReadDigits",
    "Trace",
    "Translator",
    "Watched",
    "WordVectors",
    "compare",
    "diagnose",
    "list_models",
    "load",
    "monitor",
    "shot",
    "show",
    "watch",
]
__version__ = "0.3.0"

# Module -> what it gives. Nothing is imported before somebody asks for it: `import tlmviz` costs nothing, not even
# torch.
_HOMES = {
    "analysis.workbench.comparing": ("Comparison", "compare"),
    "analysis.workbench.doctor": ("Diagnosis", "diagnose"),
    "checkpoints.registry": ("list_models", "load"),
    "errors": ("Error",),
    "facades.encoder": ("EncoderModel", "Guess"),
    "facades.hull": ("HullFinder",),
    "facades.language_model": ("LanguageModel",),
    "facades.latents": ("DigitReader", "ReadDigits"),
    "facades.mixture": ("Mixture", "MixtureModel"),
    "facades.translator": ("Hypothesis", "Translator"),
    "facades.word_vectors": ("WordVectors",),
    "kernels": ("kernels",),
    "monitoring": ("Monitor", "monitor", "monitoring"),
    "monitoring.callback": ("MonitorCallback",),
    "shots": ("shot",),
    "tracing.dump": ("open",),
    "tracing.given_weights": ("show",),
    "tracing.trace": ("Trace",),
    "watching": ("Watched", "watch"),
}
SHOWN_BY |= {
    "model.html": "tlmviz.notebook.live:save_html",
    "trace.frame": "tlmviz.notebook.page:framed",
    "trace.html": "tlmviz.notebook.page:save_html",
    "trace.svg": "tlmviz.notebook.picture:svg",
    "trace.widget": "tlmviz.notebook.widget:AttentionWidget",
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
