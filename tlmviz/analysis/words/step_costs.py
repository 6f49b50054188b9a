"""What one step costs: multiplications counted, and time measured on tables of the model's size."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from tlmviz.protocols import WordVectorsLike

from . import gradients, huffman

ROUNDS, STEPS = 9, 12  # minima, and the steps that each is the fastest of


@dataclass(frozen=True)
class Cost:
    """One method's step for one pair: output vectors that it reads and moves, multiplications, and microseconds
    measured.

    A score, a share of the gradient and a move take C multiplications each for every output. `microseconds` [R] are
    minima of STEPS steps each, the methods taking turns.
    """

    name: str
    outputs: int
    multiplications: int
    microseconds: Float[np.ndarray, " r"]


def multiplications(outputs: int, width: int) -> int:
    """Three for each number of each output: score, gradient, move."""
    return 3 * outputs * width


@torch.inference_mode()
def costs(wv: WordVectorsLike, negatives: int, length: int) -> list[Cost]:
    """The full softmax, `negatives` draws, and a path of `length` nodes, on copies of a model's tables."""
    v, u = wv.vectors.clone(), wv.context_vectors.clone()
    size, width = u.shape
    works = {
        "Full softmax": (size, _full(v, u)),
        f"{negatives} negative sample{'s' * (negatives != 1)}": (1 + negatives, _chosen(v, u, 1 + negatives)),
        f"Path of {length} node{'s' * (length != 1)}": (length, _chosen(v, u, length)),
    }
    taken = np.array([[_fastest(work) for _, work in works.values()] for _ in range(ROUNDS + 1)])[1:]
    return [
        Cost(name, outputs, multiplications(outputs, width), taken[:, place])
        for place, (name, (outputs, _)) in enumerate(works.items())
    ]


def mean_path(wv: WordVectorsLike) -> int:
    """The decisions that a word takes on average in a Huffman tree of this vocabulary, rounded."""
    return round(huffman.huffman_tree(wv.counts).mean_length(wv.counts))


def _full(v: torch.Tensor, u: torch.Tensor) -> Callable[[], None]:
    seen = torch.zeros(1, len(u))
    seen[0, 1] = 1

    def step() -> None:
        result = gradients.softmax_gradients(v[:1], u, seen)
        v[:1].sub_(result.center, alpha=1e-6)
        u.sub_(result.context, alpha=1e-6)

    return step


def _chosen(v: torch.Tensor, u: torch.Tensor, outputs: int) -> Callable[[], None]:
    rows = torch.linspace(0, len(u) - 1, outputs).long()
    signs = -torch.ones(1, outputs)
    signs[0, 0] = 1

    def step() -> None:
        result = gradients.logistic_gradients(v[:1], u[rows][None], signs)
        v[:1].sub_(result.center, alpha=1e-6)
        u.index_add_(0, rows, result.context[0], alpha=-1e-6)

    return step


def _fastest(work: Callable[[], None]) -> float:
    """Microseconds of the fastest of STEPS."""
    taken = []
    for _ in range(STEPS):
        start = time.perf_counter()
        work()
        taken.append(1e6 * (time.perf_counter() - start))
    return min(taken)
