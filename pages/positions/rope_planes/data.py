"""Everything that the page RoPE planes shows: rotations of one head, passes with other positions, identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz import kernels
from tlmviz.analysis.positions import rope_planes, rope_runs
from tlmviz.analysis.positions.rope_planes import Clocks, Rotation
from tlmviz.checks import Check, measure, positions_planes
from tlmviz.checks import positions as position_checks
from tlmviz.errors import BadConfig
from tlmviz.figures.positions import rope_steps
from tlmviz.tokens import output_names
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import about, run_in_worker

from .state import BASE, BOTH, CLOCKS, HALF, HEADS, LAYOUTS, OFF, OWN, PERMUTED, STEPS, Choice, Pair

CONTINUED = 16  # tokens
LIKELIEST = 5  # next tokens
NOTES_BASE = 100_000.0  # the default of the notes' code, Transformer with PyTorch, section 3.3
PLAIN_BASE = 10_000.0  # of RoFormer and of the notes' chapter "Attention": the other one for models that have the first
Curves = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Data(shared.TextRead):
    """What the page shows; what the chosen part does not show is not computed."""

    chosen: Choice

    @cached_property
    def refused(self) -> BadConfig | None:
        """Why the base that was chosen is not taken: it makes no angles."""
        try:
            rope_planes.checked_base(self._asked)
        except BadConfig as error:
            return error
        return None

    @property
    def base(self) -> float:
        """Of the frequencies that are shown (Heads: of those that are compared)."""
        return self._asked if self.refused is None else self._unasked

    @property
    def _asked(self) -> float:
        asked = self.chosen.other if self.chosen.part == HEADS else self.chosen.base
        return float(self._unasked if asked is None else asked)

    @property
    def _unasked(self) -> float:
        return self.other_base if self.chosen.part == HEADS else self.own_base

    @property
    def other_base(self) -> float:
        """The base that is compared with the model's own, until one is chosen."""
        return PLAIN_BASE if self.own_base == NOTES_BASE else NOTES_BASE

    @property
    def own_base(self) -> float:
        """The base that the model was trained with."""
        return rope_planes.own_base(self.lm.config)

    @property
    def wavelength(self) -> np.ndarray:
        """Tokens that each plane takes for a turn, in the model [P]."""
        return 2 * np.pi / rope_planes.frequencies(self.lm.config.head_dim, self.own_base)

    @cached(64)
    def vectors(model: str, text: str, head: Pair) -> tuple[torch.Tensor, torch.Tensor]:
        """The head's queries and keys before RoPE, [T, D] each."""
        trace, base = shared.trace(model, text), rope_planes.own_base(shared.model(model).config)
        return run_in_worker(lambda: rope_planes.head_vectors(trace, *head, base), about(text))

    @cached_property
    def clocks(self) -> Clocks:
        """The query and the key at every step of the slider."""
        return self._clocks(self.base, self.chosen.moves, self.chosen.stride)

    def _clocks(self, base: float, moves: str, stride: int) -> Clocks:
        (q, k), (query, key) = self.vectors, self.chosen.pair
        scale = self.trace.specs[self.chosen.head[0]].scale
        return rope_planes.clocks(q[query], k[key], (query, key), base, scale=scale, moves=moves, stride=stride)

    @cached_property
    def model_score(self) -> float:
        """The model's own scaled score of the pair, from the kernel that draws its maps; no mask."""
        q, k, _ = self.trace.qk(*self.chosen.head)
        rows, cols = (slice(at, at + 1) for at in self.chosen.pair)
        scale = self.trace.specs[self.chosen.head[0]].scale
        return kernels.attention_scores(
            q[None, None], k[None, None], rows=rows, cols=cols, causal=False, scale=scale
        ).item()

    @property
    def rows(self) -> slice:
        """Positions whose rotation is drawn: those around the query."""
        return rope_steps.shown_rows(len(self.trace), self.chosen.pair[0])

    @cached_property
    def rotation(self) -> Rotation:
        """Every matrix between the queries of the rows that are drawn and their rotation."""
        return rope_planes.rotation(self.vectors[0][self.rows], self.base, self.chosen.layout, self.rows.start)

    def run(self, how: str) -> Trace:
        """A real pass with other positions; OWN is the pass that all pages share."""
        return _run(self.chosen.model, self.chosen.text, self.base if how == BASE else self.own_base, how)

    def mean_loss(self, how: str) -> float:
        """The mean loss of such a pass in nats per token; NaN for a text of one token."""
        losses = self.run(how).loss_per_token()
        return losses.mean().item() if len(losses) else float("nan")

    def agreement(self, how: str) -> float:
        """Share of the positions whose most probable next token is that of the model as trained."""
        return float((self.run(how).logits.argmax(-1) == self.trace.logits.argmax(-1)).float().mean())

    @cached_property
    def next_tokens(self) -> tuple[list[str], np.ndarray, np.ndarray]:
        """The likeliest tokens after the query, with their probabilities under the right and the wrong layout."""
        p, q = (self.run(how).probabilities(self.chosen.pair[0]) for how in (OWN, HALF))
        ids = (p + q).topk(LIKELIEST).indices.tolist()
        return output_names(self.lm.tokenizer, ids), p[ids].numpy(), q[ids].numpy()

    def continued(self, how: str) -> str:
        """What the model writes next with such positions, always taking the most probable token."""
        return _continued(self.chosen.model, self.chosen.text, how)

    @cached(32)
    def energy(model: str, text: str) -> np.ndarray:
        """How far each plane of each head could move a score, [L, H, P]."""
        trace = shared.trace(model, text)
        return run_in_worker(lambda: rope_planes.energy(trace), about(text))

    @cached(64)
    def spread(model: str, text: str, head: Pair) -> np.ndarray:
        """How far each plane of the head tells keys apart, [P]."""
        trace = shared.trace(model, text)
        return run_in_worker(lambda: rope_planes.spread(trace, *head), about(text))

    @cached_property
    def by_distance(self) -> dict[str, Curves]:
        """Rotation -> mean score by distance of the text's own pairs, and of all its pairs at every distance."""
        chosen, bases = self.chosen, {OWN: self.own_base, OFF: None, BASE: self.base}
        return {
            how: _by_distance(chosen.model, chosen.text, chosen.head, base, how if chosen.everywhere else OWN)
            for how, base in bases.items()
        }

    @property
    def checks(self) -> list[Check]:
        """The identity of the chosen part, and those of RoPE on this text."""
        return [*_OF_PART[self.chosen.part](self), *_checks(self.chosen.model, self.chosen.text)]

    def planes_are_the_score(self) -> list[Check]:
        """At the true positions and with the model's own base, whatever the slider moves."""
        here = self._clocks(self.own_base, BOTH, 1)
        return [positions_planes.planes_are_the_score(here, self.model_score)]


_OF_PART = {
    CLOCKS: Data.planes_are_the_score,
    STEPS: lambda data: [positions_planes.steps_are_the_kernel(data.vectors[0], data.base, data.chosen.layout)],
    LAYOUTS: lambda data: [positions_planes.reordered_rows_are_right(data.run(OWN), data.run(PERMUTED))],
    HEADS: lambda data: [],
}


def _run(model: str, text: str, base: float, how: str) -> Trace:
    return shared.trace(model, text) if how == OWN else _other_run(model, text, base, how)


@st.cache_resource(max_entries=12, show_spinner=False)
def _other_run(model: str, text: str, base: float, how: str) -> Trace:
    lm = shared.model(model)
    positions = rope_runs.variants(lm, base)[how]
    return run_in_worker(lambda: lm.trace(text, positions=positions), about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def _continued(model: str, text: str, how: str) -> str:
    lm, trace = shared.model(model), shared.trace(model, text)
    positions = rope_runs.variants(lm, NOTES_BASE)[how]
    ids = run_in_worker(lambda: rope_runs.continue_greedily(lm, trace.ids, positions, CONTINUED), about(text))
    return lm.tokenizer.decode(ids)


@st.cache_resource(max_entries=128, show_spinner=False)
def _by_distance(model: str, text: str, head: Pair, base: float | None, how: str) -> Curves:
    """Rotation by `base` in place of the model's own: in the head, which keeps its queries and keys, or in the pass
    `how`."""
    own = rope_planes.own_base(shared.model(model).config)
    trace = _run(model, text, own if base is None else base, how)
    spec, length = trace.specs[head[0]], len(trace)

    def work() -> Curves:
        q, k = rope_planes.head_vectors(trace, *head, own if how == OWN else base)
        every = rope_planes.mean_of_all_pairs(q, k, base, min(spec.mask.window or length, length), spec.scale)
        return rope_planes.mean_by_distance(*rope_planes.turned(q, k, base), spec.scale, spec.mask.window), every

    return run_in_worker(work, about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def _checks(model: str, text: str) -> list[Check]:
    lm, trace = shared.model(model), shared.trace(model, text)
    return run_in_worker(lambda: measure(position_checks, lm, trace), about(text))
