"""A lesson in a room: what a student's tab counts there, what it is told, and how the lesson goes on without the
room."""

import json
import sqlite3

import pytest
from streamlit.testing.v1 import AppTest

from tests.javascript.node import evaluate
from tests.pages.helpers import MAIN, assert_healthy, words
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import FILE, FOLDER
from tlmviz.ui.components import lesson as component
from tlmviz.ui.lessons import room

TAB = "0" * 31 + "1"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Rooms of each test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


@pytest.fixture
def opened():
    return rooms.rooms().open_room("next")


@pytest.fixture
def browser(monkeypatch):
    """What the browser has said, which a test may change."""
    said = {"scene": 1, "visitor": TAB, "answers": {}}
    monkeypatch.setattr(component, "said", lambda: said)
    return said


def arrive(code: str, **query) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=300)
    app.query_params.update({"lesson": "next", "room": code, **query})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages.HOME", "start/lessons")
        return app.run()


def told(app) -> dict:
    """What the browser is told of the room."""
    parts = [part.proto for part in app.get("bidi_component")]
    found = [json.loads(part.json) for part in parts if part.component_name.endswith("tlmviz_lesson_room")]
    return found[0] if found else {}


def lesson(app) -> dict:
    parts = [part.proto for part in app.get("bidi_component")]
    return next(json.loads(part.json) for part in parts if part.component_name.endswith("tlmviz_lesson"))


def counts(opened):
    return rooms.rooms().counts(opened.code, opened.secret)


def test_a_visit_and_an_answer_are_counted_once_however_often_the_page_runs(opened, browser):
    app = arrive(f" {opened.code[:3].lower()} {opened.code[3:].lower()}")
    assert_healthy(app)
    assert lesson(app)["room"] == opened.code and not app.warning
    assert (counts(opened).here, counts(opened).votes) == ({1: 1}, {})
    browser["answers"] = {"1.1": 2}
    app.run()
    assert counts(opened).votes == {1: ({2: 1},)} and told(app)["votes"] == [{"2": 1}]
    app.run()
    browser["answers"] = {"1.1": 0}
    assert_healthy(arrive(opened.code))  # the tab was reloaded, and answers anew
    assert (counts(opened).here, counts(opened).votes) == ({1: 1}, {1: ({2: 1},)})


def test_nothing_is_counted_before_the_browser_says_which_tab_it_is(opened, browser):
    for nonsense in ({}, {"scene": "1", "visitor": TAB}, {"scene": 1, "visitor": "<b>"}):
        browser.clear()
        browser.update(nonsense)
        app = arrive(opened.code)
        assert_healthy(app)
        assert counts(opened).visitors == 0 and told(app)["scene"] == 0


@pytest.mark.parametrize(
    "nonsense", [{"1.1": "x"}, {"1.1": 99}, {"0.1": 0}, {"1.2": 0}, {"x": 0}, {"1.7": 1}, {"99.1": 1}, []]
)
def test_what_no_browser_says_is_not_counted(opened, browser, nonsense):
    browser["answers"] = nonsense
    assert_healthy(arrive(opened.code))
    assert counts(opened).votes == {}


@pytest.mark.parametrize("code", ["34679C", "K7", "<b>$x$", "x" * 400])
def test_a_room_that_is_none_gets_a_sentence_and_the_lesson_goes_on(code, browser):
    app = arrive(code)
    assert_healthy(app)
    said = lesson(app)["note"]  # in the lesson, which covers the page
    assert said.endswith("The lesson goes on without a room.") and len(said) < 250
    assert not lesson(app)["room"] and not told(app)


def test_a_room_on_another_lesson_and_one_that_ends_meanwhile(opened, browser):
    other = rooms.rooms().open_room("looking")
    app = arrive(other.code)
    assert lesson(app)["note"] == f"Room {other.code} is on another lesson. The lesson goes on without a room."
    assert counts(other).visitors == 0 and not lesson(app)["room"]
    app = arrive(opened.code)
    rooms.rooms().end(opened.code, opened.secret)
    app.run()
    assert_healthy(app)
    assert told(app)["ended"] and told(app)["note"].startswith(f"Room {opened.code} has ended")
    assert lesson(arrive(opened.code))["note"].startswith(f"Room {opened.code} has ended")


def test_a_locked_file_does_not_stop_the_lesson(opened, browser, folder, monkeypatch):
    monkeypatch.setattr(rooms, "PATIENCE", 0.01)
    monkeypatch.setattr(room, "REST", 0.0)
    app = arrive(opened.code)
    rooms.rooms().close()
    browser["answers"] = {"1.1": 1}
    with sqlite3.connect(folder / FILE, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        app.run()
        assert_healthy(app)
        assert "cannot be reached now" in told(app)["note"]
        other.execute("ROLLBACK")
    app.run()
    assert not told(app)["note"] and counts(opened).votes == {1: ({1: 1},)}  # nothing was lost


def test_a_tab_keeps_its_number_over_reloads_and_another_tab_has_another():
    body = """
        const kept = {};
        globalThis.sessionStorage = { getItem: (k) => kept[k] ?? null, setItem: (k, v) => { kept[k] = v; } };
        const first = tabNumber(), reloaded = tabNumber();
        delete kept["tlmviz-tab"];
        globalThis.sessionStorage = { getItem: () => "<b>", setItem: () => { throw new Error("no storage"); } };
        result = [first, reloaded, tabNumber(), tabNumber()];
    """
    first, reloaded, *blocked = evaluate({"tlmviz/ui/components/lesson/tab.js": "tabNumber"}, body)
    assert first == reloaded and len(first) == 32 and set(first) <= set("0123456789abcdef")
    assert blocked[0] == blocked[1] and len(blocked[0]) == 32


def test_results_that_wait_are_told_when_the_teacher_reveals_them(opened, browser):
    found = rooms.rooms()
    found.withhold(opened.code, opened.secret, True)
    browser["answers"] = {"1.1": 1}
    app = arrive(opened.code)
    assert counts(opened).votes == {1: ({1: 1},)}
    assert not told(app)["shown"] and not told(app)["votes"]
    found.reveal(opened.code, opened.secret, frozenset({1}))
    app.run()
    assert told(app)["shown"] and told(app)["votes"] == [{"1": 1}]


def test_a_second_vote_is_asked_and_counted_once(opened, browser):
    found = rooms.rooms()
    found.answer(opened.code, "another", 1, 0)
    browser["answers"] = {"1.1": 1}
    app = arrive(opened.code)
    assert not told(app)["again"]
    found.vote_again(opened.code, opened.secret, 1)
    app.run()
    assert told(app)["again"] and told(app)["vote"] == 2
    browser["answers"] |= {"1.2": 0}
    app.run()
    assert not told(app)["again"] and counts(opened).votes == {1: ({0: 1, 1: 1}, {0: 1})}
    assert not told(arrive(opened.code))["again"]  # reloaded: this tab has voted


def test_nobody_is_counted_beyond_the_scene_at_which_the_room_is_held(opened, browser):
    rooms.rooms().hold(opened.code, opened.secret, 2)
    browser["scene"] = 4
    app = arrive(opened.code)
    assert told(app)["held"] == 2 and counts(opened).visitors == 0
    browser["scene"] = 2
    app.run()
    assert counts(opened).here == {2: 1}


def test_a_wall_counts_nothing_and_is_told_only_what_is_revealed(opened, browser):
    rooms.rooms().answer(opened.code, "another", 1, 0)
    browser["answers"] = {"1.1": 1}
    app = arrive(opened.code, wall="1")
    assert lesson(app)["wall"] and counts(opened).visitors == 1
    assert not told(app)["shown"] and not told(app)["votes"]
    rooms.rooms().reveal(opened.code, opened.secret, frozenset({1}))
    app.run()
    assert told(app)["shown"] and told(app)["votes"] == [{"0": 1}]


def test_a_teachers_own_question_is_asked_in_its_room_alone(browser):
    from tlmviz.ui.lessons import asked

    opened = rooms.rooms().open_room(asked.own("/kv_cache?head=1.2", "What grows?", ("this", "that")))
    app = arrive(opened.code, lesson="own")
    assert_healthy(app)
    assert lesson(app)["scenes"][0]["says"] == "What grows?" and lesson(app)["alone"] and not lesson(app)["end"]
    browser["answers"] = {"1.1": 1}
    app.run()
    assert counts(opened).votes == {1: ({1: 1},)}
    app = arrive("", lesson="own")
    assert "There is no lesson “own” here" in app.warning[0].value and "Lessons" in words(app)
