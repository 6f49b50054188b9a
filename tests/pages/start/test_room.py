"""The page Classroom: a room opened, its wall, answers revealed and hidden, its end, and links that are wrong."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

from pages.start.room import view
from tests.pages import helpers
from tests.pages.helpers import assert_healthy, follow_link, open_page
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import DAY, FILE, FOLDER, Rooms
from tlmviz.ui import markdown, visit
from tlmviz.ui.lessons import asked, runner
from tlmviz.ui.lessons.table import LESSONS

PAGE = "start/room"
LESSON = LESSONS["next"]
SCENES = runner.payload(LESSON)["scenes"]
ASKING = [number for number, scene in enumerate(SCENES, 1) if scene["answers"]]
[SILENT] = {*range(1, len(SCENES) + 1)} - {*ASKING}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Rooms of each test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


@pytest.fixture
def opened():
    return rooms.rooms().open_room(LESSON.name)


def html(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def cards(app) -> list[str]:
    """The wall's scenes, as shown."""
    return [part.proto.body for part in app.get("html") if 'class="room-step' in part.proto.body]


def wall(opened, **session):
    """The teacher's page, with the scenes and not the large code."""
    query = {"code": [opened.code], "teach": [opened.secret]}
    return follow_link(PAGE, query, from_the_start=True, **session)


def test_every_lesson_can_be_chosen_with_what_it_asks():
    app = open_page(PAGE)
    assert_healthy(app)
    assert app.selectbox(key="rlesson").options == [lesson.title for lesson in LESSONS.values()]
    app.selectbox(key="rlesson").select(LESSON.name).run()
    for number in ASKING:
        assert markdown.plain(SCENES[number - 1]["says"].replace("**", "")) in helpers.words(app)
    assert "marks that name nobody" in helpers.words(app)


def test_a_room_is_opened_with_a_link_for_students_and_one_for_the_teacher():
    app = open_page(PAGE)
    app.selectbox(key="rlesson").select(LESSON.name).run()
    app.button(key="roomopen").click().run()
    assert_healthy(app)
    [own] = [code.value for code in app.code]
    parts = urlsplit(own)
    [code], [secret] = parse_qs(parts.query)["code"], parse_qs(parts.fragment)["teach"]
    assert secret not in parts.query and secret not in str(helpers.link_of(app))
    assert rooms.rooms().counts(code, secret).lesson == LESSON.name
    assert f"<b>{code[:3]} {code[3:]}</b>" in html(app) and f"/join/{code}" in html(app)
    assert secret not in html(app) and 'src="data:image/svg+xml' in html(app)
    assert LESSON.title in helpers.words(app)
    assert not cards(app)  # the code is large while nobody is there
    rooms.rooms().visit(code, "v", 1)
    assert not cards(app.run())  # and stays so until it is switched off
    app.toggle(key="roomlarge").set_value(False).run()
    assert_healthy(app)
    assert len(cards(app)) == len(SCENES)


def test_the_wall_shows_who_is_where_and_answers_only_when_they_are_revealed(opened, monkeypatch):
    found = rooms.rooms()
    for visitor in range(4):
        found.answer(opened.code, str(visitor), 1, visitor % 2)
        if visitor:
            found.visit(opened.code, str(visitor), 3)
    app = wall(opened)
    assert_healthy(app)
    assert "<b>4</b>" in html(app) and "Ends " in html(app)
    first, second, third = (re.findall(r"(\d+) (?:here|further)", card) for card in cards(app)[:3])
    assert (first, second, third) == (["1", "3"], ["0", "3"], ["3", "0"])
    assert "4 answers" in html(app) and 'room-answers"' not in html(app)
    app.button(key="reveal1").click().run()
    assert_healthy(app)
    assert html(app).count('class="room-answers') == 1 and "2 · 50%" in html(app)
    [right] = SCENES[0]["rights"]
    assert f"✓ {SCENES[0]['answers'][right]}" in html(app)
    assert found.counts(opened.code, opened.secret).revealed == {1}  # another screen of the teacher's shows it too
    app.button(key="reveal1").click().run()
    assert 'class="room-answers' not in html(app) and app.button(key="reveal1").label == "Reveal"
    found.answer(opened.code, "0", ASKING[1], 0)
    app.button(key="revealall").click().run()
    revealed = found.counts(opened.code, opened.secret).revealed
    assert revealed == {*ASKING[:2]}  # those that somebody has answered
    app.button(key="hideall").click().run()
    assert_healthy(app)
    assert not found.counts(opened.code, opened.secret).revealed


def test_a_wall_that_looks_again_measures_nothing_again(opened, monkeypatch):
    app = wall(opened)
    monkeypatch.setattr(runner.compute, "run_in_worker", None)
    for _ in range(3):
        app.run()
    assert_healthy(app)


def test_a_student_types_the_code_as_it_is_heard(opened):
    app = open_page(PAGE)
    app.text_input(key="code").input(f"{opened.code[:3].lower()} {opened.code[3:]}").run()
    assert_healthy(app)
    assert f"lessons?lesson={LESSON.name}&amp;room={opened.code}" in html(app) and f"Begin “{LESSON.title}”" in html(
        app
    )
    app.text_input(key="code").input("nonsense").run()
    assert not app.exception
    assert "“nonsense” is no room code" in app.error[0].value and '"room-join"' not in html(app)


def test_ending_a_room_deletes_it_and_says_so(opened):
    app = wall(opened)
    app.button(key="roomend").click().run()
    assert_healthy(app)
    assert app.info[0].value == "The room is ended, and its counts are deleted." and "teach" not in helpers.link_of(app)
    assert app.button(key="roomopen")
    with pytest.raises(rooms.NoRoom):
        rooms.rooms().lesson(opened.code)


@pytest.mark.parametrize(
    ("code", "secret", "said"),
    [
        ("34679C", "x", "There is no room 34679C; look at its code on the teacher's screen again."),
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
    assert f"Room {opened.code} has ended, as each does after a day" in app.error[0].value and not cards(app)
    app = open_page(PAGE)
    app.text_input(key="code").input(opened.code).run()  # a student who comes too late
    assert f"Room {opened.code} has ended" in app.error[0].value


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


def keys(app) -> set[str]:
    return {button.key for button in app.button}


def test_a_question_that_nobody_has_answered_is_neither_revealed_nor_voted_on_again(opened):
    app = wall(opened, roomlarge=False)
    assert_healthy(app)
    assert not {"reveal1", "again1"} & keys(app) and "No answer yet" in html(app)
    rooms.rooms().answer(opened.code, "v", 1, 0)
    app.run()
    assert {"reveal1", "again1"} <= keys(app) and "reveal3" not in keys(app)


def test_the_wall_shows_both_votes_beside_each_other_once_they_are_revealed(opened):
    found = rooms.rooms()
    for visitor, answer in (("a", 0), ("b", 1)):
        found.answer(opened.code, visitor, 1, answer)
    app = wall(opened)
    app.button(key="reveal1").click().run()
    app.button(key="again1").click().run()
    assert_healthy(app)
    assert 'class="room-answers' not in html(app) and "again1" not in keys(app)
    assert "2 answers, 0 in the second vote" in html(app)
    found.answer(opened.code, "a", 1, 1, 2)
    app.button(key="reveal1").click().run()
    assert_healthy(app)
    assert "2 answers, 1 in the second vote" in html(app)
    assert "1 · 50% → 0 · 0%" in html(app) and "1 · 50% → 1 · 100%" in html(app)
    assert "first vote → second vote" in html(app)


def test_the_room_is_held_at_a_scene_and_let_go(opened):
    app = wall(opened, roomlarge=False)
    assert f"hold{len(SCENES)}" not in keys(app)  # the last scene, beyond which there is nothing
    app.button(key="hold2").click().run()
    assert_healthy(app)
    assert rooms.rooms().counts(opened.code, opened.secret).held == 2
    assert [" held" in card for card in cards(app)] == [number == 2 for number in range(1, len(SCENES) + 1)]
    assert (app.button(key="hold2").label, app.button(key="hold3").label) == ("Let go", "Hold here")
    app.button(key="hold3").click().run()  # elsewhere: there is one such scene
    assert rooms.rooms().counts(opened.code, opened.secret).held == 3
    app.button(key="hold3").click().run()
    assert rooms.rooms().counts(opened.code, opened.secret).held == 0 and " held" not in "".join(cards(app))


def test_results_wait_as_the_switch_says_on_each_screen_of_the_teachers(opened):
    app, other = wall(opened), wall(opened)
    assert not app.toggle(key="roomwithheld").value
    app.toggle(key="roomwithheld").set_value(True).run()
    assert_healthy(app)
    assert rooms.rooms().counts(opened.code, opened.secret).withheld
    assert other.run().toggle(key="roomwithheld").value
    app.toggle(key="roomwithheld").set_value(False).run()
    assert not rooms.rooms().counts(opened.code, opened.secret).withheld


def test_one_question_of_a_lesson_has_a_room_of_its_own():
    app = open_page(PAGE)
    app.selectbox(key="rlesson").select(LESSON.name).run()
    assert f"roomone{SILENT}" not in keys(app)
    app.button(key="roomone4").click().run()
    assert_healthy(app)
    code = helpers.link_of(app)["code"]
    assert rooms.rooms().lesson(code) == asked.alone(LESSON, 4) and LESSON.title in helpers.words(app)
    rooms.rooms().answer(code, "v", 1, 0)
    app.toggle(key="roomlarge").set_value(False).run()
    app.button(key="reveal1").click().run()
    assert_healthy(app)
    assert len(cards(app)) == 1 and "✓ " in html(app) and not any(key.startswith("hold") for key in keys(app))


def test_an_own_question_is_opened_with_what_was_typed_and_what_is_wrong_loses_nothing():
    app = open_page(PAGE)
    [form] = [button for button in app.button if button.label == "Open a room on it"]
    app.text_input(key="ownlink").input("/nowhere")
    app.text_input(key="ownasks").input("<i>Which</i>?")
    for number, answer in ((1, "one"), (2, "<u>two</u>")):
        app.text_input(key=f"ownanswer{number}").input(answer)
    form.click().run()
    assert not app.exception and "There is no page 'nowhere'" in app.info[0].value
    assert app.text_input(key="ownasks").value == "<i>Which</i>?"
    app.text_input(key="ownlink").input("/kv_cache?head=4.2")
    app.selectbox(key="ownright").set_value(2)
    [form] = [button for button in app.button if button.label == "Open a room on it"]
    form.click().run()
    assert_healthy(app)
    code = helpers.link_of(app)["code"]
    [scene] = runner.payload(asked.of_room(rooms.rooms().lesson(code)).lesson)["scenes"]
    [part] = scene["before"]
    assert part["options"]["link"] == "kv_cache?head=4.2&embed=true" and scene["rights"] == [1]
    rooms.rooms().answer(code, "v", 1, 1)
    app.toggle(key="roomlarge").set_value(False).run()
    app.button(key="reveal1").click().run()
    assert_healthy(app)
    assert "✓ &lt;u&gt;two" in html(app) and "&lt;i&gt;Which" in html(app) and "<u>" not in html(app)
