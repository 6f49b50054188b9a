"""What a picture shows of a product O = X W' in few bits: each of the three in cells and by channel, and samples of
two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from .scaling import PER, TENSOR, Rounded, Scheme, rounded_product, sqnr

CELLS = 16_000  # of a map
CHANNELS = 4096  # that are drawn
SAMPLE = 16_000  # numbers that the browser rounds again and again
TAIL = 2_000  # of them the largest of all: what is cut decides about the error


@dataclass(frozen=True, eq=False)
class Part:
    """X, W or O: `values` and `errors` [R, C] in cells of `cell` numbers, of each the largest by size; and channels.

    A channel is a column of X and O, a row of W. Of channel `numbers[i]`: `loud` its largest |x|, `kept` its SQNR in
    decibels under the scheme and `plain` with one scale for all, both infinite where nothing is lost. `sqnr` is that of
    the whole.
    """

    shape: tuple[int, int]
    cell: tuple[int, int]
    values: Float[np.ndarray, "r c"]
    errors: Float[np.ndarray, "r c"]
    numbers: np.ndarray
    loud: Float[np.ndarray, " n"]
    kept: Float[np.ndarray, " n"]
    plain: Float[np.ndarray, " n"]
    sqnr: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers [n] of a matrix: the first `tail` are its largest, each of the rest stands for `weight` numbers.

    `scale` is S as one scale for the whole matrix has it.
    """

    values: Float[np.ndarray, " n"]
    tail: int
    weight: float
    scale: float


@dataclass(frozen=True, eq=False)
class Example:
    """One number of O: its row and column, O_s, S_X and S_W (None where they change within the sum), and what it should
    be."""

    row: int
    column: int
    coded: float | None
    scale_x: float | None
    scale_w: float | None
    kept: float
    exact: float


@dataclass(frozen=True, eq=False)
class Product:
    """All of one product: the parts "x", "w" and "o", samples of "x" and "w", and some numbers of O worked out."""

    parts: dict[str, Part]
    samples: dict[str, Sample]
    examples: list[Example]


def product_parts(x: Float[Tensor, "t k"], w: Float[Tensor, "n k"], scheme: Scheme) -> Product:
    """Round and multiply under a scheme, and under the same format with one scale for each matrix beside it."""
    under = rounded_product(x, w, scheme)
    plain = under if scheme.per == TENSOR else rounded_product(x, w, Scheme(scheme.format, TENSOR))
    parts = {
        "x": _part(x.T, under.x.restored.T, plain.x.restored.T, turned=True),
        "w": _part(w, under.w.restored, plain.w.restored),
        "o": _part(under.exact.T, under.kept.T, plain.kept.T, turned=True),
    }
    samples = {"x": sample(x, float(plain.x.scale)), "w": sample(w, float(plain.w.scale))}
    return Product(parts, samples, _examples(under))


def _part(exact: Tensor, kept: Tensor, plain: Tensor, turned: bool = False) -> Part:
    """Of a matrix whose rows are channels, drawn `turned` or as it is."""
    numbers = evenly(len(exact), CHANNELS)
    loud, here, one = exact[numbers], kept[numbers], plain[numbers]
    drawn = (exact.T, kept.T) if turned else (exact, kept)
    rows, columns = drawn[0].shape
    cell = cell_of(rows, columns)
    return Part(
        (rows, columns),
        cell,
        largest_of_cells(drawn[0], cell).numpy(),
        largest_of_cells(drawn[1] - drawn[0], cell).numpy(),
        numbers.numpy(),
        loud.abs().amax(-1).numpy(),
        sqnr(loud, here, -1).numpy(),
        sqnr(loud, one, -1).numpy(),
        float(sqnr(exact, kept)),
    )


def cell_of(rows: int, columns: int, most: int = CELLS) -> tuple[int, int]:
    """How many rows and columns share a cell of a map, so that it has `most` at most, about twice as many across as
    down."""
    high = wide = 1
    while -(-rows // high) * -(-columns // wide) > most:
        if rows / high >= columns / wide / 2:
            high += 1
        else:
            wide += 1
    return high, wide


def largest_of_cells(x: Float[Tensor, "r c"], cell: tuple[int, int]) -> Float[Tensor, "a b"]:
    """The number of largest size in every cell, with its sign."""
    high, wide = cell
    padded = F.pad(x, (0, -x.shape[1] % wide, 0, -x.shape[0] % high))
    most, least = (F.max_pool2d(each[None, None], cell)[0, 0] for each in (padded, -padded))
    return torch.where(most >= least, most, -least)


def sample(x: Float[Tensor, "r k"], scale: float, most: int = SAMPLE) -> Sample:
    """All numbers of a matrix, or the largest and every n-th of the others, as they lie."""
    flat = x.flatten()
    if len(flat) <= most:
        return Sample(flat.numpy(), len(flat), 1.0, scale)
    sizes, places = flat.abs().topk(TAIL)
    chosen = flat[evenly(len(flat), most - TAIL)]
    rest = chosen[chosen.abs() < sizes[-1]]
    weight = (len(flat) - TAIL) / max(1, len(rest))
    return Sample(torch.cat([flat[places], rest]).numpy(), TAIL, weight, scale)


def evenly(count: int, most: int) -> Tensor:
    """At most so many of the whole numbers below `count`, spread evenly over them."""
    taken = min(count, most)
    return torch.arange(taken) * (count - 1) // max(1, taken - 1)


def _examples(under: Rounded, count: int = 4) -> list[Example]:
    """Numbers of O from the largest by size to the median, worked out."""
    thinned = evenly(under.exact.numel(), CELLS)  # the largest of all beside them
    flat = under.exact.abs().flatten()
    order = thinned[flat[thinned].argsort(descending=True)]
    order = torch.cat([flat.argmax()[None], order[order != flat.argmax()]])
    places = order[evenly(1 + len(order) // 2, count)].tolist()
    found = []
    for place in places:
        row, column = divmod(place, under.exact.shape[1])
        kept, exact = float(under.kept[row, column]), float(under.exact[row, column])
        if under.x.scheme.factors_out:
            scale_x = float(under.x.scale[row if len(under.x.scale) > 1 else 0, 0])
            scale_w = float(under.w.scale[column if len(under.w.scale) > 1 else 0, 0])
            coded = float(under.x.codes[row].double() @ under.w.codes[column].double())
            found.append(Example(row, column, coded, scale_x, scale_w, kept, exact))
        else:
            found.append(Example(row, column, None, None, None, kept, exact))
    return found


def by_grouping(
    x: Float[Tensor, "t k"], w: Float[Tensor, "n k"], format: str, block: int
) -> dict[str, tuple[float, ...]]:
    """For each of PER: SQNR of X, W and O in decibels, and the bits of a number of X and of W, scales included."""
    found = {}
    for per in PER:
        scheme = Scheme(format, per, block)
        made = rounded_product(x, w, scheme)
        pairs = ((x, made.x.restored), (w, made.w.restored), (made.exact, made.kept))
        bits = (scheme.bits((matrix.shape[0], matrix.shape[1])) for matrix in (x, w))
        found[per] = (*(float(sqnr(*pair)) for pair in pairs), *bits)
    return found
