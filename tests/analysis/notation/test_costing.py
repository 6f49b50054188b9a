"""The order of a product: opt_einsum's cheapest is the cheapest of all orders, counted one by one."""

import math
from itertools import combinations

from hypothesis import given, settings

from tests.analysis.notation.formulas import einsums
from tlmviz.analysis.notation import costing, tensors
from tlmviz.analysis.notation.running import evaluate


def cheapest(inputs, output, sizes):
    """Operations of the best order of pairs, all of them tried: sizes of all indices of a pair, twice where one is
    summed."""
    if len(inputs) == 1:
        return 0
    best = math.inf
    for one, other in combinations(range(len(inputs)), 2):
        rest = [part for number, part in enumerate(inputs) if number not in (one, other)]
        together = inputs[one] | inputs[other]
        kept = together & set(output).union(*rest)
        own = math.prod(sizes[letter] for letter in together) * (1 + (kept != together))
        best = min(best, own + cheapest([*rest, kept], output, sizes))
    return best


@given(einsums())
@settings(deadline=None)
def test_the_order_is_the_cheapest_of_all(given):
    text, inputs, output, sizes = given
    plan = evaluate(text, tensors.of_sizes(sizes)).plan
    if len(inputs) == 1:
        return
    contraction = costing.contractions(plan)[-1]
    order = costing.order_of(contraction, sizes)
    every = {letter for part in inputs for letter in part}
    assert order.operations == cheapest([set(part) for part in inputs], output, sizes)
    summed = every != set(output)
    assert order.at_once == math.prod(sizes[letter] for letter in every) * (len(inputs) - 1 + summed)
    assert sum(pair.operations for pair in order.pairings) == order.operations


def test_scores_from_the_stream_in_one_formula():
    sizes = tensors.read_sizes("t=28 s=28 h=6 f=192 c=192 d=32")
    text = "L_{ts}^{(h)} = 1/sqrt(dk) Htilde_t^f WQ_{hf}^d WK_{hcd} Htilde_s^c"
    plan = evaluate(text, tensors.of_sizes(sizes)).plan
    order = costing.order_of(costing.contractions(plan)[0], sizes)
    assert order.operations == 2 * (2 * 28 * 6 * 192 * 32) // 1 + 2 * 28 * 28 * 6 * 32
    assert order.at_once == 28 * 28 * 6 * 192 * 192 * 32 * 4
    assert [pair.summed for pair in order.pairings] == [("f",), ("c",), ("d",)]
    assert order.largest == 28 * 6 * 32 and costing.work(plan, sizes) == order.operations
