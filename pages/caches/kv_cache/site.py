"""The page KV cache on a static site: its part Steps, where the likeliest token is written each time."""

from __future__ import annotations

from typing import Any

from tlmviz.ui import compute

from .costs import costs
from .state import STEPS


def given() -> dict[str, Any]:
    """What site.js begins with; `costs` are of the models that keep keys and values as they are."""
    kept = {name: config for name, config in compute.configs().items() if config.attention.latent_dim is None}
    return {
        "model": compute.DEFAULT_MODEL,
        "part": STEPS,
        "costs": {name: costs(config) for name, config in kept.items()},
    }
