"""What lesson 13 measures: a head's map, its last row tile by tile, and what a long text's map costs."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.analysis.kernels import roofline, tiling
from tlmviz.analysis.kernels.tiling import TileWalk, Visit
from tlmviz.checks import kernels_tiles
from tlmviz.facades.language_model import LanguageModel

from ..language import _
from .measures import Head, heads_of, shared_out, word

MODEL = "stories-rope"
STORY = "Tom saw a little bird. Then Anna saw the little"
HEAD: Head = (5, 0)  # looks for what followed the last word: in the second tile
SIDE = 4  # rows and columns of a tile of the story
LENGTH, WIDTH, TILE = 16_384, 64, (128, 64)  # a long text: words, width of a head, sides of a tile
CHIP = roofline.DEVICES[1]


@dataclass(frozen=True)
class Found:
    """A head's map and its scores for the last word, its walk over tiles, and how far all heads' outputs are from those
    of the whole softmax."""

    tokens: list[str]
    scores: list[float]
    weights: list[list[float]]  # the model's own, a row for each word
    whole: list[float]  # what comes out for the last word, of the whole softmax
    values: list[list[float]]  # of the first tile's words
    walk: TileWalk
    error: float  # of the largest value

    @property
    def names(self) -> list[str]:
        """The words; the sign in front of the text is the start."""
        return [_("(start)"), *map(word, self.tokens[1:])]

    @property
    def visits(self) -> list[Visit]:
        """The tiles of the last word's row, one after another."""
        return [each for each in self.walk.visits if each.block == len(self.walk.skipped) - 1]

    @property
    def best(self) -> int:
        """The token of the largest score."""
        return max(range(len(self.scores)), key=self.scores.__getitem__)

    @property
    def bring(self) -> int:
        """How many tiles there are up to that of the largest score."""
        return self.best // SIDE + 1

    def shares(self, tiles: int) -> list[float]:
        """Softmax over the words of so many tiles alone."""
        return shared_out(self.scores[: SIDE * tiles])

    def largest(self, tiles: int) -> float:
        """The largest score of so many tiles."""
        return float(self.visits[tiles - 1].m_i[-1])

    def sum(self, tiles: int) -> float:
        """What so many tiles add up to when their largest score is taken off."""
        return float(self.visits[tiles - 1].l_i[-1])

    def factor(self, tiles: int) -> float:
        """By what the sum before the last of so many tiles is multiplied."""
        return float(self.visits[tiles - 1].alpha[-1])

    def mixture(self, tiles: int) -> list[float]:
        """The values of so many tiles, each times its part, added up."""
        return [float(each) for each in self.visits[tiles - 1].acc[-1]]


def measure(lm: LanguageModel, text: str) -> Found:
    """All of it, in one pass: the tiles of every head are walked."""
    trace = lm.trace(text)
    inputs, walk, weights = kernels_tiles.tiles(trace, *HEAD, SIDE, SIDE)
    every = (kernels_tiles.tiles(trace, *head, SIDE, SIDE) for head in heads_of(trace))
    return Found(
        trace.tokens,
        (inputs.q[-1] @ inputs.k.T * inputs.scale).tolist(),
        weights.tolist(),
        (weights[-1].double().numpy() @ inputs.v).tolist(),
        inputs.v[:SIDE].tolist(),
        walk,
        max(tiling.tiled_against_full(*case) for case in every),
    )


def stored() -> roofline.Cost:
    """What a stored map of the long text costs, for one head."""
    return roofline.naive(LENGTH, WIDTH)


def tiled() -> roofline.Cost:
    """And what tiles cost, none of them skipped."""
    return roofline.tiled(LENGTH, WIDTH, *TILE, causal=False)
