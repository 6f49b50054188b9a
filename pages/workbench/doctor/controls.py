"""The controls of the page Doctor: which two runs, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.checkpoints.folders import TRACE, opened_models
from tlmviz.errors import NoNetwork
from tlmviz.language_model import LanguageModel
from tlmviz.trace_file import TraceFile
from tlmviz.ui import compute, frame, inputs, link

from .faults import FAULTS, fitting

VIEWS = INJECTED, TWO_WAYS, MODELS = "A fault put in", "One model two ways", "Two models or files"
# Presets of the library and what they are called here.
WAYS = {
    "left-padded": "Left-padded",
    "right-padded": "Right-padded",
    "batch": "In a batch",
    "packed": "Packed behind a text",
    "cached": "Cached, token by token",
    "chunked": "Chunked prefill",
    "bfloat16": "BF16",
    "float16": "FP16",
    "int8": "INT8 weights",
    "int4": "INT4 weights",
    "transformers": "transformers",
}
FAULT = "RoPE base"  # where a model has one
OTHER = "stories-gpt"  # beside the default model
LAYER = 3
HIDDEN = {"label_visibility": "collapsed"}


@dataclass(frozen=True)
class Choice:
    """Two runs over one text: of a model and the same with a `fault` put in, run another `way`, or of an `other` model."""

    view: str
    model: str
    text: str
    fault: str = ""
    layer: int = 0
    value: float = 0.0
    way: str = ""
    other: str = ""

    @property
    def lm(self) -> LanguageModel | TraceFile:
        """The model that is right, or a file of one pass."""
        return compute.model(self.model)


def choose(model: str) -> Choice | None:
    """Draw the controls and return what they say; None, with a sentence, where there is no text."""
    lm = compute.model(model)
    with frame.after_picture(pairs=False):
        left, right = st.columns([0.52, 0.48], vertical_alignment="center")
        view = left.segmented_control(
            "Which runs",
            VIEWS,
            default=MODELS if lm.task == "trace" else INJECTED,
            key="drview",
            bind="query-params",
            required=True,
            **HIDDEN,
        )
        more = DRAWN[str(view)](model, lm, right)
    text = inputs.text_box(lm)
    return None if text is None else Choice(str(view), model, text, **more)


def _injected(model: str, lm: LanguageModel | TraceFile, right) -> dict:
    _with_network(lm)
    names = fitting(lm)
    menu, layers, slider = right.columns([0.4, 0.25, 0.35], vertical_alignment="center")
    name = link.menu(menu, "Fault", names, "drfault", default=FAULT if FAULT in names else names[0], **HIDDEN)
    count = lm.config.n_layers
    layer = link.menu(
        layers,
        "Layer",
        range(count),
        "drlayer",
        default=min(LAYER, count - 1),
        show="Layer {}".format,
        **HIDDEN,
    )
    fault = FAULTS[name]
    value = fault.start
    if fault.slider:
        stops = link.Field(
            f"drvalue-{name.lower().replace(' ', '-')}", fault.start, _stop(fault.stops), "{:g}".format
        )
        slot = f"_{stops.key}"
        st.session_state[slot] = stops.get()
        value = slider.select_slider(
            fault.slider,
            fault.stops,
            key=slot,
            format_func="{:g}".format,
            on_change=lambda: stops.keep(st.session_state[slot]),
        )
        stops.share()
    return {"fault": name, "layer": layer, "value": float(value)}


def _stop(stops: tuple[float, ...]):
    """Reads one of a slider's stops; raises ValueError for anything else."""

    def parse(text: str) -> float:
        value = float(text)
        if value not in stops:
            raise ValueError(text)
        return next(stop for stop in stops if stop == value)

    return parse


def _two_ways(model: str, lm: LanguageModel | TraceFile, right) -> dict:
    _with_network(lm)
    way = link.menu(
        right, "Second run", list(WAYS), "drway", default="left-padded", show=WAYS.__getitem__, **HIDDEN
    )
    return {"way": way}


def _models(model: str, lm: LanguageModel | TraceFile, right) -> dict:
    names = list(compute.offered())
    files = [name for name in opened_models() if name != model and name.endswith(TRACE)]
    likely = files if lm.task == "trace" else [OTHER] if model == compute.DEFAULT_MODEL else []
    start = next((name for name in (*likely, model) if name in names), names[0])
    return {
        "other": link.menu(right, "Model B", names, "drwith", default=start, show="B: {}".format, **HIDDEN)
    }


def _with_network(lm: LanguageModel | TraceFile) -> None:
    """Raises NoNetwork for a file, of which there is only the one run."""
    if lm.task == "trace":
        raise NoNetwork(
            f"{lm.name} holds one pass and no network to run again; choose “{MODELS}” and lay a model or another file beside it."
        )


DRAWN = {INJECTED: _injected, TWO_WAYS: _two_ways, MODELS: _models}
