"""The page Tours: every tour with its length, and the way on where one was left."""

import html

from tests.pages.helpers import assert_healthy, open_page, words
from tlmviz.ui.tours.table import TOURS


def shown(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def test_every_tour_is_listed_with_its_length():
    app = open_page("start/tours")
    assert_healthy(app)
    for tour in TOURS.values():
        assert html.escape(tour.title) in shown(app) and f"{len(tour.steps)} steps" in shown(app)
        assert f"tour={tour.name}" in shown(app)
    assert "Go on at step" not in shown(app) and "measured on the models" in words(app)


def test_a_tour_that_was_begun_can_be_gone_on_with():
    app = open_page("start/tours", _tours={"earlier-anna": (3, (0, 1))})
    assert_healthy(app)
    assert "Go on at step 3" in shown(app) and "told=0.1" in shown(app)
