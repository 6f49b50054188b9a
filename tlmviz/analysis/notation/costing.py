"""What a contraction costs, and in which order it costs least: opt_einsum's search, told in the formula's own names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import opt_einsum
from opt_einsum.contract import PathInfo

from .plans import Contract, Eye, Load, Plan, Where, steps

MOST_WORK = 3e10


@dataclass(frozen=True)
class Pairing:
    """One product of two tensors on the way: what goes in, the indices that come out, and its operations."""

    left: str
    right: str
    result: tuple[str, ...]
    summed: tuple[str, ...]
    operations: int


@dataclass(frozen=True)
class Order:
    """The cheapest order of a contraction: operations all at once and pair by pair, and the largest tensor between."""

    names: tuple[str, ...]
    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    at_once: int
    operations: int
    largest: int
    pairings: tuple[Pairing, ...]


def order_of(plan: Contract, sizes: Mapping[str, int]) -> Order:
    """How opt_einsum orders a contraction; operations are multiplications and additions, as it counts them."""
    inputs = tuple(part.letters for part in plan.parts)
    path, info = _search(inputs, plan.letters, sizes)
    names = [name_of(part) for part in plan.parts]
    pool, held, pairings = list(names), [set(part) for part in inputs], []
    for number, taken in enumerate(path):
        picked = [(pool[each], held[each]) for each in taken]
        for each in sorted(taken, reverse=True):
            del pool[each], held[each]
        rest = set(plan.letters).union(*held)
        together = set().union(*(letters for _, letters in picked))
        result = tuple(sorted(together & rest)) if len(path) - number > 1 else plan.letters
        summed = tuple(sorted(together - set(result)))
        operations = math.prod(sizes[letter] for letter in together) * max(1, len(picked) - 1 + bool(summed))
        pairings.append(Pairing(picked[0][0], picked[-1][0] if len(picked) > 1 else "", result, summed, operations))
        pool.append(f"({' '.join(name for name, _ in picked)})")
        held.append(set(result))
    return Order(
        tuple(names),
        inputs,
        plan.letters,
        int(info.naive_cost),
        int(info.opt_cost),
        int(info.largest_intermediate),
        tuple(pairings),
    )


def _search(
    inputs: tuple[tuple[str, ...], ...], output: tuple[str, ...], sizes: Mapping[str, int]
) -> tuple[list[Any], PathInfo]:
    every = sorted({letter for part in inputs for letter in part})
    symbol = {letter: opt_einsum.get_symbol(number) for number, letter in enumerate(every)}
    equation = ",".join("".join(symbol[letter] for letter in part) for part in inputs)
    shapes = [tuple(sizes[letter] for letter in part) for part in inputs]
    target = "".join(symbol[letter] for letter in output)
    method = "optimal" if len(inputs) <= 7 else "auto"
    return opt_einsum.contract_path(f"{equation}->{target}", *shapes, shapes=True, optimize=method)


def name_of(part: Plan) -> str:
    """What an operand is called in the table of pairs."""
    match part:
        case Load():
            return part.name
        case Eye():
            return "δ"
        case Where():
            return "mask"
    return "(…)"


def contractions(plan: Plan) -> list[Contract]:
    """The contractions of a plan that have something to order or to sum, as they are computed."""
    return [each for each in steps(plan) if isinstance(each, Contract) and each.parts]


def work(plan: Plan, sizes: Mapping[str, int]) -> int:
    """The operations of all contractions of a plan, each in its cheapest order."""
    return sum(
        int(_search(tuple(p.letters for p in each.parts), each.letters, sizes)[1].opt_cost)
        for each in contractions(plan)
    )
