"""Speculative decoding: something quick proposes tokens, and one pass of the model verifies all of them (Leviathan et
al. 2023).

What is written is what the model writes alone: greedily token for token, drawn with the same distribution.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from ..caches import ContiguousCache
from ..networks.mtp import MTPNetwork, ParallelMTPNetwork
from ..networks.transformer import TransformerLM
from .sampling import Sampling


@dataclass(frozen=True)
class Pass:
    """One pass of the model: what was proposed before it, and what came of it.

    `chances` are the proposer's probabilities of the `proposed` tokens, `accepted` how many of them, from the first on,
    stayed. `written` are those and one more that the model adds itself; the text may end within them.
    """

    proposed: tuple[int, ...]
    chances: tuple[float, ...]
    accepted: int
    written: tuple[int, ...]


@dataclass(frozen=True)
class Speculation:
    """A text written by speculative decoding. `ids` are its new tokens, `rounds` what came of each pass of the model,
    the first over the given text included."""

    text: str
    ids: list[int] = field(repr=False)
    rounds: list[Pass] = field(repr=False)

    @property
    def proposed(self) -> int:
        """How many tokens were proposed."""
        return sum(len(each.proposed) for each in self.rounds)

    @property
    def accepted(self) -> int:
        """How many of them stayed."""
        return sum(each.accepted for each in self.rounds)

    @property
    def passes(self) -> int:
        """How often the model was asked; writing alone, it is asked once for every token."""
        return len(self.rounds)


@dataclass(frozen=True)
class Proposal:
    """A proposed token, its probability where it was chosen, and, where it was drawn, the distribution q [V] it came
    from."""

    token: int
    chance: float
    q: Tensor | None = None


class Rule(Protocol):
    """How tokens are chosen, and which proposed ones may stay."""

    def pick(self, logits: Float[Tensor, " v"]) -> Proposal:
        """A token to propose."""

    def verify(self, logits: Float[Tensor, "n v"], proposed: Sequence[Proposal]) -> tuple[int, int]:
        """How many of n - 1 proposed tokens stay, by the model's logits at their places, and the token after those."""


class Greedy:
    """The most probable token; proposed ones stay while they are it."""

    def pick(self, logits: Float[Tensor, " v"]) -> Proposal:
        token = int(logits.argmax())
        return Proposal(token, float((logits[token] - logits.logsumexp(-1)).exp()))

    def verify(self, logits: Float[Tensor, "n v"], proposed: Sequence[Proposal]) -> tuple[int, int]:
        own = logits.argmax(-1).tolist()
        right = (each.token == token for each, token in zip(proposed, own))
        accepted = next((i for i, same in enumerate(right) if not same), len(proposed))
        return accepted, own[accepted]


class Drawn:
    """Tokens drawn by `sampling`; proposed ones stay by `reject`, so that every token written has the model's
    distribution."""

    def __init__(self, sampling: Sampling, seed: int = 0):
        self.sampling = sampling
        self.generator = torch.Generator().manual_seed(seed)

    def _distribution(self, logits: Float[Tensor, " v"]) -> Float[Tensor, " v"]:
        return self.sampling.filtered(logits).softmax(-1)

    def pick(self, logits: Float[Tensor, " v"]) -> Proposal:
        q = self._distribution(logits)
        token = int(torch.multinomial(q, 1, generator=self.generator))
        return Proposal(token, float(q[token]), q)

    def verify(self, logits: Float[Tensor, "n v"], proposed: Sequence[Proposal]) -> tuple[int, int]:
        p = torch.stack([self._distribution(row) for row in logits])
        if proposed:
            q = torch.stack([each.q for each in proposed if each.q is not None])
            tokens = torch.tensor([each.token for each in proposed])
            kept, drawn = reject(p[:-1], q, tokens, self.generator)
            if not kept.all():
                accepted = int(kept.int().argmin())
                return accepted, int(drawn[accepted])
        return len(proposed), int(torch.multinomial(p[-1], 1, generator=self.generator))


def reject(
    p: Float[Tensor, "n v"], q: Float[Tensor, "n v"], proposed: Int[Tensor, " n"], generator: torch.Generator
) -> tuple[Bool[Tensor, " n"], Int[Tensor, " n"]]:
    """Rejection sampling, row by row: tokens drawn from q become tokens with distribution p.

    A token x stays with probability min(1, p(x) / q(x)); in place of one that goes another is drawn, from the part of p
    above q. Returns which stayed, and all tokens. Source: Leviathan et al. 2023, section 2.3 and appendix A.1.
    """
    of_p, of_q = (rows.gather(-1, proposed[:, None])[:, 0] for rows in (p, q))
    kept = torch.rand(len(p), generator=generator, dtype=p.dtype) * of_q < of_p
    rest = (p - q).clamp_min(0)
    rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, p)  # p = q: nothing is ever rejected
    return kept, torch.where(kept, proposed, torch.multinomial(rest, 1, generator=generator)[:, 0])


class Proposer(Protocol):
    """What proposes tokens."""

    def propose(self, known: list[int], hidden: Float[Tensor, "1 t c"], rule: Rule, limit: int) -> list[Proposal]:
        """At most `limit` tokens to follow the `known` ones. `hidden` are the model's states of those it has read since
        the last call: of all known tokens but the newest."""


class Nothing:
    """Proposes nothing: plain decoding, a token a pass."""

    def propose(self, known: list[int], hidden: Float[Tensor, "1 t c"], rule: Rule, limit: int) -> list[Proposal]:
        return []


class Modules:
    """The model's own modules (`MTPNetwork.ahead`), one token each, with a cache each: self-speculative decoding.

    The first `most` modules are asked, each only while the product of the proposals' probabilities before it is at
    least `least`. At position i the k-th has read tokens up to i + k. Nothing is kept of what it did with tokens merely
    proposed.
    """

    def __init__(self, network: MTPNetwork, least: float = 0.0, most: int | None = None):
        self.network, self.least = network, least
        self.most = len(network.ahead) if most is None else most
        self.caches = [ContiguousCache(1) for _ in network.ahead]
        self.angles = network.positions.at(0).cos_sin(torch.arange(network.config.context, device=network.device))
        # Of each module: states [1, n, C] that it has still to read, from its cache's length on.
        self.waiting = [torch.empty(1, 0, network.config.d_model, device=network.device) for _ in network.ahead]

    def propose(self, known: list[int], hidden: Float[Tensor, "1 t c"], rule: Rule, limit: int) -> list[Proposal]:
        newest, chance, proposed = len(known) - 1, 1.0, []
        ids = list(known)
        for depth, cache in enumerate(self.caches, start=1):
            states = torch.cat((self.waiting[depth - 1], hidden), 1) if depth > 1 else hidden
            start = cache.length
            sure = max(0, newest - depth + 1)  # positions at which every token it reads is known
            if depth > min(self.most, limit) or chance < self.least:
                # What the module before made of known tokens waits until this one is asked again.
                self.waiting[depth - 1] = states[:, : max(0, newest - depth + 2) - start]
                break
            hidden = self.network.step(
                depth, states, torch.tensor([ids[start + depth : newest + depth]]), cache, self.angles
            )
            cache.cut(sure)
            self.waiting[depth - 1] = states[:, sure - start : max(0, newest - depth + 2) - start]
            proposed.append(rule.pick(self.network.unembed(hidden[0, -1]).cpu()))
            ids.append(proposed[-1].token)
            chance *= proposed[-1].chance
        return proposed


class ParallelHeads:
    """The model's own further heads (`ParallelMTPNetwork.ahead`), all asked at the last state that the model made.

    The first `most` are asked, each only while the product of the proposals' probabilities before it is at least
    `least`.
    """

    def __init__(self, network: ParallelMTPNetwork, least: float = 0.0, most: int | None = None):
        self.network, self.least = network, least
        self.most = len(network.ahead) if most is None else most

    def propose(self, known: list[int], hidden: Float[Tensor, "1 t c"], rule: Rule, limit: int) -> list[Proposal]:
        chance, proposed = 1.0, list[Proposal]()
        for head in self.network.ahead[: max(0, min(self.most, limit))]:
            if chance < self.least:
                break
            proposed.append(rule.pick(head(hidden[0, -1]).cpu()))
            chance *= proposed[-1].chance
        return proposed


class Draft:
    """A smaller model of the same vocabulary that writes ahead by itself, at most `most` tokens, while the product of
    their probabilities is at least `least`."""

    def __init__(self, network: TransformerLM, most: int = 4, least: float = 0.0):
        self.network, self.most, self.least = network, most, least
        self.cache = _cache(network)
        self.read: list[int] = []  # what the cache holds

    def propose(self, known: list[int], hidden: Float[Tensor, "1 t c"], rule: Rule, limit: int) -> list[Proposal]:
        same = next((i for i, (a, b) in enumerate(zip(self.read, known)) if a != b), len(self.read))
        self.cache.cut(min(same, len(known) - 1))
        self.read = self.read[: self.cache.length]
        ids, chance = list(known), 1.0
        proposed: list[Proposal] = []
        while len(proposed) < min(self.most, limit) and chance >= self.least:
            normed = self.network.read(torch.tensor([ids[self.cache.length :]]), self.cache)
            proposed.append(rule.pick(self.network.unembed(normed[0, -1]).cpu()))
            self.read = list(ids)
            ids.append(proposed[-1].token)
            chance *= proposed[-1].chance
        return proposed


def forgets(network: TransformerLM) -> bool:
    """Whether the network's cache can forget its newest positions; a ring has lost what they replaced."""
    return isinstance(network.new_cache(), ContiguousCache)


def _cache(network: TransformerLM) -> ContiguousCache:
    cache = network.new_cache()
    assert isinstance(cache, ContiguousCache)
    return cache


@torch.inference_mode()
def speculate(
    network: TransformerLM, ids: Sequence[int], count: int, proposer: Proposer, rule: Rule, ends: Collection[int]
) -> list[Pass]:
    """Continue `ids` by `count` tokens, fewer where one of `ends` comes first, and say what came of every pass.

    The passes' `written` tokens in a row are the text; the last pass may have written beyond `count` or an end.
    """
    cache, known, proposed = _cache(network), list(ids), list[Proposal]()
    passes: list[Pass] = []
    while True:
        new = known[cache.length :] + [each.token for each in proposed]
        hidden = network.read(torch.tensor([new]), cache)
        logits = network.unembed(hidden[0, len(new) - len(proposed) - 1 :]).cpu()
        accepted, token = rule.verify(logits, proposed)
        written = (*(each.token for each in proposed[:accepted]), token)
        tokens, chances = (tuple(getattr(each, part) for each in proposed) for part in ("token", "chance"))
        passes.append(Pass(tokens, chances, accepted, written))
        wrong = len(proposed) - accepted
        cache.cut(len(known) + accepted)
        known += written
        left = count - (len(known) - len(ids))
        if left <= 0 or any(token in ends for token in written):
            return passes
        # The model adds a token of its own to each pass: proposing the last one too would be for nothing.
        proposed = proposer.propose(known, hidden[:, : len(new) - wrong], rule, left - 1)
