"""The Huffman tree of hierarchical softmax: frequent words get short paths (004 section 4.3)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

LEFT, RIGHT = 1, -1  # 004 Eq. 23


@dataclass(frozen=True)
class Path:
    """The way from the root to a word: the inner nodes passed [L], root first, and the turn at each, LEFT (1) or RIGHT
    (-1)."""

    nodes: tuple[int, ...]
    turns: tuple[int, ...]

    @property
    def code(self) -> str:
        """The turns as L and R."""
        return "".join("L" if turn == LEFT else "R" for turn in self.turns)


@dataclass(frozen=True)
class Tree:
    """A binary tree over V words: V - 1 inner nodes, numbered in the order they were made, the last one is the root.

    `children` [V-1, 2] holds each inner node's left and right child: below V a word, else inner node child - V.
    """

    children: Int[np.ndarray, "n 2"]

    @property
    def root(self) -> int:
        """The number of the root among the inner nodes."""
        return len(self.children) - 1

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Every word's path, by id."""
        size = len(self.children) + 1
        found: dict[int, Path] = {}
        waiting = [(self.root, Path((), ()))]
        while waiting:
            node, before = waiting.pop()
            for child, turn in zip(self.children[node].tolist(), (LEFT, RIGHT)):
                path = Path((*before.nodes, node), (*before.turns, turn))
                if child < size:
                    found[child] = path
                else:
                    waiting.append((child - size, path))
        return tuple(found[word] for word in range(size))

    @cached_property
    def padded(self) -> tuple[Int[Tensor, "v l"], Float[Tensor, "v l"]]:
        """All paths as tensors: nodes [V, L], 0 behind the end, and turns [V, L], 0 there."""
        longest = max(len(path.nodes) for path in self.paths)
        nodes, turns = (torch.zeros(len(self.paths), longest, dtype=torch.long), torch.zeros(len(self.paths), longest))
        for word, path in enumerate(self.paths):
            nodes[word, : len(path.nodes)] = torch.tensor(path.nodes)
            turns[word, : len(path.turns)] = torch.tensor(path.turns, dtype=torch.float32)
        return nodes, turns

    def mean_length(self, counts: Int[np.ndarray, " v"]) -> float:
        """The decisions that a word of the text takes, on average over the text."""
        lengths = np.array([len(path.nodes) for path in self.paths])
        return float((lengths * counts).sum() / counts.sum())


def huffman_tree(counts: Int[np.ndarray, " v"]) -> Tree:
    """The tree with the shortest mean path for these counts, two words at least. Equal counts are joined in order of
    id.

    Raises ValueError for fewer than two words, which need no decision.
    """
    if len(counts) < 2:
        raise ValueError(f"{len(counts)} words make no tree; give at least two.")
    size = len(counts)
    heap = [(int(count), word) for word, count in enumerate(counts)]
    heapq.heapify(heap)
    children = []
    for node in range(size, 2 * size - 1):
        (rare, right), (often, left) = heapq.heappop(heap), heapq.heappop(heap)
        children.append((left, right))
        heapq.heappush(heap, (rare + often, node))
    return Tree(np.array(children))


def log_probabilities(v: Float[Tensor, "b c"], nodes: Float[Tensor, "n c"], tree: Tree) -> Float[Tensor, "b v"]:
    """log Pr(w | c) of every word: the sum of log sigma(turn · node·v) along its path (004 Eq. 24), [B, V].

    One sweep from the root: what a node has, its children share.
    """
    decisions = v @ nodes.T  # [B, V-1]
    left = torch.nn.functional.logsigmoid(decisions)
    right = torch.nn.functional.logsigmoid(-decisions)
    size = len(tree.children) + 1
    reached = v.new_zeros(2 * size - 1, len(v))  # log probability of words, then of inner nodes
    # A child was made before its parent: going down the numbers visits parents first.
    for node in range(tree.root, -1, -1):
        for child, step in zip(tree.children[node].tolist(), (left, right)):
            reached[child] = reached[size + node] + step[:, node]
    return reached[:size].T
