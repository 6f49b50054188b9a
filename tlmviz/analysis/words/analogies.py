"""Analogies counted: how often b - a + c is nearest to the word that belongs there (004 Eq. 1), and what finds it
without a sum.

Mikolov et al. 2013 leave the three given words out of the search. How much that does is counted too: Linzen 2016 and
Rogers et al. 2017 saw that without it the nearest word is nearly always one of the given.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from .nearness import unit


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in (pair.split() for pair in text.split(",")))


RELATIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "he : she": _pairs(
        "man woman,boy girl,he she,him her,himself herself,father mother,dad mom,brother sister,son daughter,king "
        "queen,prince princess,uncle aunt,grandpa grandma,husband wife,boys girls,men women"
    ),
    "one : many": _pairs(
        "dog dogs,cat cats,bird birds,car cars,tree trees,flower flowers,friend friends,toy toys,book books,apple "
        "apples,hand hands,student students,teacher teachers,letter letters,animal animals,day days,year years"
    ),
    "now : then": _pairs(
        "go went,see saw,come came,take took,give gave,run ran,eat ate,find found,say said,tell told,make made,get got,"
        "walk walked,jump jumped,play played,look looked,ask asked,want wanted,help helped,smile smiled"
    ),
    "do : doing": _pairs(
        "go going,see seeing,come coming,take taking,give giving,run running,eat eating,make making,get getting,walk "
        "walking,jump jumping,play playing,look looking,read reading,sleep sleeping,swim swimming"
    ),
    "big : bigger": _pairs(
        "big bigger,tall taller,small smaller,old older,young younger,fast faster,strong stronger,happy happier,easy "
        "easier,long longer,late later,hard harder,good better,bad worse"
    ),
    "opposites": _pairs(
        "happy sad,big small,hot cold,good bad,old new,up down,in out,open closed,fast slow,day night,first last,yes "
        "no,black white,left right,long short,easy difficult,rich poor,true false"
    ),
    "country : language": _pairs(
        "france french,germany german,england english,japan japanese,spain spanish,china chinese,america "
        "american,italy italian,canada canadian"
    ),
}


@dataclass(frozen=True)
class Tally:
    """How a relation's analogies came out. Ranks count from 1 among all words but the three given.

    `first` and `five` are the shares at rank 1 and within 5, `median` the median rank, `without` the share at rank 1
    when b and c are added without taking a away, `given` the share in which the nearest word of all is one of the
    given, were they not left out.
    """

    relation: str
    count: int
    first: float
    five: float
    median: float
    without: float
    given: float


def quadruples(
    pairs: Sequence[tuple[str, str]], row_of: Callable[[str], int | None]
) -> list[tuple[int, int, int, int]]:
    """Rows a, b, c, d of every analogy a : b = c : d of two different pairs whose words all have rows."""
    rows = [(row_of(first), row_of(second)) for first, second in pairs]
    known = [(first, second) for first, second in rows if first is not None and second is not None]
    return [(*one, *other) for one, other in itertools.permutations(known, 2)]


def ranks(near: Float[Tensor, "q n"], fours: Sequence[tuple[int, int, int, int]]) -> np.ndarray:
    """The rank of each d, [Q]: one more than the words with a larger cosine, a, b and c left out. `near` is
    overwritten."""
    rows = torch.tensor(fours)
    own = near.gather(1, rows[:, 3:])
    near.scatter_(1, rows[:, :3], -torch.inf)
    return (1 + (near > own).sum(1)).numpy()


def tally(
    vectors: Float[Tensor, "n c"],
    row_of: Callable[[str], int | None],
    relations: Mapping[str, Sequence[tuple[str, str]]] = RELATIONS,
) -> list[Tally]:
    """Every relation of which at least two pairs are known, counted over all its analogies."""
    scaled, found = unit(vectors.float()), []
    for name, pairs in relations.items():
        fours = quadruples(pairs, row_of)
        if not fours:
            continue
        a, b, c, _ = (scaled[list(rows)] for rows in zip(*fours))
        near = unit(b - a + c) @ scaled.T  # [Q, N]
        best = near.argmax(1).tolist()
        place = ranks(near, fours)
        plain = ranks(unit(b + c) @ scaled.T, fours)
        found.append(
            Tally(
                name,
                len(fours),
                float((place == 1).mean()),
                float((place <= 5).mean()),
                float(np.median(place)),
                float((plain == 1).mean()),
                float(np.mean([row in four[:3] for row, four in zip(best, fours)])),
            )
        )
    return found
