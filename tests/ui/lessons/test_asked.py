"""What a room is on besides a lesson: one scene of a lesson, and a teacher's own question, with everything that it
refuses."""

import pytest

from tlmviz.errors import Error
from tlmviz.hosting.rooms import MOST_TEXT, NoRoom
from tlmviz.ui.lessons import asked, runner
from tlmviz.ui.lessons.table import LESSONS

LESSON = LESSONS["next"]
LINK = "https://elsewhere.example/kv_cache?model=stories-rope&head=4.2&lesson=next&room=CDFHJK"
ASKS = "Which of <b>these</b> **grows** {word} ![x](http://x.example/y.png)?"
ANSWERS = ("the {cache}", "", "<img src=x onerror=alert(1)>", "nothing")


def scenes(taken):
    return runner.payload(taken.lesson, alone=taken.alone, room="CDFHJK")["scenes"]


def test_a_scene_alone_is_the_lessons_own_without_an_end():
    taken = asked.named(asked.alone(LESSON, 4))
    assert taken.lesson is LESSON and asked.of_room(taken.name) == taken
    whole, alone = runner.payload(LESSON), runner.payload(LESSON, alone=4)
    assert alone["scenes"] == whole["scenes"][3:4] and alone["name"] == "next.4" and alone["alone"]
    assert asked.named("next").alone == 0
    for none in ("next.", "next.0", "next.99", "next.x", "nowhere.1", "", ".1", "own", "next.\u0663"):
        assert asked.named(none) is None
    with pytest.raises(NoRoom, match="not here"):
        asked.of_room("nowhere")


def test_an_own_question_keeps_its_link_without_the_teachers_place_and_counts_the_answers_given():
    [scene] = scenes(asked.of_room(asked.own(LINK, f"  {ASKS}\n", ANSWERS, 2)))
    [part] = scene["before"]
    assert (part["kind"], part["options"]["link"]) == ("page", "kv_cache?model=stories-rope&head=4.2&embed=true")
    assert (scene["says"], scene["answers"]) == (ASKS, [ANSWERS[0], *ANSWERS[2:]])  # text, whatever it looks like
    assert scene["rights"] == [1]
    verdicts = [reply["verdict"] for reply in scene["act"]["replies"]]
    assert verdicts[1] == "Your teacher says so, too." and verdicts[0] == f"Your teacher says: {ANSWERS[2]}."
    [scene] = scenes(asked.of_room(asked.own("/", ASKS, ANSWERS)))
    assert scene["rights"] == [] and scene["before"][0]["options"]["link"].startswith("./?")
    asks, answers = "a" * asked.ASKS, [str(n) * asked.ANSWER for n in range(4)]
    assert len(asked.own("/explorer?text=" + "😀" * 1400, asks, answers)) < MOST_TEXT


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"link": ""}, "is no link of the app"),
        ({"link": "/nowhere"}, "There is no page 'nowhere'"),
        ({"link": "javascript:alert(1)"}, "is no link of the app"),
        ({"link": "/explorer?evil=1"}, "names a field 'evil'"),
        ({"link": "/room?code=x"}, "give the link of that page"),
        ({"link": "/lessons?lesson=next"}, "give the link of that page"),
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


def test_the_answers_to_every_guess_have_names_and_one_is_right():
    for lesson in LESSONS.values():
        for scene in runner.payload(lesson)["scenes"]:
            kind, answers = scene["act"]["kind"], scene["answers"]
            guess = kind in ("choose", "tap", "pick") or (kind == "drag" and scene["act"]["until"] is None)
            assert bool(answers) == guess and all(answers)
            assert bool(scene["rights"]) == guess and {*scene["rights"]} <= {*range(len(answers))}


def test_in_a_room_everybody_has_the_lessons_own_sentence():
    found = runner.payload(LESSON, "My cat sat on the mat and my dog sat on the", room="CDFHJK")
    assert found["text"] == LESSON.text and not found["scenes"][0]["asks"] and found["next"] is None
