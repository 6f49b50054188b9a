"""tlmviz: a visual attention explorer.

import tlmviz
lm = tlmviz.load("stories-rope")
trace = lm.trace("Once upon a time")
trace.attention(layer=0, head=0)  # [T, T], computed when asked
"""

from .checkpoints.registry import list_models, load
from .errors import Error
from .language_model import LanguageModel
from .translator import Hypothesis, Translator

__all__ = ["Error", "Hypothesis", "LanguageModel", "Translator", "list_models", "load"]
__version__ = "0.1.0"
