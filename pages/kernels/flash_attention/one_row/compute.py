"""Everything the part One row computes: the model's own row, cached, and the checks of the five algorithms on a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz import kernels
from tlmviz.analysis.kernels import online_softmax
from tlmviz.checks import Check, kernels_rows
from tlmviz.ui import compute

from ..controls import Choice


@dataclass(frozen=True)
class Row:
    """One query's logits [N] and values [N, D] with the keys' tokens, the last N of those the query sees."""

    x: np.ndarray
    v: np.ndarray
    tokens: list[str]
    first: int  # position of the first key
    visible: int  # keys the query sees in all

    def with_logits(self, logits: Sequence[float]) -> Row:
        """The first keys of this row with other logits [M], M <= N."""
        x = np.array(logits, dtype=np.float32)
        return Row(x, self.v[: len(x)], self.tokens[: len(x)], self.first, self.visible)


@st.cache_resource(max_entries=64, show_spinner=False)
def model_row(choice: Choice) -> Row:
    """The model's own row: at most the last 64 of the keys that a query sees."""
    trace, layer, head = choice.trace, choice.layer, choice.head

    def work() -> Row:
        q, k, _ = trace.qk(layer, head)
        spec = trace.specs[layer]
        scores = kernels.attention_scores(
            q[None, None],
            k[None, None],
            spec.mask.of_heads(slice(head, head + 1)),
            rows=slice(choice.query, choice.query + 1),
            scale=spec.scale,
        )[0, 0, 0]
        visible = torch.isfinite(scores).nonzero().flatten()
        keys = visible[-online_softmax.LONGEST :]
        v = trace[f"blocks.{layer}.attn.v"][0]
        v = v[head * v.shape[0] // trace.n_heads]
        tokens = [trace.tokens[i] for i in keys.tolist()]
        return Row(scores[keys].numpy(), v[keys].numpy(), tokens, int(keys[0]), len(visible))

    return compute.run_in_worker(work, compute.about(choice.text))


def checks(walks: tuple[online_softmax.Walk, ...]) -> list[Check]:
    """The online algorithms against float64, and naive against online where naive does not overflow."""
    result = [kernels_rows.online_is_softmax(walks), kernels_rows.one_pass_is_attention(walks)]
    if walks[0].finite:
        result.append(kernels_rows.naive_is_online(walks))
    return result
