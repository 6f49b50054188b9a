"""tlmviz: a visual attention explorer.

import tlmviz
lm = tlmviz.load("stories-rope")
trace = lm.trace("Once upon a time")
trace.attention(layer=0, head=0)  # [T, T], computed when asked
"""

from .analysis.workbench.comparing import Comparison, compare
from .analysis.workbench.doctor import Diagnosis, diagnose
from .checkpoints.registry import list_models, load
from .dump import open_trace as open
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
    "open",
    "shot",
    "show",
    "watch",
]
__version__ = "0.1.0"
