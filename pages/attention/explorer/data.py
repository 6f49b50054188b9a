"""Everything that the page Attention explorer shows beside the shared passes: rescaled rows, changed predictions,
downloads."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.attention.attribution import Attribution, attribute_logit, can_attribute
from tlmviz.analysis.attention.flow import Flow, follow
from tlmviz.analysis.attention.heads import kl_divergence, score_gradient
from tlmviz.analysis.attention.scores import row_measures
from tlmviz.checks import Check, attention_flow
from tlmviz.errors import NoNetwork
from tlmviz.tokens import output_names
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import inputs
from tlmviz.ui.looking import Look

from .state import FACTORS, Explorer

LARGEST = 8  # entries of p - y that are drawn
ROWS = 64  # of a map, at most, over which the curves of the scale are averaged


@dataclass(frozen=True)
class Rescaled:
    """One map under other scales: mean entropy and gradient over factors, and the pinned row's at the chosen factor."""

    factors: np.ndarray  # [F]
    entropy: np.ndarray  # [F] bits
    gradient: np.ndarray  # [F]
    trained_entropy: float  # of the pinned row at factor 1, bits
    row_entropy: float
    row_gradient: float
    row: torch.Tensor  # [S] masked scores of the pinned query


@dataclass(frozen=True)
class Change:
    """What an intervention does to the predictions: probabilities before and after, divergence and loss."""

    tokens: list[str]
    before: np.ndarray
    after: np.ndarray
    kl_here: float
    kl_mean: float
    loss: float


@dataclass(frozen=True)
class LossGradient:
    """The largest entries of p - y over the next-token logits [K], by name, before and after an intervention.

    `target` is the token that really follows `token`, and `p` its probability before the intervention.
    """

    tokens: list[str]
    token: str
    target: str
    p: float
    before: np.ndarray
    after: np.ndarray


@dataclass(frozen=True)
class Data(shared.TextRead):
    """A text read by a model, and what the attention view shows of it."""

    chosen: Explorer

    @cached_property
    def query(self) -> int:
        """The pinned query, or the last token."""
        return len(self.trace) - 1 if self.chosen.view.query is None else self.chosen.view.query

    @property
    def pair(self) -> tuple[int, int]:
        """The pinned query and key, also a key that the query does not see; unpinned, the query and its largest
        weight's key."""
        view = self.chosen.view
        return (
            (view.query, view.key)
            if view.query is not None and view.key is not None
            else inputs.pinned(self.trace, view)
        )

    @cached_property
    def row(self) -> np.ndarray:
        """The chosen head's weights from the query."""
        return self.trace.attention(*self.chosen.view.head, slice(self.query, self.query + 1))[0].float().numpy()

    @property
    def is_text(self) -> bool:
        """Whether it is one text that reads itself: no image, and no other text."""
        return not self.trace.crosses and self.trace.patches is None

    @cached_property
    def expected(self) -> tuple[int, float] | None:
        """The likeliest next token, and its probability; a file has none."""
        try:
            p = self.trace.probabilities(self.query)
        except NoNetwork:
            return None
        return int(p.argmax()), float(p.max())

    @cached_property
    def look(self) -> Look | None:
        """The chosen head's row beside what is expected; None where no text is continued."""
        if not self.is_text or self.lm.task != "language" or self.expected is None:
            return None
        chosen = self.chosen
        return Look(chosen.model, chosen.text, chosen.view.head, self.query, self.row, self.expected)

    @cached_property
    def without(self) -> tuple[float, int, float] | None:
        """Without the muted heads: the probability of what all heads expect, the likeliest next token, and its
        probability. None while none is muted, and where nothing can be."""
        chosen = self.chosen
        if not chosen.view.mute or self.expected is None or self.lm.task != "language":
            return None
        p = shared.trace(chosen.model, chosen.text, chosen.view.mute, chosen.how).probabilities(self.query)
        return float(p[self.expected[0]]), int(p.argmax()), float(p.max())

    @property
    def attribution(self) -> Attribution | None:
        """What each head and MLP adds to the logit of the word that is asked about; None while none is, or where it is
        no sum."""
        word, lm = self.chosen.word, self.lm
        if word is None or lm.task != "language" or word >= lm.config.vocab_size or not can_attribute(lm, self.trace):
            return None
        return _attribution(self.chosen.model, self.chosen.text, self.query, word)

    @property
    def target(self) -> tuple[int, bool]:
        """The position whose prediction is followed, and whether it is held there: the pinned one is not."""
        held = self.chosen.follows
        return (self.query, False) if held is None or held >= len(self.trace) else (held, True)

    def flow(self, position: int, token: int) -> Flow:
        """What flows to one token's logit after one position."""
        return _flow(self.chosen.model, self.chosen.text, position, token)

    def flow_check(self, position: int) -> Check:
        """Whether the streams at a position are the sums of the parts that flow is shared among."""
        return _flow_check(self.chosen.model, self.chosen.text, position)

    def rescale(self, factor: float) -> Rescaled:
        """The chosen head's rows with their scores times every factor."""
        trace, (layer, head) = self.trace, self.chosen.view.head
        scores = trace.scores(layer, head, "masked")
        rows = torch.linspace(0, len(trace) - 1, min(ROWS, len(trace))).long()
        factors = np.geomspace(FACTORS[0], FACTORS[-1], 33)
        entropy, gradient = zip(*(row_measures(scores[rows] * f) for f in factors))
        row = scores[self.query]
        return Rescaled(
            factors,
            np.array(entropy),
            np.array(gradient),
            row_measures(row[None])[0],
            *row_measures(row[None] * factor),
            row,
        )

    def changed(self, after: Trace) -> Change:
        """The predictions after the pinned token, before and after an intervention."""
        before, lm = self.trace, self.lm
        p, q = before.probabilities(self.query), after.probabilities(self.query)
        ids = torch.stack((p, q)).amax(0).topk(8).indices.tolist()
        kl = kl_divergence(before.logits, after.logits)
        loss = (after.loss_per_token() - before.loss_per_token()).mean().item() if len(before) > 1 else 0.0
        names = output_names(lm.tokenizer, ids)
        return Change(names, p[ids].numpy(), q[ids].numpy(), kl[self.query].item(), kl.mean().item(), loss)

    def loss_gradient(self, after: Trace) -> LossGradient | None:
        """p - y of the loss after the pinned token, before and after an intervention; None for a text of one token.

        Nothing follows the last token: the one before it stands in.
        """
        trace, lm = self.trace, self.lm
        query = min(self.query, len(trace) - 2)
        if query < 0:
            return None
        target = trace.ids[query + 1]
        before, changed = (score_gradient(one.probabilities(query), target) for one in (trace, after))
        ids = before.abs().maximum(changed.abs()).topk(LARGEST).indices.tolist()
        names = [lm.tokenizer.name(i) for i in ids]
        p = 1 + before[target].item()
        return LossGradient(
            names, trace.tokens[query], lm.tokenizer.name(target), p, before[ids].numpy(), changed[ids].numpy()
        )

    def map_csv(self) -> bytes:
        """The chosen map as CSV, a row per query, a column per key: of its own text, or of the one that it reads."""
        import pandas as pd

        trace, (layer, head) = self.trace, self.chosen.view.head
        texts = trace.tokens, trace.key_tokens
        rows, columns = ([f"{i}:{token}" for i, token in enumerate(tokens)] for tokens in texts)
        table = pd.DataFrame(trace.attention(layer, head).numpy(), index=rows, columns=columns)
        return table.to_csv(index_label="from \\ to").encode()

    def trace_npz(self) -> bytes:
        """The whole trace as a NumPy archive: ids, q, k, v, lse, logits."""
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **self.trace.arrays())
        return buffer.getvalue()


@st.cache_resource(max_entries=32, show_spinner=False)
def _attribution(model: str, text: str, query: int, token: int) -> Attribution:
    lm, trace = shared.model(model), shared.trace(model, text)
    return shared.run_in_worker(lambda: attribute_logit(lm, trace, query, token), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _flow(model: str, text: str, position: int, token: int) -> Flow:
    lm, trace = shared.model(model), shared.trace(model, text)
    return shared.run_in_worker(lambda: follow(lm, trace, position, token), len(trace))


@st.cache_resource(max_entries=32, show_spinner=False)
def _flow_check(model: str, text: str, position: int) -> Check:
    lm, trace = shared.model(model), shared.trace(model, text)
    return shared.run_in_worker(lambda: attention_flow.stream_is_its_parts(lm, trace, position), len(trace))
