"""The digits and their split: nothing held out is trained on, and a picture survives being written."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import tlmviz
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


def seven(x: float, y: float, wide: float, high: float) -> np.ndarray:
    """A plain 7 of two strokes, as the pad inks them: full in the middle, less over the last pixel."""
    across = np.linspace((x, y), (x + wide, y), 50)
    points = np.concatenate((across, np.linspace((x + wide, y), (x + 0.3 * wide, y + high), 50)))
    middles = np.stack(np.meshgrid(np.arange(8) + 0.5, np.arange(8) + 0.5), -1)  # [8, 8, (x, y)]
    apart = np.linalg.norm(middles[:, :, None] - points, axis=-1).min(-1)
    return np.round(16 * np.clip(1.15 - apart, 0, 1))


def alone(image):
    """A grid with a digit in its middle and in no other cell."""
    return [[None] * 3, [None, image, None], [None] * 3]


@pytest.mark.parametrize("x", [0.7, 4.3])
@pytest.mark.parametrize("y", [0.7, 3.0])
@pytest.mark.parametrize("size", [(2.2, 3.0), (3.0, 4.0)])
def test_a_small_seven_in_a_corner_is_read_as_one(x, y, size):
    drawn = seven(x, y, *size)
    image = digits.normalised(drawn)
    assert set(np.unique(image)) <= set(range(17)) and image.max() == 16
    for side in (0, 1):  # from edge to edge or in the middle, as far as ink goes
        [inked] = np.nonzero(image.max(side) > 8)
        assert abs(inked.mean() - 3.5) <= 1
    [rows] = np.nonzero(image.max(1) > 8)
    assert len(rows) >= 7 and image.mean() <= digits.training().images.mean() + 0.5
    assert tlmviz.load("digits-perceiver").classify(alone(image)).digits[4] == 7


@pytest.mark.parametrize("cell", range(9))
def test_a_plain_seven_is_a_seven_in_every_cell_beside_held_out_digits(cell):
    cells = [*digits.held_out().images[3:12]]
    cells[cell] = digits.normalised(seven(1.5, 0.7, 5.0, 6.5))
    assert tlmviz.load("digits-perceiver").classify(np.reshape(cells, (3, 3, 8, 8))).digits[cell] == 7


def test_not_moved_it_is_read_as_something_else():
    """What the moving is for."""
    lm = tlmviz.load("digits-perceiver")
    assert lm.classify(alone(seven(0.7, 0.7, 2.2, 3.0))).digits[4] != 7


def test_digits_of_the_set_and_empty_paper_stay():
    images = digits.held_out().images
    np.testing.assert_array_equal([digits.normalised(image) for image in images], images)
    assert not digits.normalised(np.zeros((8, 8))).any()


def test_a_dot_and_a_faint_stroke_are_pictures_too():
    for place, ink in ((0, 16), (20, 3), (63, 1)):
        dot = np.zeros(64)
        dot[place] = ink
        image = digits.normalised(dot.reshape(8, 8))
        assert np.isfinite(image).all() and image.any() and image.max() <= 16


def test_cells_stand_side_by_side_row_by_row():
    cells = np.arange(9)[:, None, None] * np.ones((9, 8, 8))
    picture = digits.side_by_side(cells)
    np.testing.assert_array_equal(picture[::8, ::8], np.arange(9).reshape(3, 3))
    assert (picture[8:16, 16:] == 5).all()


def test_each_held_out_digit_stands_once_in_every_cell_of_the_held_out_pictures():
    pictures, labels = digits.held_out_pictures()
    data = digits.held_out()
    assert pictures.shape == (382, 24, 24) and labels.shape == (382, 9)
    for cell, (row, column) in enumerate((8 * (i // 3), 8 * (i % 3)) for i in range(9)):
        images = pictures[:, row : row + 8, column : column + 8]
        np.testing.assert_array_equal(np.roll(images, cell, 0), data.images)
        np.testing.assert_array_equal(np.roll(labels[:, cell], cell), data.labels)
