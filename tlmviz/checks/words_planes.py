"""The identities behind maps of vectors: what a plane of principal axes holds, and where an analogy's sum lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float
from torch import Tensor

from tlmviz.analysis.words import nearness, projection
from tlmviz.analysis.words.projection import Axes

from .registry import identity
from .words import is_words, known

if TYPE_CHECKING:
    from ..facades.word_vectors import WordVectors


def laid_out(wv: WordVectors, text: str) -> tuple[Tensor, Axes]:
    """(vectors, axes) of a model, whatever the text."""
    return wv.space, projection.principal_axes(wv.space)


def three_words(wv: WordVectors, text: str) -> tuple[Tensor]:
    """The vectors of a text's first three words, the first again where there are but two. Raises BadText."""
    words = known(wv, text)
    rows = [wv.index(word) for word in (*words, words[0])[:3]]
    return (wv.space[rows],)


@identity(
    "Axes hold their shares",
    "coordinates on the two axes vary by the shares that the title names, and not together",
    1e-9,
    when=is_words,
    inputs=laid_out,
)
def axes_hold_their_shares(vectors: Float[Tensor, "n c"], axes: Axes) -> float:
    """The covariance of the coordinates, over the variance of all numbers, is diag(share): a_k are eigenvectors."""
    coordinates = axes.place(vectors)
    rows = vectors.double().numpy()
    total = max(float(rows.var(0).sum()), 1e-300)
    centred = coordinates - coordinates.mean(0)
    return float(np.abs(centred.T @ centred / len(rows) / total - np.diag(axes.share)).max())


@identity(
    "Sum in the plane",
    "b − a + c lies in the plane through a, b and c, so the four are a parallelogram",
    1e-6,
    when=is_words,
    inputs=three_words,
)
def sum_lies_in_the_plane(vectors: Float[Tensor, "3 c"]) -> float:
    """What the plane's two directions leave of b - a + c, of unit vectors, seen from a (004 Eq. 1)."""
    a, b, c = nearness.unit(vectors.double())
    directions, origin = projection.plane_of(a, b, c)
    aim = nearness.analogy_vector(a, b, c).numpy() - origin
    return float(np.linalg.norm(aim - (aim @ directions.T) @ directions))
