"""What the view Streams shows: streams through depth, every part's coefficient in what is read, and passes with one
muted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from pages.streams.mhc.data import Data
from pages.streams.mhc.state import EMBEDDING, HEAD, MUTE, THROUGH
from tlmviz.analysis.streams import unrolled as analysis
from tlmviz.analysis.streams import vectors
from tlmviz.analysis.streams.unrolled import Unrolled, part_names
from tlmviz.analysis.streams.vectors import Journey
from tlmviz.figures.streams import graph
from tlmviz.figures.streams import mixing as figures
from tlmviz.figures.streams.graph import Panel
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.language import N_, _

SHORT = {"residual": N_("plain residual"), "hyper": "HC", "manifold": "mHC"}
AT_ONCE = 6_000  # tokens of all passes behind the map, up to which it is drawn without a toggle


@dataclass(frozen=True)
class Inside(Data):
    """The streams of a text themselves."""

    @property
    def parts(self) -> list[str]:
        """The embedding and every sublayer."""
        return part_names(self.lm.config.n_layers)

    @cached(16)
    def journey(model: str, text: str) -> Journey:
        """From a pass of its own: a shared trace would hold every layer's vectors."""
        lm = shared.model(model)
        taps = set(vectors.journey_taps(lm.config.n_layers, lm.config.connection.kind != "residual"))
        return shared.run_in_worker(lambda: vectors.journey(lm.trace(text, keep=taps.__contains__)), shared.about(text))

    @cached_property
    def readers(self) -> list[str]:
        """Who can read the unrolled sum: the head, every final stream, every sublayer."""
        finals = (f"final stream {n}" for n in range(self.most_streams))
        return [HEAD, *finals, *(f"what {sublayer} reads" for sublayer in self.sublayers)]

    @property
    def reader(self) -> int:
        """Who reads, of `readers`."""
        return self.readers.index(self.chosen.reader) if self.chosen.reader in self.readers else 0

    @cached_property
    def sums(self) -> dict[str, Unrolled]:
        """Title -> every coefficient, of each model of the family."""
        return {
            f"{_(SHORT[kind])} · {model}": _unrolled(model, self.chosen.text) for kind, model in self.family.items()
        }

    @cached_property
    def panels(self) -> list[Panel]:
        """A panel for each model of the family; a family without a plain member gets one by definition."""
        found = [Panel(title, self._coefficients(unrolled)) for title, unrolled in self.sums.items()]
        if "residual" not in self.family:
            ones = np.ones((len(self.parts), len(self.tokens)), np.float32)
            sublayer = self.reader - self.most_streams
            if sublayer > 0:  # it reads the parts before it alone
                ones[sublayer:] = 0.0
            found.insert(0, Panel(_("plain residual · by definition"), ones))
        return found

    def _coefficients(self, unrolled: Unrolled) -> np.ndarray:
        """Coefficients [parts, T] of what is read; a model with fewer streams shows its last."""
        reader, streams = self.reader, self.most_streams
        if reader == 0:
            return unrolled.mean.numpy()
        if reader <= streams:
            return unrolled.final[..., min(reader - 1, unrolled.final.shape[-1] - 1)].numpy()
        return unrolled.read[reader - streams - 1].numpy()

    def window(self, at: int) -> range:
        """The tokens around one that a picture's slider reaches."""
        count = len(self.parts)
        moving = sum(kind != "residual" for kind in self.family)  # a plain residual's ribbons are sent once
        each = (
            figures.depth_bytes(count, self.connection.streams)
            if self.chosen.part == THROUGH
            else graph.fan_bytes(moving, count)
        )
        return graph.window(len(self.tokens), at, each)

    # One stream muted

    @property
    def names(self) -> list[str]:
        """The streams, as the menu and links call them."""
        return [f"Stream {n}" for n in range(self.connection.streams)]

    @property
    def places(self) -> list[str]:
        """The places from which on one can be muted, likewise."""
        return [f"from {part} on" for part in self.parts]

    @property
    def strongest(self) -> str:
        """The stream that costs the most when it is muted from the embedding on."""
        return self.names[_strongest(self.chosen.model, self.chosen.text)]

    @property
    def muted(self) -> int:
        chosen = self.chosen.muted if self.chosen.muted in self.names else self.strongest
        return self.names.index(chosen)

    @property
    def start(self) -> int:
        """The place from which on it is, of `places`."""
        return self.places.index(self.chosen.start if self.chosen.start in self.places else EMBEDDING)

    @cached_property
    def losses(self) -> tuple[np.ndarray, np.ndarray]:
        """Loss per token [T - 1] with all streams, and with one muted."""
        muted = _muted(self.chosen.model, self.chosen.text, self.muted, self.start)
        return self.trace.loss_per_token().numpy(), muted

    @property
    def passes(self) -> int:
        """Passes behind the map of every stream and place."""
        return self.connection.streams * len(self.parts)

    @property
    def is_long(self) -> bool:
        """Whether these are measured only when somebody asks."""
        return len(self.tokens) * self.passes > AT_ONCE

    @cached(16)
    def every_loss(model: str, text: str) -> np.ndarray:
        """Mean loss with every stream muted from every place on, [N, places]."""
        config = shared.model(model).config
        streams, starts = range(config.connection.streams), range(2 * config.n_layers + 1)
        cases = [(stream, start) for stream in streams for start in starts]
        return _mean_losses(model, text, cases).reshape(len(streams), -1)

    @property
    def is_muting(self) -> bool:
        return self.chosen.part == MUTE


@st.cache_resource(max_entries=16, show_spinner=False)
def _unrolled(model: str, text: str) -> Unrolled:
    found = Data.mixing(model, text)
    return shared.run_in_worker(lambda: analysis.unroll(found), shared.about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def _muted(model: str, text: str, stream: int, start: int) -> np.ndarray:
    lm = shared.model(model)
    edits = vectors.mute_stream(lm.config.n_layers, stream, start)
    return shared.run_in_worker(
        lambda: lm.trace(text, edit=edits, keep="logits".__eq__).loss_per_token().numpy(), shared.about(text)
    )


@st.cache_data(max_entries=16, show_spinner=False)
def _strongest(model: str, text: str) -> int:
    streams = range(shared.model(model).config.connection.streams)
    return int(_mean_losses(model, text, [(stream, 0) for stream in streams]).argmax())


def _mean_losses(model: str, text: str, cases: list[tuple[int, int]]) -> np.ndarray:
    lm, ids = shared.model(model), shared.trace(model, text).ids
    return shared.run_in_worker(lambda: vectors.muted_losses(lm, ids, cases).mean(-1).numpy(), shared.about(text))
