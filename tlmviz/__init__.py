"""tlmviz: a visual attention explorer.

    import tlmviz
    lm = tlmviz.load("stories-rope")
    trace = lm.trace("Once upon a time")
    trace.attention(layer=0, head=0)  # [T, T], computed when asked
"""

from .errors import Error
from .language_model import LanguageModel, load
from .networks.zoo import list_models

__all__ = ["Error", "LanguageModel", "list_models", "load"]
__version__ = "0.1.0"
