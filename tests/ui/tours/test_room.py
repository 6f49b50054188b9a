"""A tour in a room: what a student's tab counts there, what it sees and is asked, and how the tour goes on without the room."""

import json
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
    assert (counts(opened).here, counts(opened).votes) == ({1: 1}, {})
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert counts(opened).votes == {1: ({1: 1},)}
    app.run()
    again = arrive(opened.code, told="")  # the tab was reloaded, and its answer taken out of the link
    again.button(key="told-0").click().run()
    assert_healthy(again)
    assert (counts(opened).here, counts(opened).votes) == ({1: 1}, {1: ({1: 1},)})


def test_who_has_answered_sees_how_the_room_did_and_nobody_else(opened):
    rooms.rooms().answer(opened.code, "another", 1, 0)
    app = arrive(opened.code)
    assert "room-answers" not in html(app)
    app.button(key="told-1").click().run()
    assert "How the room answered, of 2" in html(app) and "(you)" in html(app)
    assert html(app).count("1 · 50%") == 2
    rooms.rooms().answer(opened.code, "a third", 1, 0)
    app.run()  # as a tab in a room does by itself
    assert "How the room answered, of 3" in html(app) and "2 · 67%" in html(app)


def test_a_press_before_the_browser_says_which_tab_it_is_is_counted_when_it_does(opened):
    app = arrive(opened.code, tab="")
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert counts(opened).visitors == 0
    app.session_state[room.VISITOR] = TAB
    app.run()
    assert counts(opened).votes == {1: ({1: 1},)}


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
    assert warning.value.endswith(f"“{TOUR.title}” goes on without a room.") and len(warning.value) < 250
    assert "room" not in link_of(app) and f"**{TOUR.steps[0].title}.**" in words(app)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert not app.warning and "Measured now" in words(app) and "room-answers" not in html(app)


def test_a_room_on_another_tour_and_one_that_ends_meanwhile(opened):
    other = rooms.rooms().open_room("next-token")
    app = arrive(other.code)
    assert (
        app.warning[0].value
        == f"Room {other.code} is on another tour. “{TOUR.title}” goes on without a room."
    )
    assert counts(other).visitors == 0
    app = arrive(opened.code)
    rooms.rooms().end(opened.code, opened.secret)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert app.warning[0].value.startswith(f"Room {opened.code} has ended")
    assert "Measured now" in words(app) and "room" not in link_of(app)
    app = arrive(opened.code)
    assert app.warning[0].value.startswith(f"Room {opened.code} has ended")


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
    assert not app.warning and counts(opened).votes == {1: ({1: 1},)}  # nothing was lost


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


def test_results_that_wait_are_shown_when_the_teacher_reveals_them(opened):
    found = rooms.rooms()
    found.withhold(opened.code, opened.secret, True)
    app = arrive(opened.code)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    said = f"Your answer, “{TOUR.steps[0].question.answers[1]}”, is counted."
    assert said in words(app) and spotlit(app)["hide"]
    assert "Measured now" not in words(app) and "room-answers" not in html(app)
    assert counts(opened).votes == {1: ({1: 1},)}
    found.reveal(opened.code, opened.secret, frozenset({1}))
    app.run()
    assert said not in words(app) and not spotlit(app)["hide"]
    assert "Measured now" in words(app) and "How the room answered, of 1" in html(app)


def spotlit(app) -> dict:
    """What the browser is told of the place that is lit."""
    parts = [part.proto for part in app.get("bidi_component")]
    return next(json.loads(part.json) for part in parts if part.component_name.endswith("tlmviz_spotlight"))


def test_a_second_vote_is_asked_and_counted_once_and_the_first_is_not_judged_meanwhile(opened):
    found = rooms.rooms()
    found.answer(opened.code, "another", 1, 0)
    found.withhold(opened.code, opened.secret, True)
    app = arrive(opened.code)
    app.button(key="told-1").click().run()
    found.vote_again(opened.code, opened.secret, 1)
    app.run()
    assert_healthy(app)
    assert "Your teacher asks again" in words(app) and TOUR.steps[0].question.answers[1] in words(app)
    assert "Measured now" not in words(app) and spotlit(app)["hide"]
    app.button(key="told-0").click().run()
    assert_healthy(app)
    assert "asks again" not in words(app) and "is counted" in words(app)
    again = arrive(opened.code, told="0")  # reloaded: this tab has voted
    assert "asks again" not in words(again) and "is counted" in words(again)
    assert counts(opened).votes == {1: ({0: 1, 1: 1}, {0: 1})}
    found.reveal(opened.code, opened.secret, frozenset({1}))
    app.run()
    assert "1 · 50% → 1 · 100%" in html(app) and "1 · 50% → 0 · 0%" in html(app)
    assert "of 2 in the first vote and 1 in the second" in html(app) and "Measured now" in words(app)


def test_who_comes_late_to_a_second_vote_is_asked_once_and_counts_in_it(opened):
    rooms.rooms().answer(opened.code, "another", 1, 0)
    rooms.rooms().vote_again(opened.code, opened.secret, 1)
    app = arrive(opened.code)
    assert "asks again" not in words(app)
    app.button(key="told-1").click().run()
    assert "Measured now" in words(app)
    assert counts(opened).votes == {1: ({0: 1}, {1: 1})}


def test_a_tab_that_is_not_known_yet_is_not_asked_again(opened):
    rooms.rooms().answer(opened.code, TAB, 1, 0)
    rooms.rooms().vote_again(opened.code, opened.secret, 1)
    assert "asks again" not in words(arrive(opened.code, tab="", told="0"))
    assert "asks again" in words(arrive(opened.code, told="0"))


def test_nobody_goes_beyond_the_step_at_which_the_room_is_held(opened):
    said = "Your teacher holds the room at step 2."
    rooms.rooms().hold(opened.code, opened.secret, 2)
    app = arrive(opened.code)
    assert "tourstep=2" in html(app) and said not in html(app)
    there = arrive(opened.code, tourstep="2", **TOUR.steps[1].link)
    assert_healthy(there)
    assert said in html(there) and "tourstep=3" not in html(there) and 'rel="prev"' in html(there)
    assert f"**{TOUR.steps[1].title}.**" in words(there)
    beyond = arrive(opened.code, tourstep="4", **TOUR.steps[3].link)
    assert_healthy(beyond)
    assert said in html(beyond) and "Back to step 2, Attention explorer" in html(beyond)
    assert TOUR.steps[3].says not in words(beyond) and "tourstep=5" not in html(beyond)
    assert counts(opened).here == {2: 1}  # what is out of reach is not counted
    rooms.rooms().hold(opened.code, opened.secret, 0)
    beyond.run()
    assert said not in html(beyond) and f"**{TOUR.steps[3].title}.**" in words(beyond)
    assert counts(opened).here == {4: 1}


def test_what_a_room_says_is_said_in_the_visitors_language(opened):
    found = rooms.rooms()
    found.hold(opened.code, opened.secret, 1)
    found.withhold(opened.code, opened.secret, True)
    app = arrive(opened.code, lang="en-XA")
    app.button(key="told-1").click().run()
    assert "hóldś" in html(app) and "íś ćóúńtéd" in words(app)
