"""The page "Pointer network": what is sent, against the network and SciPy; points moved by hand; links that make no sense."""

import json

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import tlmviz
from pages.words.pointer_hull import compute, controls, words
from tests.pages.helpers import assert_healthy, by_title, open_page, run_snippet
from tests.pages.helpers import words as said
from tlmviz.analysis.words.hulls import SCATTERS, judge, scattered

PAGE = "words/pointer_hull"


def picture(app) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of the one picture that is sent as bytes."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in app.get("bidi_component") if part.proto.bytes]
    size = int(np.frombuffer(data[:4], "<u4")[0])
    header, rest = json.loads(data[4 : 4 + size]), data[4 + size :]
    arrays = {}
    for name, entry in header["arrays"].items():
        kind, count = {"float32": "<f4", "uint16": "<u2"}[entry["dtype"]], int(np.prod(entry["shape"]))
        arrays[name] = np.frombuffer(rest, kind, count, entry["offset"]).reshape(entry["shape"])
    return header, arrays


def test_the_page_opens_on_what_the_network_draws():
    app = open_page(PAGE)
    header, arrays = picture(app)
    points = arrays["points"] / 1000
    drawing = tlmviz.load("pointer-hull").draw(points)
    assert header["order"] == drawing.order.tolist()
    np.testing.assert_allclose(arrays["attention"], drawing.attention, atol=1e-6)
    assert set(header["exact"]) == set(ConvexHull(points).vertices.tolist())
    weights = drawing.attention.astype(float)
    entropy = [-sum(p * np.log(p) for p in row if p > 0) for row in weights]
    assert header["step"] == np.argmax(entropy) + 1 and max(entropy) > 0.3  # a step at which the rays split
    verdict = judge(points, drawing.order)
    assert (
        verdict.valid and header["missed"] == list(verdict.missed) and header["extra"] == list(verdict.extra)
    )
    assert "✗" not in said(app)


def test_the_snippet_draws_the_same():
    app = open_page(PAGE, {"hn": "9", "hkind": "Cloud", "hseed": "3"})
    scope = run_snippet(app)
    header, arrays = picture(app)
    assert scope["drawing"].order.tolist() == header["order"]
    np.testing.assert_allclose(scope["points"] * 1000, arrays["points"], atol=1e-9)


def test_points_of_a_link_take_the_place_of_the_scatter():
    app = open_page(PAGE, {"hpts": "100.100,900.100,900.900,100.900,500.500", "hstep": "2"})
    header, arrays = picture(app)
    assert arrays["points"].tolist() == [[100, 100], [900, 100], [900, 900], [100, 900], [500, 500]]
    assert header["exact"] == [0, 1, 2, 3] and header["step"] == 2
    np.testing.assert_allclose(run_snippet(app)["points"] * 1000, arrays["points"])
    app.number_input("hn").set_value(6).run()
    assert len(picture(app)[1]["points"]) == 6 and "hpts" not in app.query_params


@pytest.mark.parametrize("kind", SCATTERS)
@pytest.mark.parametrize("number", [1, 2, 3, 50])
def test_every_scatter_in_any_number(kind, number):
    points = scattered(kind, number, 5)
    assert points.shape == (number, 2) and (points >= 0).all() and (points <= 1).all()
    choice = controls.Choice(
        tuple((int(x), int(y)) for x, y in np.rint(points * 1000)), False, f"{kind} {number} 5", 0
    )
    drawing, found = compute.drawing(choice), compute.verdict(choice)
    sentence = words.verdict(choice, found, len(compute.exact(choice)), len(drawing.order))
    assert sentence.startswith(f"It visits {len(drawing.order)} of {number} points: ")
    assert ("never trained on" in sentence) == (number < 5)
    assert all(check.passed for check in compute.checks(choice))


def test_a_thousand_points():
    header, arrays = picture(open_page(PAGE, {"hn": "1000"}))
    assert len(arrays["points"]) == 1000 and "never trained on 1,000 points" in header["verdict"]


def test_the_chart_of_larger_sets_is_what_was_measured():
    app = open_page(PAGE)
    [chart] = [each for title, each in by_title(app).items() if "fresh sets" in title]
    names = [trace["name"] for trace in chart["data"]]
    assert names == ["area covered", "valid polygon", "exactly the hull"]
    found = compute.reach()
    assert [each.number for each in found] == list(compute.NUMBERS)
    assert min(each.coverage for each in found if each.number <= 50) > 0.99


@pytest.mark.parametrize("points", ["a", "1.2.3", "2000.1", "-5.3", "1.1," * 1500, "<b>", "5"])
def test_a_hostile_link_shows_the_page(points):
    header, arrays = picture(
        open_page(PAGE, {"hpts": points, "hstep": "-3", "hn": "0", "hseed": "x", "hkind": "?"})
    )
    assert len(arrays["points"]) == 24 and header["order"]


class TestVerdicts:
    SQUARE = ((0, 0), (900, 0), (900, 900), (0, 900), (450, 450))

    def sentence(self, order, points=SQUARE):
        choice = controls.Choice(points, True, "Square 5 0", 1)
        return words.verdict(choice, judge(choice.array, np.array(order)), 4, len(order))

    def test_exact(self):
        assert "exactly the hull" in self.sentence([0, 1, 2, 3])

    def test_a_corner_left_out(self):
        assert "50.00 % of the hull's area (1 of its corners left out)" in self.sentence([0, 1, 2])

    def test_one_visited_that_is_none(self):
        assert "75.00 %" in self.sentence([0, 1, 2, 4, 3]) and "1 visited that is no corner" in self.sentence(
            [0, 1, 2, 4, 3]
        )

    def test_the_wrong_way_round(self):
        assert "100.00 % of the hull's area, in another order" in self.sentence([0, 3, 2, 1])

    def test_crossed(self):
        assert "no valid polygon" in self.sentence([0, 2, 1, 3])
