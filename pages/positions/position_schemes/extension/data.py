"""Everything that the part Context extension shows: losses under each scheme, a change of scale, identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from tlmviz.analysis import precomputed
from tlmviz.analysis.positions import context_extension
from tlmviz.analysis.positions.context_extension import Switch
from tlmviz.checks import Check, measure, positions_scaling
from tlmviz.errors import BadText
from tlmviz.facades.language_model import LanguageModel
from tlmviz.layers.scaling import ScaledRoPE, scaled_rope
from tlmviz.ui.compute import model, run_in_worker
from tlmviz.ui.language import _
from tlmviz.ui.long_text import HASH_FAST, Ids, encoded
from tlmviz.ui.precomputed import precomputed_equals_live

from .state import DYNAMIC, GROWN, PLAIN, STATIC, Extension

AFTER = 256  # tokens read after a change of scale
SHORTEST_SWITCH = 4  # tokens of a text in whose middle the scale can change
LOSSES = "context extension: losses"  # the question of which the default's answers are shipped


@dataclass(frozen=True)
class Data:
    """What the part shows; each scheme's losses, and what is below the picture, are computed when they are asked
    for."""

    chosen: Extension
    tokens: int  # of the whole text
    ids: Ids  # those that are read

    @property
    def lm(self) -> LanguageModel:
        """The model that reads."""
        return model(self.chosen.model)

    @property
    def context(self) -> int:
        """The training length in tokens."""
        return self.lm.config.context

    @property
    def inside(self) -> Ids:
        """The ids within the training length."""
        return self.ids[: self.context]

    @property
    def smoothing(self) -> int:
        """Tokens of the running mean of a loss: a fifth of the training length, or of a text that is shorter."""
        return max(1, len(self.inside) // 5)

    @property
    def at(self) -> int:
        """Tokens read before the scale changes: of a text that ends before, the same share of its first half."""
        read = int(self.chosen.share * self.context)
        return read if read < len(self.ids) else max(1, int(self.chosen.share * len(self.ids) / 2))

    @property
    def around_switch(self) -> Ids:
        """The ids before the change of scale, and those read after it."""
        return self.ids[: self.at + AFTER]

    def positions(self, scheme: str) -> ScaledRoPE:
        """The RoPE of a scheme; with rotated keys in the cache its frequencies are those of the dynamic one."""
        return scaled_rope(self.lm.config, DYNAMIC if scheme == GROWN else scheme, self.chosen.scale)

    def loss(self, scheme: str) -> np.ndarray:
        """The loss of each next token under a scheme, [T - 1] nats."""
        asked = self._asked(scheme)
        return precomputed.ready(self.lm, LOSSES, asked, lambda: {"loss": _read(self.chosen.model, *asked)})["loss"]

    def _asked(self, scheme: str) -> tuple[Ids, str, float]:
        """What a loss depends on; a scale that is not used would only keep the same curve twice."""
        return self.ids, scheme, 1.0 if scheme in (PLAIN, DYNAMIC, GROWN) else self.chosen.scale

    @cached_property
    def means(self) -> dict[str, tuple[float, float]]:
        """Scheme -> its mean loss within the training length and beyond it; NaN where there is nothing."""
        around = context_extension.inside_and_beyond
        return {scheme: around(self.loss(scheme), self.context) for scheme in self.chosen.compared}

    @property
    def ratios(self) -> dict[str, np.ndarray]:
        """Each scheme's frequencies over the model's own, plane by plane, at the end of the text."""
        every = context_extension.frequency_ratios(self.lm.config, self.chosen.scale, len(self.ids))
        return {scheme: every[scheme] for scheme in self.chosen.compared if scheme in every}

    @property
    def wavelengths(self) -> np.ndarray:
        """Tokens per turn of each plane, as trained."""
        return 2 * np.pi / self.positions(PLAIN).unscaled().numpy()

    @property
    def switch(self) -> Switch | None:
        """The tokens after a change of scale with each kind of cache; None for a text that is too short."""
        if len(self.ids) < SHORTEST_SWITCH:
            return None
        return _switch(self.chosen.model, self.around_switch, self.at, self.chosen.switch_to, self.chosen.scale)

    @property
    def checks(self) -> list[Check]:
        """The identities of scaling on the first tokens; where the curves were computed beforehand, one of them is read
        again."""
        checks = _checks(self.chosen.model, self.inside)
        scheme = next((name for name in self.chosen.schemes if name in STATIC), PLAIN)
        found = precomputed.answer(self.lm, LOSSES, self._asked(scheme))
        if found is None:
            return checks
        said = _("the loss of every token under {scheme}", scheme=scheme)
        return [*checks, precomputed_equals_live(said, found["loss"], _read(self.chosen.model, *self._asked(scheme)))]


def compute(chosen: Extension) -> Data:
    """The data of a state. Raises BadText for a text of one token."""
    ids = encoded(chosen.model, chosen.reading.text)
    if len(ids) < 2:
        raise BadText("One token has no next one to predict; give a longer text.")
    return Data(chosen, len(ids), ids[: int(chosen.times * model(chosen.model).config.context)])


@st.cache_data(max_entries=128, show_spinner=False, hash_funcs=HASH_FAST)
def _read(name: str, ids: Ids, scheme: str, scale: float) -> np.ndarray:
    lm = model(name)

    def work() -> np.ndarray:
        if scheme == PLAIN:
            return context_extension.losses(lm, list(ids))
        positions = scaled_rope(lm.config, DYNAMIC if scheme == GROWN else scheme, scale)
        if scheme == GROWN:
            return context_extension.losses_growing(lm, list(ids), positions, rotated=True)
        return context_extension.losses(lm, list(ids), positions)

    return run_in_worker(work, len(ids))


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=HASH_FAST)
def _switch(name: str, ids: Ids, at: int, scheme: str, scale: float) -> Switch:
    lm = model(name)

    def work() -> dict[str, np.ndarray]:
        return context_extension.switch(lm, list(ids), at, scaled_rope(lm.config, scheme, scale)).to_arrays()

    asked = ids, at, scheme, scale
    return Switch.from_arrays(
        precomputed.ready(lm, "context extension: switch", asked, lambda: run_in_worker(work, len(ids)))
    )


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=HASH_FAST)
def _checks(name: str, ids: Ids) -> list[Check]:
    lm = model(name)
    return run_in_worker(lambda: measure(positions_scaling, lm, lm.trace_ids(list(ids))), len(ids))
