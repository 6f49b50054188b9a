"""The count of digits read right and wrong, against a plain count."""

import numpy as np
import pytest

from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import quality


def test_a_reader_that_sees_only_nines_as_fours():
    labels = digits.held_out().labels

    def predict(images):
        np.testing.assert_array_equal(images, digits.held_out().images)
        return np.eye(10)[np.where(labels == 9, 4, labels)]

    found = quality(predict)
    nines = int((labels == 9).sum())
    assert found.confusion[9, 4] == nines and found.confusion.sum() == len(labels)
    assert found.wrong == tuple(np.flatnonzero(labels == 9)) and found.right == pytest.approx(
        1 - nines / len(labels)
    )
    assert found.per_digit.tolist() == [1] * 9 + [0]
