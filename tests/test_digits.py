"""The digits and their split: nothing held out is trained on, and a picture survives being written."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tests.tiny import sentence
from tlmviz import digits
from tlmviz.errors import BadShape


def test_the_split_is_all_of_the_digits_once():
    bunch, train, held_out = load_digits(), digits.training(), digits.held_out()
    assert (len(train), len(held_out)) == (1415, 382)
    np.testing.assert_array_equal(np.concatenate((train.images, held_out.images)), bunch.images)
    np.testing.assert_array_equal(np.concatenate((train.labels, held_out.labels)), bunch.target)


def test_the_cut_is_between_two_forms():
    """Each form begins with 0 to 9, three times over."""
    begin = list(range(10)) * 3
    assert digits.held_out().labels[:30].tolist() == begin
    assert digits.training().labels[-30:].tolist() != begin


def test_no_picture_is_in_both():
    train = {digits.written(image) for image in digits.training().images}
    assert not train & {digits.written(image) for image in digits.held_out().images}


def test_a_picture_is_read_as_it_was_written():
    for image in digits.held_out().images:
        np.testing.assert_array_equal(digits.read(digits.written(image)), image)


@pytest.mark.parametrize("text", ["", "0" * 63, "h" * 64, "0" * 65, "G" * 64, "−" * 64])
def test_a_text_of_no_picture(text):
    with pytest.raises(BadShape) as error:
        digits.read(text)
    assert "64 letters" in sentence(error)


def test_what_is_shared_cannot_be_changed():
    with pytest.raises(ValueError):
        digits.held_out().images[0, 0, 0] = 1
