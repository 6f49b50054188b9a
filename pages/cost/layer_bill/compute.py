"""Everything the page One layer's bill computes on the server, cached: times, parameters, and the feed-forward part."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.cost import feedforward, layer_run, parameters
from tlmviz.analysis.cost.feedforward import Removed, Units
from tlmviz.analysis.cost.layer import Sizes
from tlmviz.analysis.cost.layer_run import Timing
from tlmviz.analysis.cost.parameters import Parameter
from tlmviz.analysis.cost.presets import PRESETS
from tlmviz.checks import Check
from tlmviz.checks import cost_layer as checks
from tlmviz.ui import compute
from tlmviz.ui.compute import run_in_worker

SLOW = 1e11  # operations of leaving out every layer, beyond which it is asked for


def presets(model: str) -> list[tuple[str, Sizes, str]]:
    """Layers to choose: published ones, and the loaded model's where it has no other parts."""
    config = compute.model(model).config
    found = [(preset.name, preset.sizes, preset.source) for preset in PRESETS]
    if config.attention.latent_dim is None and not config.experts.count:
        found.append((f"{model} (loaded)", Sizes.of(config, config.context), "config.json"))
    return found


@st.cache_data(max_entries=64, show_spinner=False)
def timings(sizes: Sizes) -> tuple[Timing, Timing]:
    """Every part's time here, with all heads and with one; of as many tokens as can be timed at once."""
    return run_in_worker(lambda: layer_run.compared(sizes), sizes.n)


@st.cache_resource(max_entries=8, show_spinner=False)
def tensors(model: str) -> list[Parameter]:
    """Every parameter of the model's module."""
    return parameters.parameters(compute.model(model))


@st.cache_resource(max_entries=16, show_spinner=False)
def removed(model: str, text: str, layers: tuple[int, ...]) -> Removed:
    """The text's loss without the feed-forward part or the attention of each of some layers, and of all. Raises BadText."""
    lm = compute.model(model)
    return run_in_worker(lambda: feedforward.removed(lm, text, layers), compute.about(text))


def is_slow(model: str, text: str) -> bool:
    """Whether leaving out every layer in turn takes long."""
    lm = compute.model(model)
    return 4.0 * lm.n_parameters * lm.config.n_layers * compute.about(text) > SLOW


@st.cache_resource(max_entries=16, show_spinner=False)
def units(model: str, text: str) -> list[Units]:
    """Every layer's units on a text. Raises BadText and NoNetwork."""
    lm = compute.model(model)
    return run_in_worker(lambda: feedforward.units(lm, text), compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def relu_loss(model: str, text: str) -> float:
    """The text's loss with ReLU in the place of the model's own activation."""
    lm = compute.model(model)
    return run_in_worker(lambda: feedforward.loss(lm, text, feedforward.as_relu(lm)), compute.about(text))


def kind(model: str, layer: int) -> str:
    """The name of a layer's activation. Raises NoNetwork."""
    lm = compute.model(model)
    return feedforward.kind_of(feedforward.activation_at(lm, feedforward.places_of(lm)[layer]))


@st.cache_resource(max_entries=64, show_spinner=False)
def measured_sizes(sizes: Sizes) -> list[Check]:
    """The identities behind a bill."""
    entries = (checks.operations_are_torchs, checks.bytes_are_torchs, checks.heads_cost_the_same)
    return run_in_worker(lambda: [entry(sizes) for entry in entries])


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_growth(sizes: Sizes, prompt: int, steps: int) -> list[Check]:
    """The identities behind the areas."""
    return run_in_worker(lambda: [checks.areas_are_sums(sizes, prompt, steps)])


@st.cache_resource(max_entries=16, show_spinner=False)
def measured_model(model: str, text: str = "") -> list[Check]:
    """The identities on the loaded model; with a text also those on its activations."""
    lm = compute.model(model)
    found = [checks.every_parameter_once(lm)]
    if text and checks.has_units(lm):
        found.append(checks.slope_is_the_formulas(lm, text))
    return found
