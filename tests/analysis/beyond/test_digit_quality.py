"""The count of digits read right and wrong, against a plain count."""

import numpy as np
import pytest

from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import SOME, by_number, quality


def test_a_reader_that_sees_only_nines_as_fours():
    pictures, labels = digits.held_out_pictures()

    def predict(images):
        np.testing.assert_array_equal(images, pictures)
        return np.eye(digits.NOTHING + 1)[np.where(labels == 9, 4, labels)]

    found = quality(predict)
    nines = int((labels == 9).sum())
    assert found.confusion[9, 4] == nines and found.confusion.sum() == labels.size
    np.testing.assert_array_equal(found.right_cells, labels != 9)
    assert found.right == pytest.approx(1 - nines / labels.size)
    assert found.whole == pytest.approx((labels != 9).all(1).mean())
    assert found.per_digit.tolist() == [1] * 9 + [0]


def test_digits_are_taken_out_one_by_one():
    pictures, labels = (each[::SOME] for each in digits.held_out_pictures())
    seen = []

    def predict(images):
        seen.append(images)
        return np.eye(digits.NOTHING + 1)[labels]

    assert by_number(predict).tolist() == [1.0] * 9
    cells = [each.reshape(len(each), 3, 8, 3, 8).any((2, 4)).sum((1, 2)) for each in seen]
    assert [set(each) for each in cells] == [{number} for number in range(1, 10)]
    np.testing.assert_array_equal(seen[-1], pictures)
