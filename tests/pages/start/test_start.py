"""The page Start: who comes there, what its picture holds, and every chapter's picture from its model."""

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages import SECTIONS
from pages.start.start import data, view
from tests.pages.helpers import MAIN, assert_healthy, open_page
from tlmviz import figures
from tlmviz.ui import compute as shared
from tlmviz.ui import visit
from tlmviz.ui.inputs import DEFAULT_TEXT, EXAMPLES

PAGE = "start/start"


def html(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def title(app) -> str:
    return next(part.value for part in app.markdown if part.value.startswith("# "))


def visited(**query) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=300)
    app.query_params.update(query)
    return app.run()


def test_who_has_no_link_begins_here_and_who_has_one_at_the_explorer():
    app = visited()
    assert_healthy(app)
    assert title(app).startswith("# Start")
    app.switch_page("attention/explorer/page.py").run()
    assert title(app).startswith("# Attention explorer")  # and stays there
    for query in ({"head": "4.2"}, {"text": "A dog"}, {"model": "zoo-gqa"}):
        assert title(visited(**query)).startswith("# Attention explorer")


def test_only_the_first_run_of_a_session_is_a_bare_visit(monkeypatch):
    monkeypatch.setattr(visit.st, "session_state", {})
    monkeypatch.setattr(visit.st, "query_params", st.query_params.__class__())
    monkeypatch.setattr(visit.st.query_params.__class__, "to_dict", lambda self: {})
    assert [visit.is_bare(), visit.is_bare()] == [True, False]


def test_what_the_command_line_opened_is_shown_at_once(monkeypatch):
    monkeypatch.setattr("tlmviz.ui.visit.opened_models", lambda: {"mine": None})
    assert title(visited()).startswith("# Attention explorer")


def test_the_picture_holds_the_weights_of_two_heads(stories):
    read = data.reading(DEFAULT_TEXT)
    trace, heads = stories.trace(DEFAULT_TEXT), read.heads
    assert (read.tokens, read.ids) == (trace.tokens, list(trace.ids))
    for row, (token, _, p) in enumerate(read.expected):
        likely = trace.probabilities(row)
        assert token == int(likely.argmax()) and p == pytest.approx(float(likely.max()), abs=1e-5)
    assert (heads["finder"].layer, heads["finder"].head) == (5, 0)
    assert (heads["back"].layer, heads["back"].head) == (4, 2)
    for head in heads.values():
        np.testing.assert_allclose(head.weights, trace.attention(head.layer, head.head), atol=1e-6)
        assert 0 <= head.row < len(read.tokens)


@pytest.mark.parametrize("text", [DEFAULT_TEXT, *list(EXAMPLES.values())[1:3], "Hi", "a " * 200])
def test_every_chapter_has_a_claim_a_link_and_a_picture(text):
    assert set(view.SHOWS) == set(data.PICTURES) == set(SECTIONS) - {"Start"}
    app = open_page(PAGE, {"text": text})
    assert_healthy(app)
    shown = html(app)
    for chapter, pages in list(SECTIONS.items())[1:]:
        assert f"<b>{chapter}</b><span>{view.SHOWS[chapter]}" in shown
        assert f'href="{pages[0].path}?' in shown or (pages[0].folder == "attention/explorer" and 'href="./?' in shown)
    assert shown.count("data:image/svg+xml") >= len(SECTIONS) - 2


def test_pictures_are_drawn_from_the_models():
    trace = shared.trace("stories-rope", DEFAULT_TEXT)
    np.testing.assert_allclose(data.values("Attention", DEFAULT_TEXT), trace.attention(5, 0), atol=1e-6)
    assert data.values("Positions", DEFAULT_TEXT)[0].argmax() == 1  # one back
    kept = data.values("Caches", DEFAULT_TEXT)
    assert kept.tolist() == [4096, 1024, 1152, 512]
    res = data.values("Streams and experts", DEFAULT_TEXT)
    np.testing.assert_allclose(res.sum(-1), 1, atol=0.02)
    grown, independent = data.values("Numbers", DEFAULT_TEXT)
    assert grown[-1] > independent[-1]
    for chapter in data.PICTURES:
        assert data.picture(chapter, DEFAULT_TEXT, figures.DARK).startswith("<svg")


def test_nothing_typed_gets_a_sentence_and_no_chapters():
    app = open_page(PAGE, {"text": ""})
    assert_healthy(app)
    app.text_input(key="text").set_value("").run()
    assert_healthy(app)
    assert app.info and "Lessons" in " ".join(part.value for part in app.markdown)
