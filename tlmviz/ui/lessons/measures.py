"""What several lessons measure: the likeliest words, where a head looks, what it adds, and what is left without it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures.tokens import readable
from tlmviz.figures.written import percent
from tlmviz.tracing.trace import Recording, Trace

from ..language import N_, _
from .parts import Unfit

Head = tuple[int, int]  # layer, head
HALF = 65_504  # the largest number of 16 bits: (2 − 2⁻¹⁰) · 2¹⁵
Valued = list[tuple[str, float]]
NOTER: Head = (4, 2)  # of stories-rope: looks one token back, from nearly every word


def word(token: str) -> str:
    """A token as a sentence names it."""
    return readable(token).strip()


def little(share: float) -> str:
    """A share in words, as a sentence has it."""
    return _("under 1%") if share < 0.005 else percent(share)


def words_at(tokens: Sequence[str]) -> list[int]:
    """Where words stand: what can be tapped."""
    return [i for i, token in enumerate(tokens) if i and token.strip().isalnum()]


def heads_of(trace: Trace) -> list[Head]:
    """All heads."""
    return [(layer, head) for layer in range(trace.n_layers) for head in range(trace.n_heads)]


def row(trace: Trace, head: Head, at: int = -1) -> list[float]:
    """How a head shares its look out, from the token `at` or the last."""
    at = at % len(trace)
    return [float(weight) for weight in trace.attention(*head, slice(at, at + 1))[0]]


def without(lm: LanguageModel, text: str, *heads: Head) -> Trace:
    """A pass with heads silenced."""
    return lm.trace(text, edit=mute_heads(heads))


def rewritten(lm: LanguageModel, text: str, head: Head, notes: Mapping[int, int | None]) -> Trace:
    """A pass in which a head writes at some tokens what it wrote at others, or nothing: token -> token or None."""
    layer, at = head

    def edit(z: Tensor, _record: Recording) -> Tensor:  # [B, H, T, D]
        edited = z.clone()
        for to, of in notes.items():
            edited[:, at, to] = 0 if of is None else z[:, at, of]
        return edited

    return lm.trace(text, edit={f"blocks.{layer}.attn.z": edit})


def named(lm: LanguageModel, values: Tensor, count: int, tokens: Iterable[int] | None = None) -> Valued:
    """The pieces with the largest values, those that read alike once; or, in their order, some `tokens`."""
    found: dict[str, tuple[str, float]] = {}
    for token in values.topk(4 * count).indices.tolist() if tokens is None else tokens:
        name = word(lm.tokenizer.name(token))
        found.setdefault(name.lower(), (name, float(values[token])))
    return list(found.values())[:count]


def repeated(lm: LanguageModel, trace: Trace, least: float) -> tuple[int, int]:
    """The likeliest next token, and where it followed an earlier token like the last. Raises Unfit where it did not, or
    where its share is less than `least`."""
    ids, chances = trace.ids, trace.probabilities()
    after = [i for i in words_at(trace.tokens)[1:] if ids[i - 1] == ids[-1]]
    if not after:
        raise Unfit(N_("Your sentence repeats nothing: its last word must stand in it before."))
    best = int(chances.argmax())
    places = [i for i in after if ids[i] == best]
    guess, sure = word(lm.tokenizer.name(best)), float(chances[best])
    if not places:
        followed = word(trace.tokens[after[-1]])
        raise Unfit(
            N_(
                "The model guesses “{guess}”, not “{followed}”, which followed last time: the pair does not always win."
            ),
            guess=guess,
            followed=followed,
        )
    if sure < least:
        raise Unfit(
            N_("The model guesses “{guess}”, as this lesson needs, but is only {sure} sure."),
            guess=guess,
            sure=percent(sure),
        )
    return best, places[-1]


def writes(lm: LanguageModel, trace: Trace, head: Head) -> Tensor:
    """The row that a head writes at the last token."""
    layer, at = head
    network: Any = lm.on_cpu.network
    w_o = network.blocks[layer].attn.proj.weight.unflatten(1, (trace.n_heads, -1))[:, at]
    return torch.as_tensor(w_o @ trace[f"blocks.{layer}.attn.z"][0, at, -1])


def adds(lm: LanguageModel, trace: Trace, head: Head) -> Tensor:
    """What a head adds to the score of every piece after the last token, the final norm's scale held fixed (RMSNorm, no
    biases); of one piece, what `attribute_logit` says."""
    network: Any = lm.on_cpu.network
    stream = trace[f"blocks.{trace.n_layers - 1}.resid_post"][0, -1]
    scale = (stream.square().mean() + network.norm.eps).sqrt()
    return torch.as_tensor(network.head.weight @ (network.norm.weight * writes(lm, trace, head) / scale))


def brings(lm: LanguageModel, added: Tensor, count: int = 3) -> Valued:
    """The whole words to which most is added."""
    names = {token: lm.tokenizer.name(token) for token in added.topk(40).indices.tolist()}
    whole = [token for token, name in names.items() if name.startswith(" ") and name.strip().isalpha()]
    return named(lm, added, count, whole)


def shared_out(scores: Sequence[float], divisor: float = 1.0) -> list[float]:
    """Softmax of scores that are divided by a number first."""
    most = max(scores)
    parts = [math.exp((score - most) / divisor) for score in scores]
    return [part / sum(parts) for part in parts]


def exchanged(lm: LanguageModel, text: str, head: Head, one: int, other: int) -> Trace:
    """A pass in which two tokens have each other's value in a head, and nothing else of each other."""

    def edit(v: Tensor, record: object) -> Tensor:  # [B, H, T, D]
        v = v.clone()
        v[:, head[1], [one, other]] = v[:, head[1], [other, one]]
        return v

    return lm.trace(text, edit={f"blocks.{head[0]}.attn.v": edit})


def unit_products(trace: Trace) -> Tensor:
    """The products [n, D] of every query with every key that it may see, of all heads; in each head a typical one is
    1."""
    pairs, found = torch.tril_indices(len(trace), len(trace)), []
    for head in heads_of(trace):
        q, k, _ = trace.qk(*head)
        products = q.double()[pairs[0]] * k.double()[pairs[1]]
        found.append(products / products.square().mean().sqrt())
    return torch.cat(found)
