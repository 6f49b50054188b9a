"""Draws the page Doctor: controls, the errors of every step, what the cause is seen by, and the snippets."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.workbench.faults import FAULTS, fitting
from tlmviz.checkpoints.folders import TRACE, opened_models, uploaded_models
from tlmviz.errors import NoNetwork
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.workbench import doctor as figures
from tlmviz.tracing.trace_file import TraceFile
from tlmviz.ui import compute as computing
from tlmviz.ui import frame, handoff, inputs, state
from tlmviz.ui.handoff import EXPLORER, Onward
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import INJECTED, MODELS, SIZES, TWO_WAYS, WAYS, Doctor, Sizes

OTHER = "stories-gpt"  # what stands beside the default model
EQUATION = (
    r"\hat y_i = f_i^{A}\!\left(x_i^{B}\right),\qquad "
    r"\varepsilon_i=\frac{\lVert \hat y_i-y_i^{B}\rVert}{\lVert\hat y_i\rVert},\qquad "
    r"i^\*=\min\{i:\varepsilon_i>4\,\varepsilon_{\text{rounding}}\}",
    "Measured for every tap of the network; the rules are in `tlmviz.analysis.workbench.doctor`.",
)


def controls(model: str) -> Doctor | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    lm = computing.model(model)
    with frame.after_picture(pairs=False):
        left, right, last = st.columns([0.49, 0.43, 0.08], vertical_alignment="center")
        if lm.task == "trace" and Doctor.view.get() == Doctor.view.default:
            Doctor.view.set(MODELS)
        view = Doctor.view.draw(left)
        given = DRAWN[view](lm, right)
        state.reset_button(Doctor, last)
    text = inputs.text_box(lm)
    Sizes.of_session()
    chosen = Doctor.of_session(model=model, text=text or "", **{"size": 0.0} | given)
    return None if text is None else chosen


def _injected(lm: LanguageModel | TraceFile, place) -> dict:
    _with_network(lm)
    menu, layers, slider = place.columns([0.36, 0.31, 0.33], vertical_alignment="center")
    fault = Doctor.fault.draw(menu, fitting(lm))
    layer = Doctor.layer.draw(
        layers, range(lm.config.n_layers), format_func=lambda layer: _("Layer {layer}", layer=layer)
    )
    sized = FAULTS[fault].sized
    size = SIZES[fault].draw(slider) if sized else FAULTS[fault].start
    return {"fault": fault, "layer": layer, "size": float(size)}


def _two_ways(lm: LanguageModel | TraceFile, place) -> dict:
    _with_network(lm)
    return {"way": Doctor.way.draw(place)}


def _models(lm: LanguageModel | TraceFile, place) -> dict:
    names = list(computing.offered())
    files = [name for name in opened_models() | uploaded_models() if name != lm.name and name.endswith(TRACE)]
    likely = files if lm.task == "trace" else [OTHER] if lm.name == computing.DEFAULT_MODEL else []
    if Doctor.other.get() not in names:
        Doctor.other.set(next((name for name in (*likely, lm.name) if name in names), names[0]))
    return {"other": Doctor.other.draw(place, names, format_func="B: {}".format)}


def _with_network(lm: LanguageModel | TraceFile) -> None:
    """Raises NoNetwork for a file, of which there is only the one run."""
    if lm.task == "trace":
        raise NoNetwork(
            "{name} holds one pass and no network to run again; choose “Two models or files” and lay a model or "
            "another file beside it.",
            name=lm.name,
        )


DRAWN = {INJECTED: _injected, TWO_WAYS: _two_ways, MODELS: _models}


def wait(data: Data) -> None:
    """Says that both runs are examined, where the picture will stand, while they are; and what was not read."""
    with st.spinner(_("Both runs are examined, step by step …"), show_time=True):
        data.found  # noqa: B018
    if said := claims.cut(data):
        st.warning(said)


def picture(data: Data) -> None:
    """What it is called, and the evidence side by side."""
    found = data.found
    if found.proof is None:
        return
    steps, seen = st.columns([0.56, 0.44])
    with steps:
        title = _("Error of every step, in order (logarithmic)")
        chart = figures.steps_map(found.names, found.errors, found.first, frame.theme(), title=title)
        frame.chart(chart, key="drsteps", alt=claims.steps_alt(data))
    with seen:
        title = claims.proof_title(data)
        chart = figures.proof(found.proof, found.said.cause, found.said.value, frame.theme(), title=title)
        frame.chart(chart, key="drproof", alt=title)
    st.markdown(f"{claims.put_in(data)}{claims.verdict(data)} :small[{claims.evidence(data)}]")


def further(data: Data) -> None:
    """The link to the layer that was found, in the explorer."""
    layer, chosen = data.found.said.layer, data.chosen
    if layer is None or computing.model(chosen.model).task == "trace":
        handoff.links([])
        return
    fields = {"model": chosen.model, "text": chosen.text, "head": f"{layer}.0"}
    handoff.links([Onward(_("The heads of layer {layer} in the explorer", layer=layer), EXPLORER, fields)])


def snippet(data: Data) -> str:
    """The diagnosis with the public API."""
    return SNIPPETS[data.chosen.view](data.chosen)


def _injected_code(chosen: Doctor) -> str:
    return f"""\
import copy
from dataclasses import replace

import torch
import tlmviz
from tlmviz.layers.positions import PerLayer, RoPE

lm = tlmviz.load({chosen.model!r})
ids = lm.encode({chosen.text!r})[:128]
bad, layer, value = copy.deepcopy(lm.network), {chosen.layer}, {chosen.size!r}
{FAULTS[chosen.fault].code}
said = tlmviz.diagnose(lm.trace_ids(ids), type(lm)(bad, lm.tokenizer).trace_ids(ids))
print(said)
"""


def _two_ways_code(chosen: Doctor) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.workbench.doctor.presets import PRESETS

lm = tlmviz.load({chosen.model!r})
ids = lm.encode({chosen.text!r})[:128]
said = tlmviz.diagnose(*PRESETS[{chosen.way!r}](lm, ids))  # {WAYS[chosen.way]}
print(said)
"""


def _models_code(chosen: Doctor) -> str:
    names = chosen.model, chosen.other
    files = [computing.model(name).task == "trace" for name in names]
    opened = [f"tlmviz.open({name!r})" if file else f"tlmviz.load({name!r})" for name, file in zip(names, files)]
    runs = [letter if file else f"{letter}.trace_ids(ids)" for letter, file in zip("ab", files)]
    ids = f"{'ab'[files.index(True)]}.ids" if any(files) else f"a.encode({chosen.text!r})[:128]"
    return f"""\
import tlmviz

a, b = {opened[0]}, {opened[1]}
ids = {ids}
said = tlmviz.diagnose({runs[0]}, {runs[1]})
print(said)
"""


SNIPPETS = {INJECTED: _injected_code, TWO_WAYS: _two_ways_code, MODELS: _models_code}
