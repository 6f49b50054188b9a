"""The chart of both models' losses, word by word."""

import numpy as np
import pytest

from tlmviz.figures import LIGHT
from tlmviz.figures.words.copying import word_losses


@pytest.mark.parametrize("count", [2, 40, 120])
def test_two_bars_a_word_from_the_second_on(count):
    tokens = [f"<w{i}>" for i in range(count)]
    copying, plain = np.linspace(0, 1, count - 1), np.linspace(1, 2, count - 1)
    figure = word_losses(tokens, copying, plain, LIGHT)
    assert [trace.name for trace in figure.data] == ["with the pointer", "without"]
    np.testing.assert_allclose(figure.data[0].y, copying, atol=1e-6)
    np.testing.assert_allclose(figure.data[1].y, plain, atol=1e-6)
    assert list(figure.data[0].x) == list(range(1, count)) and "&lt;w1&gt;" in figure.data[0].customdata[0]
