"""What a step costs: the multiplications counted one by one, and times that are there."""

import numpy as np

from tests import tiny
from tlmviz.analysis.words import step_costs


def test_three_multiplications_for_each_number_of_each_output():
    outputs, width = 7, 5
    counted = sum(1 for _ in range(outputs) for _ in range(width) for _ in ("score", "gradient", "move"))
    assert step_costs.multiplications(outputs, width) == counted


def test_every_method_is_measured_on_a_copy():
    wv = tiny.word_vectors("negative")
    before = wv.vectors.clone(), wv.context_vectors.clone()
    full, sampled, path = step_costs.costs(wv, 3, 4)
    size, width = wv.vectors.shape
    assert (full.outputs, sampled.outputs, path.outputs) == (size, 4, 4)
    assert full.multiplications == 3 * size * width and sampled.name == "3 negative samples"
    assert all(
        len(cost.microseconds) == step_costs.ROUNDS and cost.microseconds.min() > 0 for cost in (full, sampled, path)
    )
    assert (before[0] == wv.vectors).all() and (before[1] == wv.context_vectors).all()


def test_the_mean_path_is_weighed_by_the_counts():
    wv = tiny.word_vectors("hierarchical")
    lengths = np.array([len(path.nodes) for path in wv.tree.paths])
    assert step_costs.mean_path(wv) == round(np.average(lengths, weights=wv.counts))
