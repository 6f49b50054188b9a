"""A pipeline's timeline, scrubbed and replayed in the browser, with what every device holds at each moment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.analysis.cost.pipeline import AGAIN, ONE, SENDING, Run
from tlmviz.analysis.cost.pipeline_orders import BOTH, FORWARD, INPUTS, WEIGHTS
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

KINDS = (FORWARD, AGAIN, INPUTS, WEIGHTS, BOTH, SENDING)

_component = component("tlmviz_pipeline", Path(__file__).parent)


def payload(run: Run, *, title: str, state: Mapping[str, Any], picture: int) -> bytes:
    """Everything the view shows. `state` holds `at` (a time; None: the end) and the `seq` that came with it.

    `picture` is its number, as the session counts them.
    """
    setting, events = run.setting, run.events
    memory = run.memories
    header = {
        "title": title,
        "picture": picture,
        "stages": setting.stages,
        "time": run.time,
        "peaks": [float(held.max()) for _, held in memory],
        "bound": setting.stages if run.schedule == ONE else None,
        "colors": figures.palette(),
        "state": dict(state),
    }
    arrays = {
        "device": np.array([event.device for event in events], np.uint8),
        "kind": np.array([KINDS.index(event.kind) for event in events], np.uint8),
        "micro": np.array([event.micro for event in events], np.uint8),
        "stage": np.array([event.stage for event in events], np.uint8),
        "half": np.array([event.half for event in events], np.uint8),
        "start": np.array([event.start for event in events], np.float32),
        "end": np.array([event.end for event in events], np.float32),
        "changes": np.array([len(times) for times, _ in memory], np.uint16),
        "times": np.concatenate([times for times, _ in memory]).astype(np.float32),
        "held": np.concatenate([held for _, held in memory]).astype(np.float32),
    }
    return pack(header, arrays)


def pipeline_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"at", "seq"} as `place` when it rests."""
    _component(key=key, data=data, on_place_change=on_change)
