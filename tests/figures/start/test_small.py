"""Small pictures: what is drawn is what the numbers say."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.start import small

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg: str, name: str) -> list[ET.Element]:
    return ET.fromstring(svg).findall(f"{SVG}{name}")


@pytest.mark.parametrize("theme", (LIGHT, DARK), ids=("light", "dark"))
def test_a_map_has_a_cell_for_every_number_that_is_not_zero(theme):
    values = np.tril(np.arange(1.0, 17).reshape(4, 4))
    page, *cells = shapes(small.heat(values, theme), "rect")
    assert page.get("fill") == theme.page and len(cells) == 10
    assert cells[-1].get("fill") == theme.sequential[-1]  # the largest


def test_signed_maps_use_both_ends_of_the_scale():
    _, low, high = shapes(small.heat(np.array([[-2.0, 0.0, 2.0]]), LIGHT, signed=True), "rect")
    assert (low.get("fill"), high.get("fill")) == (LIGHT.diverging[0], LIGHT.diverging[-1])


def test_bars_are_as_high_as_their_numbers():
    _, *drawn = shapes(small.bars([1, 4, 2], LIGHT), "rect")
    heights = [float(bar.get("height")) for bar in drawn]
    assert heights == pytest.approx([21, 84, 42])


def test_lines_and_dots_stay_in_the_card():
    first, second = shapes(small.lines([[1, 2, 3], [3, 3, 3]], LIGHT), "polyline")
    for line in (first, second):
        places = [float(number) for number in re.findall(r"[\d.]+", line.get("points"))]
        assert all(small.EDGE <= x <= small.WIDTH - small.EDGE for x in places[::2])
        assert all(small.EDGE <= y <= small.HEIGHT - small.EDGE for y in places[1::2])
    assert first.get("stroke") != second.get("stroke")
    assert len(shapes(small.dots(np.random.default_rng(0).normal(size=(5, 2)), LIGHT), "circle")) == 5
    assert len(shapes(small.lines([[2, 2]], LIGHT), "polyline")) == 1  # nothing to divide by
