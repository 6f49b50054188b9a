"""Identities of the page One layer's bill: its numbers are torch's own counts, and the loaded model's parameters add
up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.analysis.cost import feedforward, layer, layer_run, parameters
from tlmviz.analysis.cost.layer import Sizes
from tlmviz.errors import NoNetwork

from .cases import is_language_model
from .registry import identity
from .result import Measured

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def its_sizes(lm: LanguageModel, text: str) -> tuple[Sizes]:
    """The model's layer, reading the text."""
    return (Sizes.of(lm.config, len(lm.encode(text))),)


def its_growth(lm: LanguageModel, text: str) -> tuple[Sizes, int, int]:
    """The model's layer, the text as a prompt, and as many tokens after it."""
    [sizes] = its_sizes(lm, text)
    return sizes, sizes.n, sizes.n


def alone(lm: LanguageModel, text: str) -> tuple[LanguageModel]:
    """The model."""
    return (lm,)


def with_text(lm: LanguageModel, text: str) -> tuple[LanguageModel, str]:
    """The model and the text."""
    return lm, text


def has_plain_layers(model: Any) -> bool:
    """Whether the model's layers have the parts of the bill: no latent attention, no experts."""
    if not is_language_model(model):
        return False
    return model.config.attention.latent_dim is None and not model.config.experts.count


def has_units(model: Any) -> bool:
    """Whether some layer has units that read every token."""
    if not is_language_model(model):
        return False
    try:
        feedforward.places_of(model)
    except NoNetwork:
        return False
    return True


@identity(
    "Operations are torch's",
    "every part's products take as many operations as torch counts",
    0,
    "operations",
    when=has_plain_layers,
    inputs=its_sizes,
    quick=True,
)
def operations_are_torchs(sizes: Sizes) -> float:
    """Twice the bill's multiplications against FlopCounterMode over the same layer, part by part."""
    counted = layer_run.count(sizes)
    return float(
        max(abs(2 * line.multiplications - counted[part].operations) for part, line in layer.bill(sizes).items())
    )


@identity(
    "Bytes are torch's",
    "weights, activations and maps take as many bytes as torch's tensors",
    0,
    "bytes",
    when=has_plain_layers,
    inputs=its_sizes,
    quick=True,
)
def bytes_are_torchs(sizes: Sizes) -> float:
    """The bill's bytes against `nbytes` of every tensor of the same layer, part by part."""
    counted, worst = layer_run.count(sizes), 0
    for part, line in layer.bill(sizes).items():
        weights = sizes.bytes * line.weights - counted[part].weights
        written = sizes.bytes * (line.written + line.maps) - counted[part].written
        worst = max(worst, abs(weights), abs(written))
    return float(worst)


@identity(
    "Heads cost the same",
    "one head as wide as all heads together takes the same products, by torch's count",
    0,
    "operations",
    when=has_plain_layers,
    inputs=its_sizes,
    quick=True,
)
def heads_cost_the_same(sizes: Sizes) -> float:
    """Operations of all products with h heads and with one; key/value heads as many as query heads in both."""
    each = replace(sizes, g=sizes.h)
    many, one = layer_run.count(each), layer_run.count(each.one_head)
    return float(max(abs(many[part].operations - one[part].operations) for part in many))


@identity(
    "Areas are sums",
    "pairs of query and key, word by word, add up to Σt² without a cache and to Σt with one",
    1e-12,
    "relative",
    when=has_plain_layers,
    inputs=its_growth,
    quick=True,
)
def areas_are_sums(sizes: Sizes, prompt: int, steps: int) -> float:
    """The sums over all steps against (N + 1) N / 2 and (2 N + 1) (N + 1) N / 6, less those of the prompt."""
    found = layer.growth(sizes, prompt, steps, "cells")
    ones = _ones(prompt + steps) - _ones(prompt)
    squares = _squares(prompt + steps) - _squares(prompt)
    return max(abs(sum(found.cached) / ones - 1), abs(sum(found.without) / squares - 1))


def _ones(n: int) -> int:
    """1 + 2 + ... + n."""
    return n * (n + 1) // 2


def _squares(n: int) -> int:
    """1 + 4 + ... + n^2."""
    return n * (n + 1) * (2 * n + 1) // 6


@identity(
    "Every parameter once",
    "the parts of the module add up to all parameters, and each is as large as its formula says",
    0,
    "parameters",
    when=is_language_model,
    inputs=alone,
    quick=True,
)
def every_parameter_once(lm: LanguageModel) -> Measured:
    """numel of every named parameter, by part, against the model's total and the formula of each part."""
    parts = parameters.by_part(parameters.parameters(lm))
    wrong = [abs(lm.n_parameters - sum(parts.values())), *map(abs, parameters.differences(lm).values())]
    return Measured(float(max(wrong)), f"{lm.n_parameters:,}")


@identity(
    "Slope by formula",
    "the activation's slope at every unit is its derivative's formula",
    1e-5,
    when=has_units,
    inputs=with_text,
)
def slope_is_the_formulas(lm: LanguageModel, text: str) -> float:
    """Autograd's slopes of the loaded activation against the formula, at every unit and token of the text."""
    worst, places = 0.0, feedforward.places_of(lm)
    for found in feedforward.units(lm, text):
        kind = feedforward.kind_of(feedforward.activation_at(lm, places[found.layer]))
        error = np.abs(found.slope - feedforward.slope(kind, found.before)).max(initial=0)
        worst = float(np.maximum(worst, error))  # keeps a NaN
    return worst
