"""What a model and its modules predict several tokens ahead, and how often they are right (DeepSeek-V3, section
2.2)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from torch import Tensor

from ...caches import ContiguousCache
from ...errors import BadCheckpoint
from ...networks.mtp import LooksAhead, MTPNetwork, ParallelMTPNetwork

MEASURED = "ahead.csv"  # in the model's folder: what training measured on held-out stories
# least and most: bits per byte of the best and the worst of so many seeds
COLUMNS = ("model", "depth", "nats", "accuracy", "stays", "bits_per_byte", "least", "most", "seeds")


@dataclass(frozen=True)
class Chain:
    """What is predicted from one position on: by the model, then by each module, which reads what the one before said.

    `read[k]` is the token that the k-th reads (k = 0: the model, the position's own token) and `predicted[k]` [V] its
    distribution for the token after it.
    """

    read: tuple[int, ...]
    predicted: tuple[Tensor, ...]

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The most probable token of each."""
        return tuple(torch.stack(self.predicted).argmax(-1).tolist())


@torch.inference_mode()
def given_chains(network: LooksAhead, ids: list[int]) -> list[Chain]:
    """At every position the chain that reads the text's own tokens, as in training: shorter where the text ends.

    Heads side by side read no further token: theirs are what `own_chains` says.
    """
    if isinstance(network, ParallelMTPNetwork):
        return own_chains(network, ids)
    given = torch.tensor([ids])
    rows = [logits[0].softmax(-1) for logits in network.logits_ahead(network.read(given), given)]
    chains = []
    for place in range(len(ids)):
        there = [p[place] for p in rows if place < len(p)]
        chains.append(Chain(tuple(ids[place : place + len(there)]), tuple(there)))
    return chains


@torch.inference_mode()
def own_chains(network: LooksAhead, ids: list[int]) -> list[Chain]:
    """At every position the chain that reads what it predicted itself, as in decoding: nothing of the text beyond is
    read. Heads side by side read the position's own token, each of them.
    """
    return _side_by_side(network, ids) if isinstance(network, ParallelMTPNetwork) else _chained(network, ids)


def _side_by_side(network: ParallelMTPNetwork, ids: list[int]) -> list[Chain]:
    hidden = network.read(torch.tensor([ids]))[0]
    rows = [network.unembed(hidden), *(head(hidden) for head in network.ahead)]
    chances = torch.stack(rows).softmax(-1)
    return [Chain((token,) * len(rows), tuple(chances[:, place])) for place, token in enumerate(ids)]


def _chained(network: MTPNetwork, ids: list[int]) -> list[Chain]:
    """At position i the k-th module needs keys and states of tokens up to i, which a pass over the text made, and its
    own of the last k - 1 positions, where it reads predicted tokens. Positions go backwards, so that what one writes
    into the caches never stands before another.
    """
    given, states, caches = torch.tensor([ids]), [], []
    states.append(network.read(given))
    for depth in range(1, len(network.ahead) + 1):
        caches.append(ContiguousCache(1))
        reads = given[:, depth:]
        if reads.shape[1]:
            states.append(network.step(depth, states[-1][:, : reads.shape[1]], reads, caches[-1]))
        else:
            states.append(states[-1][:, :0])
    own = network.unembed(states[0][0]).softmax(-1)
    angles = network.positions.at(0).cos_sin(torch.arange(len(ids), device=network.device))
    chains = []
    for place in reversed(range(len(ids))):
        read, predicted, hidden = [ids[place]], [own[place]], states[0][:, place : place + 1]
        for depth, cache in enumerate(caches, start=1):
            read.append(int(predicted[-1].argmax()))
            start = max(0, place - depth + 1)
            cache.cut(start)
            # Of the states before, one more was made of the text's tokens alone than of this module's own.
            hidden = torch.cat((states[depth - 1][:, start : place + 1 - hidden.shape[1]], hidden), 1)
            known = [*ids[: place + 1], *read[1:]]
            reads = torch.tensor([known[start + depth : place + depth + 1]])
            hidden = network.step(depth, hidden, reads, cache, angles)
            predicted.append(network.unembed(hidden[0, -1]).softmax(-1))
        chains.append(Chain(tuple(read), tuple(predicted)))
    return chains[::-1]


def accuracy(chains: list[Chain], ids: list[int]) -> list[tuple[int, int]]:
    """Of each depth how many of the predictions of a token that the text still has were right, and how many there
    were."""
    counts = []
    for depth in range(max((len(chain.predicted) for chain in chains), default=0)):
        right = [
            chain.first[depth] == ids[place + depth + 1]
            for place, chain in enumerate(chains)
            if depth < len(chain.predicted) and place + depth + 1 < len(ids)
        ]
        counts.append((sum(right), len(right)))
    return counts


def race(
    lm: Any, text: str, count: int, draft: Any, temperature: float, rounds: int
) -> tuple[list[float], list[float]]:
    """Tokens per second in some rounds by turns, slowest first: one token a pass, and with proposals. Raises
    BadText."""
    speeds: tuple[list[float], list[float]] = [], []
    for _ in range(rounds):
        for found, most in zip(speeds, (0, None)):
            began = time.perf_counter()
            said = lm.speculate(text, count, draft, ahead=most, temperature=temperature)
            found.append(max(1, len(said.ids)) / (time.perf_counter() - began))
    return sorted(speeds[0]), sorted(speeds[1])


def read_measured(folder: Path) -> pd.DataFrame:
    """What training measured on held-out stories, a line for each model and depth (COLUMNS). Raises BadCheckpoint."""
    try:
        frame = pd.read_csv(folder / MEASURED)
        return frame[list(COLUMNS)]
    except (OSError, ValueError, KeyError) as error:
        raise BadCheckpoint(f"{folder.name}/{MEASURED} cannot be read ({error}); train the model anew.") from error
