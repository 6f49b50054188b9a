"""Everything that the page One layer's bill shows: bills, areas, times measured here, parameters, and the feed-forward
part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from tlmviz.analysis.cost import feedforward, layer, layer_run, parameters
from tlmviz.analysis.cost.feedforward import Removed, Units
from tlmviz.analysis.cost.layer import COUNTED, PARTS, Growth, Sizes
from tlmviz.analysis.cost.layer_run import Timing
from tlmviz.analysis.cost.parameters import Parameter
from tlmviz.analysis.cost.presets import PRESETS
from tlmviz.checks import Check
from tlmviz.checks import cost_layer as checks
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker

from .state import FFN, GROWTH, HAND, PARAMETERS, Bill, toy_sizes

SLOW = 1e11  # operations of leaving out every layer, beyond which it is asked for
AGREE = 1.5  # times the fastest round that the slowest of a part may take: else its time is not shown
Rounds = list[tuple[Timing, Timing]]  # with all heads, and with one
Times = dict[str, tuple[float | None, float | None]]  # of each part, the same; None where the rounds do not agree


@dataclass(frozen=True)
class Data:
    """A layer's bill, and the loaded model's parts; what only one part of the page needs is computed when that asks for
    it."""

    chosen: Bill

    @property
    def lm(self) -> LanguageModel:
        """The model whose parameters and layers are looked at."""
        return shared.model(self.chosen.model)

    @cached_property
    def sizes(self) -> Sizes:
        """The layer."""
        return self.chosen.fitted[0]

    @property
    def toy(self) -> Sizes:
        """The layer that is filled in by hand."""
        return toy_sizes(self.chosen.toy)

    @property
    def growths(self) -> dict[str, Growth]:
        """The areas of everything that is counted."""
        prompt, steps = self.chosen.prompt, self.chosen.steps
        return {counted: layer.growth(self.sizes, prompt, steps, counted) for counted in COUNTED}

    @property
    def presets(self) -> list[tuple[str, Sizes, str]]:
        """Layers to choose: published ones, and the loaded model's where it has no other parts."""
        config = shared.model(self.chosen.model).config
        found = [(preset.name, preset.sizes, preset.source) for preset in PRESETS]
        if config.attention.latent_dim is None and not config.experts.count:
            found.append((f"{self.chosen.model} (loaded)", Sizes.of(config, config.context), "config.json"))
        return found

    @property
    def name(self) -> str:
        """The published layer that this is, or its sizes."""
        if self.preset is not None:
            return self.preset
        return f"d = {self.sizes.d:,}, h = {self.sizes.h}, F = {self.sizes.f:,}"

    @cached_property
    def preset(self) -> str | None:
        """The name of the layer to choose that this is, whatever text it reads; None for sizes of one's own."""
        own = (self.sizes.d, self.sizes.h, self.sizes.g, self.sizes.f, self.sizes.gated, self.sizes.width)
        for name, sizes, _source in self.presets:
            if (sizes.d, sizes.h, sizes.g, sizes.f, sizes.gated, sizes.width) == own:
                return name
        return None

    @property
    def layers(self) -> int | None:
        """How many such layers the model has that it is of; None for sizes of one's own."""
        if self.preset is None:
            return None
        published = {preset.name: preset.n_layers for preset in PRESETS}
        return published.get(self.preset, self.lm.config.n_layers)

    @cached(64)
    def rounds(sizes: Sizes) -> Rounds:
        """Every part's time here in interleaved rounds; of as many tokens as can be timed at once. Measured once for
        all; `rounds.clear` of the class has it measured again."""
        return run_in_worker(lambda: layer_run.rounds(sizes), sizes.n)

    @property
    def times(self) -> Times:
        """Each part's time of them."""
        return by_part(self.rounds)

    @cached(8)
    def parameters(model: str) -> list[Parameter]:
        """Every parameter of the model's module."""
        return parameters.parameters(shared.model(model))

    @cached_property
    def by_part(self) -> dict[str, int]:
        """How many there are in each kind of part."""
        return parameters.by_part(self.parameters)

    @property
    def layer(self) -> int:
        """The layer of the model that is looked at."""
        count = self.lm.config.n_layers
        return self.chosen.layer if self.chosen.layer in range(count) else count // 2

    @property
    def is_slow(self) -> bool:
        """Whether leaving out every layer in turn takes long."""
        lm = self.lm
        return 4.0 * lm.n_parameters * lm.config.n_layers * shared.about(self.chosen.text) > SLOW

    @property
    def left_out(self) -> tuple[int, ...]:
        """Layers whose parts are left out in turn: all, where that is quick or asked for, else the one looked at."""
        alone = self.is_slow and not self.chosen.every
        return (self.layer,) if alone else tuple(range(self.lm.config.n_layers))

    @cached(16)
    def removed(model: str, text: str, left_out: tuple[int, ...]) -> Removed:
        """The text's loss without the feed-forward part or the attention of each, and of all. Raises BadText."""
        lm = shared.model(model)
        return run_in_worker(lambda: feedforward.removed(lm, text, left_out), shared.about(text))

    @cached(16)
    def every_units(model: str, text: str) -> list[Units]:
        """Every layer's units on the text. Raises BadText and NoNetwork."""
        lm = shared.model(model)
        return run_in_worker(lambda: feedforward.units(lm, text), shared.about(text))

    @property
    def has_units(self) -> bool:
        """Whether a layer has units that read every token."""
        return checks.has_units(self.lm)

    @cached_property
    def units(self) -> Units:
        """Those of the layer looked at, or of the first that has some."""
        return next((each for each in self.every_units if each.layer == self.layer), self.every_units[0])

    @property
    def activation(self) -> str:
        """The name of that layer's activation."""
        return feedforward.kind_of(feedforward.activation_at(self.lm, feedforward.places_of(self.lm)[self.units.layer]))

    @cached(16)
    def relu_loss(model: str, text: str) -> float:
        """The text's loss with ReLU in the place of the model's own activation."""
        lm = shared.model(model)
        return run_in_worker(lambda: feedforward.loss(lm, text, feedforward.as_relu(lm)), shared.about(text))

    @property
    def checks(self) -> list[Check]:
        """The identities behind the part of the page that is open."""
        part = self.chosen.part
        if part == GROWTH:
            return _checks_of_areas(self.sizes, self.chosen.prompt, self.chosen.steps)
        if part in (PARAMETERS, FFN):
            return _checks_of_model(self.chosen.model, self.chosen.text)
        return _checks(self.toy if part == HAND else self.sizes)


def agreed(times: list[float | None]) -> float | None:
    """The fastest of some rounds; None where they do not agree, or nothing was timed."""
    found = [each for each in times if each is not None]
    return min(found) if found and max(found) <= AGREE * min(found) else None


def by_part(found: Rounds) -> Times:
    """Each part's seconds with all heads and with one, where the rounds agree."""
    sides = list(zip(*found))
    return {part: tuple(agreed([each.seconds[part] for each in side]) for side in sides) for part in PARTS}


@st.cache_resource(max_entries=64, show_spinner=False)
def _checks(sizes: Sizes) -> list[Check]:
    entries = (checks.operations_are_torchs, checks.bytes_are_torchs, checks.heads_cost_the_same)
    return run_in_worker(lambda: [entry(sizes) for entry in entries])


@st.cache_resource(max_entries=16, show_spinner=False)
def _checks_of_areas(sizes: Sizes, prompt: int, steps: int) -> list[Check]:
    return run_in_worker(lambda: [checks.areas_are_sums(sizes, prompt, steps)])


@st.cache_resource(max_entries=16, show_spinner=False)
def _checks_of_model(model: str, text: str) -> list[Check]:
    lm = shared.model(model)
    found = [checks.every_parameter_once(lm)]
    if text and checks.has_units(lm):
        found.append(checks.slope_is_the_formulas(lm, text))
    return found
