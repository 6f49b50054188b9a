"""A link of the app means the same on a site: keys, spelling, defaults."""

import pytest

from tests.javascript.node import evaluate
from tlmviz.ui import link

IMPORTS = {"tlmviz/site/view_link.js": "linkOf, viewOf"}
BODY = """
result = { read: viewOf(new URLSearchParams(given.link)), said: linkOf(given.state) };
"""
VIEWS = (
    link.View(head=(5, 4)),
    link.View(head=(0, 0), query=25, key=17, stage="dot", log=True, mode="arcs", order="sink"),
    link.View(head=(2, 3), overlay=((1, 2), (0, 5)), find="induction > 0.4", mute=((0, 1), (5, 5))),
)


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_read_and_written_as_in_the_app(view):
    said = {
        name: field.write(getattr(view, name))
        for name, field in link.FIELDS.items()
        if getattr(view, name) != field.default
    }
    found = evaluate(IMPORTS, BODY, {"link": said, "state": view.sent()})
    assert found["read"] == view.sent()
    assert {name: value for name, value in found["said"].items() if value is not None} == said


def test_nonsense_is_the_default_and_a_head_that_nobody_chose_is_left_open():
    asked = {
        "head": "x",
        "query": "-3",
        "key": "1e9",
        "stage": "hot",
        "mode": "",
        "mute": "1",
        "overlay": "9",
        "log": "yes",
    }
    found = evaluate(IMPORTS, BODY, {"link": asked, "state": link.View().sent()})
    expected = link.View().sent()
    del expected["layer"], expected["head"]
    assert found["read"] == expected
