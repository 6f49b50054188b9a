"""The page Lessons: the list, a lesson by its link, and what a wrong link gets."""

import html
import json

import pytest

from tests.pages.helpers import assert_healthy, open_page, views, words
from tlmviz.errors import UnknownName
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.table import LESSONS


def shown(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def opened(app) -> dict | None:
    """What the lesson that is open was sent."""
    found = [part for part in views(app) if part.proto.component_name.endswith("tlmviz_lesson")]
    return json.loads(found[0].proto.json) if found else None


def test_every_lesson_is_listed():
    app = open_page("start/lessons")
    assert_healthy(app)
    for name, lesson in LESSONS.items():
        assert html.escape(lesson.title) in shown(app) and f"lessons?lesson={name}" in shown(app)
    assert opened(app) is None and "measured on a model" in words(app)


def test_a_link_opens_a_lesson_on_a_sentence_of_ones_own():
    app = open_page("start/lessons", {"lesson": "next", "sentence": "The cat saw a bird. The dog saw a"})
    assert_healthy(app)
    assert opened(app)["name"] == "next" and opened(app)["text"] == "The cat saw a bird. The dog saw a"
    app.query_params.clear()
    assert opened(app.run()) is None  # the address alone says where one is


def test_a_scene_that_is_not_there_is_the_end_and_says_so():
    app = open_page("start/lessons", {"lesson": "looking", "scene": "77", "told": "1.x.-.999"})
    assert_healthy(app)
    assert "has 8 scenes" in opened(app)["beyond"]


@pytest.mark.parametrize("name", ["nosuch", "<b>x</b>", "ü" * 300])
def test_a_lesson_that_is_not_there_gets_a_sentence_and_the_list(name):
    app = open_page("start/lessons", {"lesson": name})
    assert not app.exception and opened(app) is None
    [said] = app.warning
    assert said.value.startswith("There is no lesson") and "Begin" in shown(app)


def test_a_lesson_whose_model_is_not_installed_says_so(monkeypatch):
    error = UnknownName("No model is called stories-rope here.")
    monkeypatch.setattr(runner, "absent", lambda lesson: error)
    app = open_page("start/lessons", {"lesson": "looking"})
    assert not app.exception and opened(app) is None
    assert "stories-rope" in app.info[0].value and "Begin" in shown(app)
