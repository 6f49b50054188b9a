"""What muting each expert does to the loss of a text."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace, keep_maps

from .edits import mute_experts


def ablation(lm: LanguageModelLike, trace: Trace) -> Float[np.ndarray, "l e"]:
    """By how much the mean loss of the text (nats per token) rises when one expert is muted, for each layer with
    experts and each expert: a pass each. 0 for a text of one token."""
    found = np.zeros((len(trace.expert_layers), lm.config.experts.count), np.float32)
    if len(trace) < 2:
        return found
    before = float(trace.loss_per_token().mean())
    for row, layer in enumerate(trace.expert_layers):
        for expert in range(found.shape[1]):
            edit = mute_experts(lm.config, [(layer, expert)])
            muted = lm.trace_ids(trace.ids, edit=edit, keep=keep_maps)
            found[row, expert] = float(muted.loss_per_token().mean()) - before
    return found
