"""One step of training looked into: which way the vectors move, and every score after a step of any length.

A step climbs the log-likelihood, as the notes do (004 Eq. 12). All methods are one formula: the vector v that predicts
has a score s_n = u_n·v with each output n, and e_n = d log Pr / d s_n says how the step wants that score changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from jaxtyping import Float, Int

from tlmviz.protocols import WordVectorsLike

from . import huffman
from .pairs import noise_distribution


@dataclass(frozen=True)
class Step:
    """A step in float64: the vector `v` [C], the `outputs` [N, C] it is compared with, and `error` [N], e_n.

    `rows` [N] says which outputs are the same vector, as one word may be drawn twice. `lift` is how far v moves for a
    rate of 1, in gradients: more than 1 where v is a mean in which a word stands twice.
    """

    v: Float[np.ndarray, " c"]
    outputs: Float[np.ndarray, "n c"]
    error: Float[np.ndarray, " n"]
    rows: Int[np.ndarray, " n"]
    lift: float = 1.0

    @cached_property
    def scores(self) -> Float[np.ndarray, " n"]:
        """u_n·v before the step."""
        return self.outputs @ self.v

    @cached_property
    def gradient(self) -> Float[np.ndarray, " c"]:
        """g = sum_n e_n u_n, of log Pr for v: u_o - E[u] of a softmax (004 Eq. 12)."""
        return self.error @ self.outputs

    @cached_property
    def toward(self) -> Float[np.ndarray, " n"]:
        """u_n·g: what each score gains for every unit that v moves along g."""
        return self.outputs @ self.gradient

    @cached_property
    def pull(self) -> Float[np.ndarray, " n"]:
        """How far each output moves along v: the errors of all rows that are this vector."""
        _, place = np.unique(self.rows, return_inverse=True)
        return np.bincount(place, self.error)[place]

    def moved_scores(self, rate: float, everything: bool = True) -> Float[np.ndarray, " n"]:
        """All scores after a step: v + rate lift g against u_n + rate pull_n v, or against u_n where v moves alone."""
        along = rate * self.lift
        after = self.scores + along * self.toward
        if everything:
            after = after + rate * self.pull * (self.v @ self.v + along * (self.v @ self.gradient))
        return after

    def moved(self, rate: float) -> tuple[Float[np.ndarray, " c"], Float[np.ndarray, "n c"]]:
        """The vectors themselves after a step in which all move."""
        return self.v + rate * self.lift * self.gradient, self.outputs + rate * self.pull[:, None] * self.v


def softmax_step(wv: WordVectorsLike, center: str, context: str) -> Step:
    """Skip-gram with the full softmax: e_w = [w = o] - Pr(w | c), every word an output (004 Eq. 12). Raises
    UnknownName."""
    v, u = _array(wv.vector(center)), _array(wv.context_vectors)
    error = -softmax(u @ v)
    error[wv.index(context)] += 1
    return Step(v, u, error, np.arange(len(u)))


def sampled_step(
    v: Float[np.ndarray, " c"], outputs: Float[np.ndarray, "n c"], rows: Int[np.ndarray, " n"], lift: float = 1.0
) -> Step:
    """Negative sampling: the first output was there, the others were drawn (004 Eq. 16). A draw of the first is left
    out."""
    return Step(v, outputs, _decided(outputs @ v, signs_of(rows)), rows, lift)


def tree_step(wv: WordVectorsLike, center: str, context: str) -> Step:
    """Hierarchical softmax: e_n = turn sigma(-turn s_n) for nodes on the path, 0 for others (004 Eq. 24). Raises
    UnknownName."""
    v, nodes = _array(wv.vector(center)), _array(wv.node_vectors)
    turns = path_signs(wv, context)
    return Step(v, nodes, _decided(nodes @ v, turns), np.arange(len(nodes)))


def path_signs(wv: WordVectorsLike, word: str) -> Float[np.ndarray, " n"]:
    """The turn at each inner node on the way to a word, 0 for nodes that are not on it. Raises UnknownName."""
    path = wv.path(word)
    signs = np.zeros(len(wv.tree.children))
    signs[list(path.nodes)] = path.turns
    return signs


def signs_of(rows: Int[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """+1 for the first row, -1 for those drawn, 0 for a draw of the first."""
    signs = -(rows != rows[0]).astype(np.float64)
    signs[0] = 1
    return signs


def _decided(scores: Float[np.ndarray, " n"], signs: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    return signs * sigmoid(-signs * scores)


def softmax(scores: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Shares that sum to 1."""
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def sigmoid(scores: Float[np.ndarray, " ..."]) -> Float[np.ndarray, " ..."]:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * (1 + np.tanh(0.5 * scores))


def softmax_loss(scores: Float[np.ndarray, " n"], target: int) -> float:
    """-log Pr of one output, in nats."""
    return float(np.logaddexp.reduce(scores) - scores[target])


def logistic_loss(scores: Float[np.ndarray, " n"], signs: Float[np.ndarray, " n"]) -> float:
    """-sum log sigma(sign score) over the decisions whose sign is not 0, in nats."""
    return float(np.logaddexp(0, -signs * scores)[signs != 0].sum())


def plane(
    first: Float[np.ndarray, " c"], second: Float[np.ndarray, " c"], spare: Float[np.ndarray, " c"]
) -> Float[np.ndarray, "2 c"]:
    """Two orthonormal axes of the plane that two vectors span: the first along `first`.

    Where the two lie on one line, or one is 0, `spare` takes the second one's part, and after it the coordinate axes.
    """
    axes: list[np.ndarray] = []
    for candidate in (first, second, spare, *np.eye(len(first))):
        rest = candidate.astype(np.float64)
        for axis in axes:
            rest = rest - (rest @ axis) * axis
        length = np.linalg.norm(rest)
        if length > 1e-9 * max(1.0, float(np.linalg.norm(candidate))):
            axes.append(rest / length)
        if len(axes) == 2:
            break
    return np.array(axes)


def draws(
    counts: Int[np.ndarray, " v"], power: float, negatives: int, seed: int
) -> tuple[Float[np.ndarray, " k"], Int[np.ndarray, " k"]]:
    """The throw of a seed: k even numbers of [0, 1), and the words in whose part of the line U^power they fall."""
    ends = torch.from_numpy(noise_distribution(counts, power).cumsum()).float()
    even = torch.rand(negatives, generator=torch.Generator().manual_seed(seed))
    return even.numpy(), torch.searchsorted(ends, even).clamp_(max=len(ends) - 1).numpy()


def bag(wv: WordVectorsLike, words: Sequence[str]) -> tuple[Float[np.ndarray, " c"], float]:
    """CBOW's mean of some words' vectors, and its `lift` where each word read moves by the whole gradient, as in
    word2vec.c."""
    rows = [wv.index(word) for word in words]
    _, times = np.unique(rows, return_counts=True)
    return _array(wv.vectors[rows]).mean(0), float((times**2).sum() / len(rows))


def tree_probabilities(scores: Float[np.ndarray, " n"], tree: huffman.Tree) -> Float[np.ndarray, " m"]:
    """Pr of reaching each leaf [V] and then each inner node [V-1], for the scores of the inner nodes (004 Eq. 24)."""
    size = len(tree.children) + 1
    reached = np.ones(2 * size - 1)
    left = sigmoid(scores)
    for node in range(tree.root, -1, -1):
        one, other = tree.children[node]
        reached[one], reached[other] = (reached[size + node] * left[node], reached[size + node] * (1 - left[node]))
    return reached


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().double().numpy()
