"""Maps of vectors: places rounded for the browser, groups of points, and the figures of analogies."""

import numpy as np
import pytest

from tlmviz.figures import DARK, LIGHT
from tlmviz.figures.words import analogies, groups, points


def test_rounded_places_are_within_half_a_step_and_on_one_scale():
    places = np.random.default_rng(0).normal(size=(3, 50, 2)) * [5, 1]
    plane = points.plane(places)
    back = plane.places / points.STEPS * plane.span + np.array(plane.origin)
    assert np.abs(back - places).max() <= plane.span / points.STEPS / 2 + 1e-12
    x0, y0, x1, y1 = plane.box
    assert x1 - x0 > y1 - y0 > 0
    x, y = plane.share(*places[0, 7])
    np.testing.assert_allclose([x, y], plane.places[0, 7] / points.STEPS, atol=1e-4)


def test_one_place_for_all_is_drawn():
    plane = points.plane(np.zeros((1, 4, 2)))
    assert np.isfinite(plane.box).all() and len(set(plane.places.ravel().tolist())) == 1


CATEGORIES = {"animals": ("dog", "cat"), "colours": ("red",)}


def test_categories_count_words_and_of_tokens_those_that_begin_one():
    kinds, of = groups.by_category(["the", "dog", "red"], CATEGORIES)
    assert [kinds[k].name for k in of] == ["in none", "animals", "colours"] and not kinds[0].light
    _, of = groups.by_category(["dog", "␣dog", "␣the"], CATEGORIES)
    assert of.tolist() == [0, 1, 0]


def test_sixteen_categories_have_sixteen_colours():
    kinds, _ = groups.by_category([], {str(k): () for k in range(16)})
    assert len({kind.light for kind in kinds[1:]}) == len({kind.dark for kind in kinds[1:]}) == 16


@pytest.mark.parametrize("count", [1, 100, 101, 4271, 49152])
def test_ranks_are_the_groups_of_the_rows(count):
    kinds, of = groups.by_rank(["x"] * count)
    assert of.min() == 1 and of[-1] == len(kinds) - 1
    for row in (0, 99, 100, 299, 300, 2999, 3000, count - 1):
        if row < count:
            first, last = (int(part.replace(",", "")) for part in kinds[of[row]].name.split("–"))
            assert first <= row + 1 <= last


def test_kinds_of_tokens():
    kinds, of = groups.by_kind(["␣dog", "ing", "42", "!", "<0xE4>", "⏎", "␣7", "<", "<unused 3>"])
    assert [kinds[k].name for k in of] == [
        *("begins a word", "goes on", "digits", "signs", "bytes, marks, unused", "signs", "digits", "signs"),
        "bytes, marks, unused",
    ]


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_scatter_has_a_trace_for_each_group(theme):
    figure = points.scatter(
        np.eye(3, 2), ["<b>", "dog", "red"], *groups.by_category(["<b>", "dog", "red"], CATEGORIES), theme, title="t"
    )
    assert [trace.name for trace in figure.data] == ["in none", "animals", "colours"]
    assert figure.data[0].text == ("&lt;b&gt;",) and figure.layout.yaxis.scaleanchor == "x"


def test_a_name_stands_away_from_the_place_that_is_nearest():
    places = np.array([[0.0, 0.0], [1.0, 1.0], [1.1, 0.9], [1.0, 3.0]])
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    names = ["a", "b", "c", "d"]
    figure = analogies.parallelogram(names, corners, ["p", "q", "r", "s"], places, np.zeros(4), LIGHT, title="t")
    sides = ["bottom center", "top center", "bottom center", "top center"]
    assert list(figure.data[1].textposition) == sides


def test_the_parallelogram_has_two_equal_arrows():
    corners = np.array([[0, 0], [2, 0], [0.5, 1], [2.5, 1]])
    figure = analogies.parallelogram(
        ["a", "b", "c", "b − a + c"], corners, ["d", "e"], np.ones((2, 2)), np.array([0.5, -0.25]), LIGHT, title="t"
    )
    first, second = figure.layout.annotations
    assert (first.x - first.ax, first.y - first.ay) == (second.x - second.ax, second.y - second.ay) == (2, 0)
    assert list(figure.data[1].customdata) == ["0.500", "−0.250"]


def test_answers_name_the_words_that_were_given():
    figure = analogies.answers(["d", "c"], np.array([0.9, 0.8]), LIGHT, title="t", given=[False, True])
    assert list(figure.layout.yaxis.ticktext) == ["d", "c (given)"]


def test_shares_solved_are_percent_on_a_fixed_axis():
    figure = analogies.solved({"one": {"right": 0.25, "among 5": 0.5}}, LIGHT, title="t")
    assert figure.data[0].y == (25,) and tuple(figure.layout.yaxis.range) == (0, 100)
