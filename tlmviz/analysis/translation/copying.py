"""A translator with a pointer, token by token: how much of each token's probability is written, and how much is
copied."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from tlmviz.networks.seq2seq import Seq2Seq
from tlmviz.protocols import TranslatorLike
from tlmviz.recording import recording


@dataclass(frozen=True)
class Copied:
    """One pass over a source [S] and its translation [T] (004 Eq. 53).

    `g` is the gate, `a` the attention, `written` g p_vocab(y) and `copied` (1 - g) p_ptr(y) of each token y of the
    translation, in float64 from the states alone; `p` is what the network says of it.
    """

    g: Float[np.ndarray, " t"]
    a: Float[np.ndarray, "t s"]
    written: Float[np.ndarray, " t"]
    copied: Float[np.ndarray, " t"]
    p: Float[np.ndarray, " t"]

    @property
    def share(self) -> Float[np.ndarray, " t"]:
        """The part of each token's probability that the pointer gives, 0 to 1."""
        return self.copied / (self.written + self.copied)


@torch.inference_mode()
def read(mt: TranslatorLike, text: str, translation: list[int]) -> Copied:
    """A given translation read token by token; `mt` must have a pointer. Raises BadText."""
    network: Seq2Seq = mt.network
    source = np.array(mt.encode(text))
    table = network.token_emb.weight.double().cpu().numpy()
    state = network.start(torch.tensor([source.tolist()]))
    found: dict[str, list[np.ndarray]] = {name: [] for name in ("gate_logit", "a", "attentional_hidden")}
    p = []
    for token, following in zip([mt.tokenizer.end_of_text, *translation[:-1]], translation):
        with recording(lambda name: name in found) as record:
            logits, state = network.step(torch.tensor([token]), state)
        for name, values in found.items():
            values.append(record.values[name][0].double().cpu().numpy())
        p.append(float(logits[0].exp()[following]))
    gate, a, hidden = (np.array(values) for values in found.values())
    g, rest, target = 1 / (1 + np.exp(-gate[:, 0])), 1 / (1 + np.exp(gate[:, 0])), np.array(translation)
    logits_of = hidden @ table.T
    powers = np.exp(logits_of - logits_of.max(-1, keepdims=True))
    vocabulary = (powers / powers.sum(-1, keepdims=True))[np.arange(len(target)), target]
    return Copied(g, a, g * vocabulary, rest * pointed(a, source, target), np.array(p))


def pointed(
    a: Float[np.ndarray, "t s"], source: Int[np.ndarray, " s"], target: Int[np.ndarray, " t"]
) -> Float[np.ndarray, " t"]:
    """p_ptr of each target token: the attention on all places of the source where it stands."""
    return (a * (source == target[:, None])).sum(-1)


def tokens_of(name: str, pieces: list[str]) -> list[int]:
    """Which of a text's pieces write `name`: those with any of its characters, wherever it stands."""
    text, starts = "", []
    for piece in pieces:
        starts.append(len(text))
        text += piece
    ends = [*starts[1:], len(text)]
    places = [at for at in range(len(text)) if text.startswith(name, at)]
    return [
        i
        for i, (start, end) in enumerate(zip(starts, ends))
        if any(start < at + len(name) and at < end for at in places)
    ]
