"""What a room is on besides a tour: one question of a tour, and a teacher's own, with everything that it refuses."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.helpers import MAIN, assert_healthy, link_of, words
from tlmviz.errors import Error
from tlmviz.hosting import rooms
from tlmviz.hosting.rooms import FOLDER, MOST_TEXT, NoRoom
from tlmviz.ui.tours import asked, bar, room
from tlmviz.ui.tours.table import TOURS

TOUR = TOURS["earlier-anna"]
LINK = "https://elsewhere.example/kv_cache?model=stories-rope&head=4.2&tour=earlier-anna&room=CDFHJK"
ASKS = "Which of <b>these</b> *grows* ![x](http://x.example/y.png)?"
ANSWERS = ("the cache", "", "<img src=x onerror=alert(1)>", "nothing")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path))


def test_a_step_alone_is_a_tour_of_one_step_measured_as_in_its_tour():
    name = asked.alone(TOUR, 4)
    tour = asked.named(name)
    assert tour.steps == (TOUR.steps[3],) and tour.name == name
    assert asked.named(TOUR.name) is TOUR and asked.of_room(name) == tour
    silent = next(number for number, step in enumerate(TOUR.steps, 1) if not step.question)
    for none in (
        asked.alone(TOUR, silent),
        asked.alone(TOUR, 99),
        "earlier-anna.",
        "nowhere.1",
        "",
        ".1",
        "own",
    ):
        assert asked.named(none) is None
    with pytest.raises(NoRoom, match="not here"):
        asked.of_room("nowhere")
    assert bar.measured(name, 1) == bar.measured(TOUR.name, 4)


def test_an_own_question_keeps_its_link_without_the_teachers_place_and_counts_the_answers_given():
    tour = asked.of_room(asked.own(LINK, f"  {ASKS}\n", ANSWERS, 2))
    [step] = tour.steps
    assert (tour.name, step.page, step.link) == ("own", "kv_cache", {"model": "stories-rope", "head": "4.2"})
    assert (step.question.asks, step.question.answers) == (ASKS, (ANSWERS[0], *ANSWERS[2:]))
    assert bar.right(tour, 1) == 1
    assert bar.right(asked.of_room(asked.own(LINK, ASKS, ANSWERS)), 1) is None
    assert asked.of_room(asked.own("/", ASKS, ANSWERS)).steps[0].page == "explorer"
    longest = asked.own(
        "/explorer?text=" + "😀" * 1400, "a" * asked.ASKS, [str(n) * asked.ANSWER for n in range(4)]
    )
    assert len(longest) < MOST_TEXT


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"link": ""}, "is no link of the app"),
        ({"link": "/nowhere"}, "There is no page 'nowhere'"),
        ({"link": "javascript:alert(1)"}, "is no link of the app"),
        ({"link": "/explorer?evil=1"}, "names a field 'evil'"),
        ({"link": "/room?code=x"}, "give the link of another page"),
        ({"link": "/explorer?text=" + "a" * 1500}, "1515 characters; 1500 are taken"),
        ({"asks": " \n"}, "The question is missing"),
        ({"asks": "a" * 301}, "“aaaaaaaaaaaaaaaaaaaa…” has 301 characters; 300 are taken"),
        ({"answers": ("a", "", "", "")}, "1 answers were given; a question has 2 to 4"),
        ({"answers": ("a", "b", "c", "d", "e")}, "5 answers were given"),
        ({"answers": ("a", "b", "a ", "")}, "Two answers are alike"),
        ({"answers": ("a", "b" * 101, "", "")}, "has 101 characters; 100 are taken"),
        ({"right": 1}, "Answer 2 is said to be right, and is empty"),
    ],
)
def test_what_is_no_question_is_one_sentence(changes, says):
    given = {"link": LINK, "asks": ASKS, "answers": ANSWERS, "right": None} | changes
    with pytest.raises(Error) as error:
        asked.own(**given)
    assert says in str(error.value)


def arrive(code: str, **query) -> AppTest:
    """A student's tab on the page of the question."""
    app = AppTest.from_file(MAIN, default_timeout=300)
    app.session_state[room.VISITOR] = "0" * 31 + "1"
    app.query_params.update({"model": "stories-rope", "room": code, **query})
    return app.run()


def html(app) -> str:
    return " ".join(part.proto.body for part in app.get("html"))


def test_a_student_answers_an_own_question_as_text_and_sees_what_the_teacher_calls_right():
    found = rooms.rooms()
    opened = found.open_room(asked.own("/?model=stories-rope", ASKS, ANSWERS, 0))
    found.withhold(opened.code, opened.secret, True)
    app = arrive(opened.code, tour=asked.OWN)
    assert_healthy(app)
    [asking] = [part.value for part in app.markdown if "Question]" in part.value]
    assert r"\<b\>" in asking and r"\!\[x\]" in asking and "http://x" not in asking  # text, and no address
    [button] = [each for each in app.button if each.key == "told-1"]
    assert button.label.startswith(r"\<img")
    button.click().run()
    assert_healthy(app)
    assert "is counted" in words(app) and "room-answers" not in html(app)
    found.reveal(opened.code, opened.secret, frozenset({1}))
    app.run()
    assert_healthy(app)
    assert "Your teacher's answer: **the cache**" in words(app) and "Measured" not in words(app)
    assert "&lt;img src=x" in html(app) and "<img src=x" not in html(app) and "1 · 100%" in html(app)
    assert found.counts(opened.code, opened.secret).votes == {1: ({1: 1},)}


def test_an_own_question_that_nobody_calls_right_is_a_poll():
    opened = rooms.rooms().open_room(asked.own("/?model=stories-rope", ASKS, ANSWERS))
    app = arrive(opened.code, tour=asked.OWN)
    app.button(key="told-0").click().run()
    assert_healthy(app)
    assert (
        "You said: **the cache**" in words(app)
        and 'class="right"' not in html(app)
        and "1 · 100%" in html(app)
    )


def test_one_question_alone_is_asked_and_measured_without_the_tour():
    name = asked.alone(TOUR, 1)
    opened = rooms.rooms().open_room(name)
    app = arrive(opened.code, tour=name, **TOUR.steps[0].link)
    assert_healthy(app)
    assert "one question" in html(app) and 'rel="prev"' not in html(app)
    app.button(key="told-0").click().run()
    assert_healthy(app)
    assert "Measured now" in words(app) and "1 · 100%" in html(app)


def test_an_own_question_without_its_room_is_a_sentence():
    opened = rooms.rooms().open_room(asked.own("/?model=stories-rope", ASKS, ANSWERS))
    rooms.rooms().end(opened.code, opened.secret)
    for code, says in (
        (opened.code, "has ended"),
        ("", "is asked in a room"),
        ("nonsense", "is no room code"),
    ):
        app = arrive(code, tour=asked.OWN)
        assert_healthy(app)
        assert (
            len(app.warning) == 1 and says in app.warning[0].value and "goes on" not in app.warning[0].value
        )
        assert "tour" not in link_of(app)
    other = rooms.rooms().open_room(TOUR.name)
    app = arrive(other.code, tour=asked.OWN)
    assert_healthy(app)
    assert "is asked in a room" in app.warning[0].value
