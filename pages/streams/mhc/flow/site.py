"""The page mHC on a static site: its view Flow, of one model beside its plain twin."""

from __future__ import annotations

from typing import Any

from pages.streams.mhc.data import Data
from pages.streams.mhc.state import ALL, WIDTHS, Streams
from pages.streams.mhc.view import WARM
from tlmviz.config import CONNECTIONS
from tlmviz.figures.streams.depth import NAMES
from tlmviz.site.pages import described
from tlmviz.ui import compute, inputs


def given() -> dict[str, Any]:
    """What site.js begins with; `models` with the families that they are of, and the keys of where one is in the
    picture."""
    return {
        "model": compute.DEFAULT_STREAM_MODEL,
        "models": {name: Data.family(name) for name in compute.stream_models()},
        "text": described(inputs.TEXT),
        "view": "Flow",
        "titles": NAMES,
        "warm": WARM,
        "token": Streams.token.key,
        "sublayer": Streams.sublayer.key,
        "shown": {"key": Streams.shown.key, "options": (ALL, *CONNECTIONS)},
        "widths": {"key": Streams.widths.key, "options": WIDTHS},
    }
