"""A tour in a room: what a student's tab counts there, what it sees, and how the tour goes on where the room does not."""

import sqlite3

import pytest
from streamlit.testing.v1 import AppTest

from tests.javascript.node import evaluate
from tests.pages.helpers import MAIN, assert_healthy, link_of, words
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import FILE, FOLDER
from tlmviz.ui.tours import room
from tlmviz.ui.tours.table import TOURS

TOUR = TOURS["earlier-anna"]
FIRST = dict(TOUR.steps[0].link)
TAB = "0" * 31 + "1"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Rooms of each test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


@pytest.fixture
def opened():
    return rooms.rooms().open_room(TOUR.name)


def arrive(code: str, tab: str = TAB, **query) -> AppTest:
    """A tab at the first step; the browser has said which tab it is."""
    app = AppTest.from_file(MAIN, default_timeout=300)
    if tab:
        app.session_state[room.VISITOR] = tab
    app.query_params.update({"model": "stories-rope", "tour": TOUR.name, "room": code, **FIRST, **query})
    return app.run()


def html(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def counts(opened):
    return rooms.rooms().counts(opened.code, opened.secret)


def test_a_visit_and_an_answer_are_counted_once_however_often_the_page_runs(opened):
    app = arrive(opened.code)
    assert_healthy(app)
    assert not app.warning and f"room {opened.code}" in html(app)
    assert (counts(opened).here, counts(opened).answers) == ({1: 1}, {})
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert counts(opened).answers == {1: {1: 1}}
    app.run()
    again = arrive(opened.code, told="")  # the tab was reloaded, and its answer taken out of the link
    again.button(key="told-0").click().run()
    assert_healthy(again)
    assert (counts(opened).here, counts(opened).answers) == ({1: 1}, {1: {1: 1}})


def test_who_has_answered_sees_how_the_room_did_and_nobody_else(opened):
    rooms.rooms().answer(opened.code, "another", 1, 0)
    app = arrive(opened.code)
    assert "room-answers" not in html(app)
    app.button(key="told-1").click().run()
    assert "How the room answered, of 2" in html(app) and "(you)" in html(app)
    assert html(app).count("1 · 50%") == 2
    rooms.rooms().answer(opened.code, "a third", 1, 0)
    app.button(key="room-again").click().run()
    assert "How the room answered, of 3" in html(app) and "2 · 67%" in html(app)


def test_a_press_before_the_browser_says_which_tab_it_is_is_counted_when_it_does(opened):
    app = arrive(opened.code, tab="")
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert counts(opened).visitors == 0
    app.session_state[room.VISITOR] = TAB
    app.run()
    assert counts(opened).answers == {1: {1: 1}}


def test_the_links_of_the_tour_keep_the_room_and_leaving_takes_it_out(opened):
    typed = f" {opened.code[:3].lower()} {opened.code[3:].lower()}"
    app = arrive(typed)
    assert_healthy(app)
    assert counts(opened).visitors == 1
    assert f"tourstep=2&amp;room={opened.code}" in html(app)
    assert link_of(app)["room"] == opened.code


@pytest.mark.parametrize("code", ["34679C", "K7", "<b>$x$", "x" * 400])
def test_a_room_that_is_none_gets_a_sentence_and_the_tour_goes_on(code):
    app = arrive(code)
    assert_healthy(app)
    [warning] = app.warning
    assert warning.value.endswith("The tour goes on without a room.") and len(warning.value) < 250
    assert "room" not in link_of(app) and f"**{TOUR.steps[0].title}.**" in words(app)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert not app.warning and "Measured now" in words(app) and "room-answers" not in html(app)


def test_a_room_on_another_tour_and_one_that_ends_meanwhile(opened):
    other = rooms.rooms().open_room("next-token")
    app = arrive(other.code)
    assert app.warning[0].value == f"Room {other.code} is on another tour; “{TOUR.title}” goes on without it."
    assert counts(other).visitors == 0
    app = arrive(opened.code)
    rooms.rooms().end(opened.code, opened.secret)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert "it has ended" in app.warning[0].value and "Measured now" in words(app)


def test_a_wrong_step_is_said_and_the_last_one_is_counted(opened):
    app = arrive(opened.code, tourstep="99")
    assert_healthy(app)
    assert "has no step 99" in app.warning[0].value


def test_a_locked_file_does_not_stop_the_tour(opened, folder, monkeypatch):
    monkeypatch.setattr(rooms, "PATIENCE", 0.01)
    monkeypatch.setattr(room, "REST", 0.0)
    app = arrive(opened.code)
    rooms.rooms().close()
    with sqlite3.connect(folder / FILE, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        app.button(key="told-1").click().run()
        assert_healthy(app)
        assert "cannot be reached now" in app.warning[0].value and "Measured now" in words(app)
        other.execute("ROLLBACK")
    app.run()
    assert not app.warning and counts(opened).answers == {1: {1: 1}}  # nothing was lost


def test_a_tab_keeps_its_number_over_reloads_and_another_tab_has_another():
    body = """
        const kept = {};
        globalThis.sessionStorage = { getItem: (k) => kept[k] ?? null, setItem: (k, v) => { kept[k] = v; } };
        const first = tabNumber(), reloaded = tabNumber();
        delete kept["tlmviz-tab"];
        globalThis.sessionStorage = { getItem: () => "<b>", setItem: () => { throw new Error("no storage"); } };
        result = [first, reloaded, tabNumber(), tabNumber()];
    """
    first, reloaded, *blocked = evaluate({"tlmviz/ui/components/tab/view.js": "tabNumber"}, body)
    assert first == reloaded and len(first) == 32 and set(first) <= set("0123456789abcdef")
    assert blocked[0] == blocked[1] and len(blocked[0]) == 32
