"""Maps of loads: every share in its cell, and colours that count doublings of the even share."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.experts.loads import SPAN, cells, load_maps

LOAD = np.array([[0.5, 0.25, 0.125, 0.125], [1.0, 0.0, 0.0, 0.0]])


def test_colours_count_doublings_of_the_even_share():
    found = cells(LOAD, 0.25)
    np.testing.assert_allclose(found["z"], [[1, 0, -1, -1], [2, -SPAN, -SPAN, -SPAN]])
    assert found["text"][0] == ["50%", "25%", "12%", "12%"] and found["hovertext"][0][2] == "12.50%"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_maps_stand_side_by_side_under_their_names(theme):
    figure = load_maps({"here": LOAD, "there": LOAD[::-1]}, [1, 3], 0.25, theme, title="Loads (%)")
    one, two = figure.data
    assert [row[0] for row in one.text] == ["50%", "100%"] and [row[0] for row in two.text] == ["100%", "50%"]
    assert list(one.y) == ["layer 1", "layer 3"] and [note.text for note in figure.layout.annotations] == [
        "here",
        "there",
    ]
    assert figure.layout.xaxis.domain[1] < figure.layout.xaxis2.domain[0]
    assert [trace.showscale for trace in figure.data] == [False, True]


def test_many_experts_are_drawn_without_numbers():
    figure = load_maps({"here": np.full((2, 64), 1 / 32)}, [0, 1], 1 / 32, LIGHT, title="Loads (%)")
    assert not figure.data[0].texttemplate and not np.any(figure.data[0].z)
