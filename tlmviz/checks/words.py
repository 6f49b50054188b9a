"""The identities behind word vectors: what sums to 1, what a gradient is, what a vector is made of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from tlmviz.analysis.words import glove, gradients, ngrams
from tlmviz.analysis.words import pairs as windows
from tlmviz.analysis.words.reading import one_hot, unit_distances

from ..errors import BadText
from .registry import identity, once
from .result import largest, worst

if TYPE_CHECKING:
    from ..facades.word_vectors import WordVectors

MOST = 32  # different words of a text that are measured


def is_words(model: Any) -> bool:
    """Whether the model is one of word vectors."""
    return bool(model.task == "words")


def has_softmax(model: Any) -> bool:
    """Whether every word has a probability, by the softmax."""
    return is_words(model) and model.kind == "skipgram"


def has_tree(model: Any) -> bool:
    """Whether every word has a probability, by a Huffman tree."""
    return is_words(model) and model.kind == "hierarchical"


def has_parts(model: Any) -> bool:
    """Whether a word's vector is made of its n-grams'."""
    return is_words(model) and model.kind == "fasttext"


def has_biases(model: Any) -> bool:
    """Whether the model fits counts."""
    return is_words(model) and model.kind == "glove"


def known(wv: WordVectors, text: str) -> list[str]:
    """The text's different words that the model knows, at most MOST. Raises BadText for fewer than two."""
    words = list(dict.fromkeys(word for pair in wv.pairs(text, 1) for word in pair))
    if len(words) < 2:
        raise BadText(
            f"The text has fewer than two words that {wv.name} knows; give at least two everyday English words."
        )
    return words[:MOST]


def reading(wv: WordVectors, text: str) -> tuple[WordVectors, list[str]]:
    """(wv, words) of a text. Raises BadText."""
    return wv, once(known, wv, text)


@identity(
    "Softmax over words = 1",
    "the probabilities of all words around each word of the text sum to 1",
    1e-5,
    when=has_softmax,
    inputs=reading,
)
def softmax_sums_to_one(wv: WordVectors, words: list[str]) -> float:
    """sum_o Pr(o | c) = 1 (004 Eq. 4)."""
    return worst(torch.stack([wv.probabilities(word).sum() - 1 for word in words]))


@identity(
    "Tree sums to 1",
    "the leaves' products of decisions sum to 1 for each word of the text",
    1e-5,
    when=has_tree,
    inputs=reading,
)
def leaves_sum_to_one(wv: WordVectors, words: list[str]) -> float:
    """sum_w Pr(w | c) = 1 without any normalising (004 Eq. 25)."""
    return worst(torch.stack([wv.probabilities(word).sum() - 1 for word in words]))


@identity(
    "Probability = path product",
    "one sweep of the tree gives what each word's own path multiplies to",
    1e-5,
    "relative",
    when=has_tree,
    inputs=reading,
)
def sweep_is_the_product(wv: WordVectors, words: list[str]) -> float:
    """Pr(w | c) = prod_j sigma(turn_j n_j·v_c), decision by decision in float64 (004 Eq. 24, 26)."""
    nodes, errors = wv.node_vectors.double(), []
    swept = wv.probabilities(words[0])
    for word in words:
        path, v = wv.path(word), wv.vector(words[0]).double()
        product = 1.0
        for node, turn in zip(path.nodes, path.turns):
            product *= float(torch.sigmoid(turn * (nodes[node] @ v)))
        errors.append(float(swept[wv.index(word)]) / product - 1)
    return largest(errors)


@identity(
    "Vector = mean of parts",
    "each word's vector is the mean of its own row and its n-grams' rows",
    1e-5,
    when=has_parts,
    inputs=reading,
)
def vector_is_the_mean(wv: WordVectors, words: list[str]) -> float:
    """The mean over <, the n-grams and >, found and added up one by one in float64 (004 Eq. 17, as a mean)."""
    config, errors = wv.config, []
    for word in words:
        parts = ngrams.ngrams(word, config.shortest, config.longest)
        total = wv.network.vectors[wv.index(word)].double()
        for part in parts:
            total = total + wv.network.parts[ngrams.bucket(part, config.buckets)].double()
        errors.append(wv.vector(word).double() - total / (1 + len(parts)))
    return worst(torch.stack(errors))


@identity(
    "Gradient = autograd",
    "the written-out gradient of one pair is that of automatic differentiation",
    1e-8,
    "relative",
    when=is_words,
    inputs=reading,
)
def gradient_is_autograds(wv: WordVectors, words: list[str]) -> float:
    """The step that training takes for the text's first pair of words, in float64 (004 Eq. 12, 16, 19, 24)."""
    return largest([_gap(own, automatic) for own, automatic in GRADIENTS[wv.kind](wv, words[0], words[1])])


@identity(
    "Pairs = formula",
    "the windows of the text have as many pairs as counting says",
    0,
    "pairs",
    when=is_words,
    inputs=reading,
)
def pairs_by_formula(wv: WordVectors, words: list[str]) -> float:
    """T words and a window m below T make 2mT - m(m + 1) pairs; a wider window makes T(T - 1)."""
    t = len(words)
    m = min(wv.config.window, t - 1)
    return abs(len(wv.pairs(" ".join(words))) - (2 * m * t - m * (m + 1)))


def kept_words(wv: WordVectors, text: str) -> tuple[list[str], int]:
    """(words, window) of a text: those that the model knows, and its own window. Raises BadText."""
    return once(known, wv, text), wv.config.window


def only_words(wv: WordVectors, text: str) -> tuple[list[str]]:
    """(words,) of a text. Raises BadText."""
    return (once(known, wv, text),)


@identity(
    "Counts = pairs",
    "the matrix of co-occurrences holds what going through the pairs one by one counts",
    0,
    "pairs",
    when=is_words,
    inputs=kept_words,
)
def counts_are_pairs(words: list[str], window: int) -> float:
    """X_co is how often (c, o) is among the pairs of all windows (004 Eq. 5-6)."""
    vocabulary = list(dict.fromkeys(words))
    matrix = _counted(words, vocabulary, window)
    by_hand = Counter(windows.pairs(words, window))
    return largest(
        [
            float(matrix[i, j]) - by_hand[center, context]
            for i, center in enumerate(vocabulary)
            for j, context in enumerate(vocabulary)
        ]
    )


@identity(
    "Met from both sides", "the matrix of co-occurrences is symmetric", 0, "pairs", when=is_words, inputs=kept_words
)
def counts_are_symmetric(words: list[str], window: int) -> float:
    """X_co = X_oc: a word in another one's window has that one in its own."""
    matrix = _counted(words, list(dict.fromkeys(words)), window)
    return float(np.abs(matrix - matrix.T).max(initial=0))


@identity(
    "One-hot: all √2 apart",
    "every two of the words' one-hot vectors are √2 apart",
    1e-12,
    when=is_words,
    inputs=only_words,
)
def one_hot_is_root_two(words: list[str]) -> float:
    """|e_i - e_j| = sqrt(2) for i != j (004 section 2.1, Eq. 2)."""
    size = min(MOST, len(set(words)))
    distances = unit_distances(one_hot(size))
    return float(np.abs(distances - np.sqrt(2) * (1 - np.eye(size))).max(initial=0))


@identity(
    "Ratio = difference",
    "the logarithm of a fitted ratio is the difference of two words' vectors, times the probe's, and of their biases",
    1e-12,
    "of the largest logarithm",
    when=has_biases,
    inputs=reading,
)
def ratio_is_a_difference(wv: WordVectors, words: list[str]) -> float:
    """log X_ik - log X_jk = (w_i - w_j)·w~_k + b_i - b_j, in float64 (Pennington et al. 2014, Eq. 5)."""
    rows = [wv.index(word) for word in words]
    values = glove.fitted(wv, rows, rows)
    errors = [
        float(np.abs(glove.fitted_log_ratios(wv, rows[0], row, rows) - (values[0] - values[at])).max())
        for at, row in enumerate(rows)
    ]
    return largest(errors) / max(1.0, float(np.abs(values).max()))


@identity(
    "f(0) = 0, f ≤ 1",
    "a pair that never met has no weight, one that met x_max times or more has weight 1",
    0,
    when=has_biases,
    inputs=lambda wv, text: (wv,),
)
def weight_forgives_zero(wv: WordVectors) -> float:
    """f(0) = 0, so that log 0 is never asked for, and f(x) = 1 from x_max on (004 Eq. 21)."""
    x_max = wv.config.x_max
    ends = glove.weight(np.array([0.0, x_max, 10 * x_max]), x_max, wv.config.alpha)
    return float(np.abs(ends - [0, 1, 1]).max())


def _counted(words: list[str], vocabulary: list[str], window: int) -> np.ndarray:
    row = {word: number for number, word in enumerate(vocabulary)}
    ids = np.array([row[word] for word in words], np.int64)
    matrix: np.ndarray = windows.cooccurrence(ids, window, len(vocabulary), by_distance=False).toarray()
    return matrix


def _gap(own: Tensor, automatic: Tensor) -> float:
    return worst(own - automatic) / max(1e-12, worst(automatic))


def _softmax(wv: WordVectors, center: str, context: str) -> list[tuple[Tensor, Tensor]]:
    v, u = (part.double().clone().requires_grad_() for part in (wv.vector(center)[None], wv.context_vectors))
    (-torch.log_softmax(u @ v[0], -1)[wv.index(context)]).backward()
    seen = torch.zeros(1, len(u), dtype=torch.float64)
    seen[0, wv.index(context)] = 1
    step = gradients.softmax_gradients(v.detach(), u.detach(), seen)
    return [(step.center, _grad(v)), (step.context, _grad(u))]


def _decisions(wv: WordVectors, center: str, context: str) -> list[tuple[Tensor, Tensor]]:
    if wv.kind == "hierarchical":
        path = wv.path(context)
        rows, turns = wv.node_vectors[list(path.nodes)], path.turns
    else:  # the least frequent words stand for draws
        rows = torch.stack([wv.context_vector(word) for word in (context, *wv.vocabulary[-5:])])
        turns = (1, *[-1] * (len(rows) - 1))
    signs = torch.tensor([turns], dtype=torch.float64)
    v, u = (part.double().clone()[None].requires_grad_() for part in (wv.vector(center), rows))
    (-torch.log(torch.sigmoid(signs * (u[0] @ v[0]))).sum()).backward()
    step = gradients.logistic_gradients(v.detach(), u.detach(), signs)
    return [(step.center, _grad(v)), (step.context, _grad(u))]


def _glove(wv: WordVectors, center: str, context: str) -> list[tuple[Tensor, Tensor]]:
    i, j = [wv.index(center)], [wv.index(context)]
    rows = (wv.vectors[i], wv.context_vectors[j], wv.biases[0][i], wv.biases[1][j])
    leaves = [row.double().clone().requires_grad_() for row in rows]
    x = torch.tensor([3.0], dtype=torch.float64)  # the two met three times, say
    w, w_tilde, b, b_tilde = leaves
    weight = min(1.0, 3.0 / wv.config.x_max) ** wv.config.alpha
    (weight / 2 * ((w * w_tilde).sum() + b + b_tilde - x.log()) ** 2).backward()
    given = [leaf.detach() for leaf in leaves]
    step = gradients.glove_gradients(given[0], given[1], given[2], given[3], x, wv.config.x_max, wv.config.alpha)
    return [(own, _grad(leaf)) for own, leaf in zip(step[1:], leaves)]


def _grad(leaf: Tensor) -> Tensor:
    assert leaf.grad is not None
    return leaf.grad


GRADIENTS = {
    "skipgram": _softmax,
    "negative": _decisions,
    "cbow": _decisions,
    "fasttext": _decisions,
    "hierarchical": _decisions,
    "glove": _glove,
}
