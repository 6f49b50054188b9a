"""The page Classroom: a room opened, its wall, answers revealed and hidden, its end, and links that are wrong."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.start.room import view
from tests.pages import helpers
from tests.pages.helpers import assert_healthy, follow_link, open_page
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import DAY, FILE, FOLDER, Rooms
from tlmviz.ui import visit
from tlmviz.ui.tours import bar
from tlmviz.ui.tours.table import TOURS

PAGE = "start/room"
TOUR = TOURS["earlier-anna"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Rooms of each test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


@pytest.fixture
def opened():
    return rooms.rooms().open_room(TOUR.name)


def html(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def cards(app) -> list[str]:
    """The wall's steps, as shown."""
    return [part.proto.body for part in app.get("html") if '"room-step"' in part.proto.body]


def wall(opened, **session):
    """The teacher's page, with the steps and not the large code."""
    query = {"code": [opened.code], "teach": [opened.secret]}
    return follow_link(PAGE, query, from_the_start=True, **session)


def test_every_tour_can_be_chosen_with_what_it_asks():
    app = open_page(PAGE)
    assert_healthy(app)
    assert app.selectbox(key="rtour").options == [tour.title for tour in TOURS.values()]
    app.selectbox(key="rtour").select(TOUR.name).run()
    for step in TOUR.steps:
        assert step.question is None or step.question.asks in helpers.words(app)
    assert "marks that name nobody" in helpers.words(app)


def test_a_room_is_opened_with_a_link_for_students_and_one_for_the_teacher():
    app = open_page(PAGE)
    app.selectbox(key="rtour").select(TOUR.name).run()
    app.button(key="roomopen").click().run()
    assert_healthy(app)
    [own] = [code.value for code in app.code]
    parts = urlsplit(own)
    [code], [secret] = parse_qs(parts.query)["code"], parse_qs(parts.fragment)["teach"]
    assert secret not in parts.query and secret not in str(helpers.link_of(app))
    assert rooms.rooms().counts(code, secret).tour == TOUR.name
    assert f"<b>{code[:3]} {code[3:]}</b>" in html(app) and f"/join/{code}" in html(app)
    assert secret not in html(app) and 'src="data:image/svg+xml' in html(app)
    assert TOUR.title in helpers.words(app)
    assert not cards(app)  # the code is large while nobody is there
    rooms.rooms().visit(code, "v", 1)
    assert not cards(app.run())  # and stays so until it is switched off
    app.toggle(key="roomlarge").set_value(False).run()
    assert_healthy(app)
    assert len(cards(app)) == len(TOUR.steps)


def test_the_wall_shows_who_is_where_and_answers_only_when_they_are_revealed(opened, monkeypatch):
    found = rooms.rooms()
    for visitor in range(4):
        found.answer(opened.code, str(visitor), 1, visitor % 2)
        if visitor:
            found.visit(opened.code, str(visitor), 3)
    measured = []
    real = bar.measured
    monkeypatch.setattr(bar, "measured", lambda *step: measured.append(step) or real(*step))
    app = wall(opened)
    assert_healthy(app)
    assert "<b>4</b>" in html(app) and "Ends " in html(app)
    first, second, third = (re.findall(r"(\d+) (?:here|further)", card) for card in cards(app)[:3])
    assert (first, second, third) == (["1", "3"], ["0", "3"], ["3", "0"])
    assert "4 answers" in html(app) and "room-answers" not in html(app) and not measured
    app.button(key="reveal1").click().run()
    assert_healthy(app)
    right = real(TOUR.name, 1).answer
    assert html(app).count('room-answers"') == 1 and "2 · 50%" in html(app)
    assert f"✓ {TOUR.steps[0].question.answers[right]}" in html(app)
    assert found.counts(opened.code, opened.secret).revealed == {
        1
    }  # another screen of the teacher's shows it too
    app.button(key="reveal1").click().run()
    assert 'room-answers"' not in html(app) and app.button(key="reveal1").label == "Reveal"
    app.button(key="revealall").click().run()
    asked = {number for number, step in enumerate(TOUR.steps, 1) if step.question}
    assert found.counts(opened.code, opened.secret).revealed == asked
    app.button(key="hideall").click().run()
    assert_healthy(app)
    assert not found.counts(opened.code, opened.secret).revealed


def test_a_wall_that_looks_again_measures_nothing_again(opened, monkeypatch):
    asked = []
    question = TOUR.steps[0].question
    real = question.measure
    monkeypatch.setattr(type(question), "__setattr__", object.__setattr__)
    monkeypatch.setattr(question, "measure", lambda: asked.append(1) or real())
    bar.measured.clear()
    rooms.rooms().answer(opened.code, "v", 1, 0)
    rooms.rooms().reveal(opened.code, opened.secret, frozenset({1}))
    app = wall(opened)
    for _ in range(3):
        app.run()
    assert_healthy(app)
    assert len(asked) == 1 and "✓ " in html(app)


def test_a_student_types_the_code_as_it_is_heard(opened):
    app = open_page(PAGE)
    app.text_input(key="code").input(f"{opened.code[:3].lower()} {opened.code[3:]}").run()
    assert_healthy(app)
    assert f"tour={TOUR.name}&amp;room={opened.code}" in html(app) and f"Begin “{TOUR.title}”" in html(app)
    app.text_input(key="code").input("nonsense").run()
    assert not app.exception
    assert "“nonsense” is no room code" in app.error[0].value and '"room-join"' not in html(app)


def test_ending_a_room_deletes_it_and_says_so(opened):
    app = wall(opened)
    app.button(key="roomend").click().run()
    assert_healthy(app)
    assert app.info[
        0
    ].value == "The room is ended, and its counts are deleted." and "teach" not in helpers.link_of(app)
    assert app.button(key="roomopen")
    with pytest.raises(rooms.NoRoom):
        rooms.rooms().tour(opened.code)


@pytest.mark.parametrize(
    ("code", "secret", "said"),
    [
        ("34679C", "x", "There is no room 34679C: it has ended"),
        ("", "x", "“” is no room code"),
        (None, "wrong", "This is not the teacher's link of room"),
        ("$x$ <b>", "é" * 200, "is no room code"),
    ],
)
def test_a_wrong_link_is_one_sentence_and_the_ways_in(opened, code, secret, said):
    query = {"code": [opened.code if code is None else code], "teach": [secret]}
    app = follow_link(PAGE, query, from_the_start=True)
    assert not app.exception
    assert said in app.error[0].value and not cards(app) and app.button(key="roomopen")


def test_a_day_later_the_wall_says_that_the_room_has_ended(opened, folder, monkeypatch):
    clock = rooms.rooms().clock
    app = wall(opened)
    assert_healthy(app)
    monkeypatch.setattr(rooms.rooms(), "clock", lambda: clock() + DAY)
    app.run()
    assert not app.exception
    assert "it has ended, as every room does after a day" in app.error[0].value and not cards(app)


def test_too_many_rooms_and_a_file_out_of_reach_are_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(rooms, "MOST_ROOMS", 0)
    app = open_page(PAGE)
    app.button(key="roomopen").click().run()
    assert not app.exception and "0 rooms are open" in app.info[0].value
    monkeypatch.setenv(FOLDER, str(tmp_path / "nowhere"))
    app.button(key="roomopen").click().run()
    assert not app.exception and "cannot be reached now" in app.info[0].value


def test_rooms_and_codes_are_counted_by_address(monkeypatch):
    monkeypatch.setattr(rooms, "OPENED", 1)
    monkeypatch.setattr(rooms, "WRONG", 1)
    monkeypatch.setattr(visit, "address", lambda: "10.0.0.1")
    for said in ("", "1 rooms were opened from your address"):
        app = open_page(PAGE)
        app.button(key="roomopen").click().run()
        assert not app.exception and said in " ".join(each.value for each in app.info)
    app = open_page(PAGE)
    for code, said in (("CDFHJK", "There is no room CDFHJK"), ("CDFHJM", "1 room codes that are none came")):
        app.text_input(key="code").input(code).run()
        assert not app.exception and said in app.error[0].value


def test_the_end_is_told_by_the_visitors_clock(monkeypatch):
    class Context:
        timezone = "Europe/Paris"

    monkeypatch.setattr(view.st, "context", Context)
    assert view._when(1_767_225_600.0) == "Thursday 01:00"  # midnight in Greenwich, winter
    Context.timezone = "Mars/Crater"
    assert view._when(1_767_225_600.0) == "Thursday 00:00"


def test_the_page_names_the_file_that_the_processes_share(folder):
    open_page(PAGE).button(key="roomopen").click().run()
    other = Rooms(folder / FILE)
    assert other.path == rooms.rooms().path and (folder / FILE).exists()
    other.close()
