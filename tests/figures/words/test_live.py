"""The picture of a training: the last picture's places, and a film that walks all."""

import numpy as np

from tlmviz.figures import LIGHT
from tlmviz.figures.words.live import live

PLACES = np.arange(24, dtype=float).reshape(3, 4, 2)
WORDS, AT, LOSSES = ["the", "<b>", "cat", "dog"], [0.0, 0.5, 1.0], [float("nan"), 3.0, 2.0]


def test_the_last_picture_is_shown_and_the_film_walks_all():
    still = live(PLACES, WORDS, AT, LOSSES, [2], LIGHT, title="T", film=False)
    np.testing.assert_array_equal(still.data[0].x, PLACES[-1, :, 0])
    assert not still.frames and list(still.data[1].y) == [3, 2]
    moving = live(PLACES, WORDS, AT, LOSSES, [2], LIGHT, title="T", film=True)
    assert len(moving.frames) == 3
    np.testing.assert_array_equal(moving.frames[0].data[0].y, PLACES[0, :, 1])
    assert "<b>" not in moving.data[0].text[1] and moving.data[0].marker.color[2] == LIGHT.warm


def test_untrained_vectors_have_no_loss_yet():
    only = live(PLACES[:1], WORDS, AT[:1], LOSSES[:1], [], LIGHT, title="T", film=False)
    assert len(only.data[1].x) == 0
