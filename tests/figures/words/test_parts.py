"""A word's n-grams under its letters, and all words by spelling and vector."""

import numpy as np

from tlmviz.figures import LIGHT
from tlmviz.figures.words import parts


def test_every_part_stands_under_its_letters():
    figure = parts.staircase("<a&>", ["<a&", "a&>"], [0, 1], np.array([0.75, 0.25]), [3, 0], LIGHT, title="t")
    bars, numbers = figure.data
    assert list(bars.base) == [0, 1] and list(bars.x) == [3, 3] and list(bars.text) == ["&lt;a&amp;", "a&amp;&gt;"]
    assert list(numbers.text) == ["75.0%", "25.0%"]
    assert list(bars.marker.line.color) == [LIGHT.grid, LIGHT.alarm]
    assert list(figure.layout.xaxis.ticktext) == ["&lt;", "a", "&amp;", "&gt;"]


def test_the_nearest_by_vector_and_by_spelling_are_named():
    common, cosines = np.array([0.0, 0.9, 0.0, 0.0]), np.array([0.1, 0.2, 0.9, 0.3])
    figure = parts.spelled(["far", "alike", "near", "none"], common, cosines, "x", LIGHT, title="t", label=1)
    assert set(figure.data[1].text) == {"alike", "near"} and len(figure.data[0].x) == 4
