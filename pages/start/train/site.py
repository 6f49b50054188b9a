"""Train a transformer on a static site: the tables that its runs are made of."""

from __future__ import annotations

import json
from typing import Any

from tlmviz.notebook.live import template

from . import data, state, view

LIVE = "live.json"


def files() -> dict[str, str]:
    """The live file without a model, beside the page."""
    return {LIVE: json.dumps(template())}


def given() -> dict[str, Any]:
    """What runs.js makes runs by."""
    return {
        "vocab": data.VOCAB,
        "length": data.LENGTH,
        "lengths": data.LENGTHS,
        "digits": data.DIGITS,
        "steps": data.STEPS,
        "changes": data.CHANGES,
        "beside": state.BESIDE,
        "asked": view.ASKED,
        "high": state.HIGH,
        "live": LIVE,
    }
