"""Everything that the page Encoder & decoder shows: copies of a model, their maps, losses and texts, and identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.translation import masks
from tlmviz.checks import Check, measure, translation_cases, translation_masks
from tlmviz.checks.translation import mask_hides_the_future
from tlmviz.facades.translator import Translator
from tlmviz.recording import recording
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.cached import cached
from tlmviz.ui.translation import SentencePair

from .state import KINDS, MASKED, REMOVED, ROTATED, Decoding

PARTS = ("q", "k", "v", "out")  # of cross-attention
CHANGED = {REMOVED: masks.unmasked, ROTATED: masks.rotated}  # copies with the model's own weights


@dataclass(frozen=True)
class Data:
    """What the page shows; what no sentence and no picture asks for is not computed."""

    chosen: Decoding

    @property
    def pair(self) -> SentencePair:
        return self.chosen.pair

    @property
    def token(self) -> int:
        """The target token, from 0."""
        return self.chosen.token - 1

    @property
    def kinds(self) -> list[str]:
        """Which decoders there are of this model: itself, its copies, and the one trained without the mask if that
        exists."""
        return [kind for kind in KINDS if copy_of(self.chosen.model, kind) is not None]

    @cached(32)
    def maps(pair: SentencePair, kind: str) -> masks.Maps:
        """All maps and losses of one pass, of the decoder that is shown."""
        return shared.run_in_worker(
            lambda: masks.read(copy_of(pair.model, kind), pair.text, list(pair.translation)), shared.about(pair.text)
        )

    @property
    def telling_head(self) -> tuple[int, int]:
        """The decoder's layer and head that looks most at the token after each, where it may, else at the token
        before."""
        look = masks.look_back if self.chosen.masked else masks.look_ahead
        layer, head = divmod(int(look(self.maps.decoder).argmax()), self.pair.mt.config.n_heads)
        return layer, head

    @cached_property
    def losses(self) -> dict[str, np.ndarray]:
        """Every decoder's loss of each target token, in nats."""
        return {kind: -Data.maps(self.pair, kind).logp for kind in self.kinds}

    @cached_property
    def texts(self) -> dict[str, str]:
        """What every decoder writes on its own."""
        return {kind: _written(self.pair.model, self.pair.text, kind) for kind in self.kinds}

    @property
    def next_weight(self) -> float:
        """The mean weight that the shown head gives to the position after each."""
        return float(masks.look_ahead(self.maps.decoder)[self.chosen.head])

    @property
    def cross(self) -> np.ndarray:
        """What the target token's cross-attention gives to each source token."""
        return self.maps.cross[*self.chosen.head, self.token]

    @property
    def moved(self) -> float:
        """The share of cross-attention's weight, over all heads and target tokens, that lies elsewhere than the model
        puts it."""
        return float(np.abs(self.maps.cross - Data.maps(self.pair, MASKED).cross).sum(-1).mean() / 2)

    @cached(32)
    def shapes(pair: SentencePair) -> dict[str, tuple[int, ...]]:
        """Sizes of the memory, and of one decoder layer's cross q, k, v and output, in a pass over this sentence."""
        taps = {"memory": "memory", **{part: f"decoder.0.cross.{part}" for part in PARTS}}
        decoder_ids = [pair.mt.tokenizer.end_of_text, *pair.translation[:-1]]

        @torch.inference_mode()
        def work() -> dict[str, tuple[int, ...]]:
            with recording(lambda name: name in taps.values()) as record:
                pair.mt.network(torch.tensor([pair.mt.encode(pair.text)]), torch.tensor([decoder_ids]))
            return {part: tuple(record.values[name].shape[1:]) for part, name in taps.items()}

        return shared.run_in_worker(work, shared.about(pair.text))

    @cached(32)
    def checks(pair: SentencePair) -> list[Check]:
        """The identities behind this page, on this sentence and translation."""
        search = translation.own_search(pair.model, pair.text)
        own = translation_cases.Translation(pair.text, search, search.hypotheses()[0])

        def work() -> list[Check]:
            attentions = translation_cases.attentions(pair.mt, pair.text, pair.translation)
            return [*measure(translation_masks, pair.mt, attentions), mask_hides_the_future(pair.mt, own)]

        return shared.run_in_worker(work, shared.about(pair.text))


@st.cache_resource(max_entries=4, show_spinner=False)
def copy_of(model: str, kind: str) -> Translator | None:
    """The model itself, or a copy of this kind; None where no copy was trained without the mask. Raises
    BadCheckpoint."""
    mt = translation.model(model)
    if kind == MASKED:
        return mt
    if kind in CHANGED:
        return CHANGED[kind](mt)
    weights = masks.unmasked_weights(model, mt.network)
    return None if weights is None else masks.unmasked(mt, weights)


@st.cache_data(max_entries=32, show_spinner=False)
def _written(model: str, text: str, kind: str) -> str:
    """A copy's own translation, written token by token without a future to look at."""
    if kind == MASKED:
        return translation.model(model).text(translation.own_translation(model, text))
    return shared.run_in_worker(lambda: copy_of(model, kind).translate(text).text, shared.about(text))
