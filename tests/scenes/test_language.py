"""The language of scenes: true answers against a plain reading of the grid, and one sentence for what is no
question."""

import pytest

from tests.tiny import sentence
from tlmviz.errors import BadText
from tlmviz.facades.scenes import language
from tlmviz.facades.scenes.language import Question, answer, cells, parse, read_scene, settled

#   3 . 7
#   . 5 8
#   5 . .
SCENE = [3, None, 7, None, 5, 8, 5, None, None]


@pytest.mark.parametrize(
    "asked, said, there",
    [
        ("what is left of the 8", "a 5", [4]),
        ("what is above the 8", "a 7", [2]),
        ("what is below the 7", "an 8", [5]),
        ("what is right of the 3", "nothing", []),
        ("what is right of the 7", "nothing", []),  # outside of the grid
        ("what is above the 5", "there are several", [4, 6]),
        ("what is above the 1", "there is no 1", []),
        ("where is the 3", "at the top left", [0]),
        ("where is the 5", "at the middle and at the bottom left", [4, 6]),
        ("where is the 0", "nowhere", []),
        ("what is at the right", "an 8", [5]),
        ("what is at the top", "nothing", []),
        ("is there an 8", "yes", [5]),
        ("is there a 9", "no", []),
        ("how many digits are there", "five", [0, 2, 4, 5, 6]),
        (
            "describe the picture",
            "a 3 left of a 7 above and right of a 5 left of an 8 above and right of a 5",
            [0, 2, 4, 5, 6],
        ),
    ],
)
def test_what_is_true(asked, said, there):
    question = parse(asked)
    assert question.text == asked and answer(SCENE, question) == said and cells(SCENE, question) == there


def test_a_digit_above_another():
    labels = [None, 3, None, None, 5, None, None, None, 2]
    assert answer(labels, Question("describe")) == "a 3 above a 5 above and left of a 2"


def test_every_question_is_read_back():
    questions = language.every_question()
    assert len(questions) == len({question.text for question in questions}) == 4 * 10 + 10 + 9 + 10 + 1 + 1
    assert all(parse(question.text) == question for question in questions)
    assert {question.kind for question in questions} == set(language.KINDS)
    words = {word for text in language.every_word() for word in text.split()}
    for question in questions:
        assert set(question.text.split()) | set(answer(SCENE, question).split()) <= words


@pytest.mark.parametrize("typed", ["What is LEFT of the 7?", "  what is left of the seven ", "what is left of the 7."])
def test_case_and_marks_do_not_matter(typed):
    assert parse(typed) == Question("side", 7, "left of")


def test_an_article_may_be_wrong():
    assert parse("is there a 8") == Question("there", 8)


@pytest.mark.parametrize(
    "typed, why",
    [
        ("", "no question"),
        ("   ", "no question"),
        ("what colour is the 7", "'colour' is no word"),
        ("bonjour madame", "'bonjour', 'madame' are no words"),
        ("left the 7 of what", "no question of this small language"),
        ("where is the 12", "'12' is no word"),
        ("what " * 500, "no question of this small language"),
        ("日本 🎈", "are no words"),
    ],
)
def test_what_is_no_question(typed, why):
    with pytest.raises(BadText) as error:
        parse(typed)
    if typed != "日本 🎈":
        assert why in str(error.value)
    assert "what is left of the 7" in str(error.value) and len(str(error.value)) < 500
    sentence(error)


def test_drawn_cells_leave_open_what_hangs_on_them():
    labels, drawn = [*SCENE], [4]
    labels[4] = None

    def settle(asked):
        return settled(labels, drawn, lambda all_: answer(all_, parse(asked)))

    assert settle("how many digits are there") == "five" and settle("what is at the top left") == "a 3"
    assert settle("what is left of the 8") is None and settle("is there a 5") == "yes"
    assert settle("where is the 5") is None and settle("is there a 1") is None
    assert settled(labels, [1, 3, 4, 7], lambda all_: 1) is None  # too many to try all


def test_a_scene_as_a_text():
    assert read_scene("3.7.585..: where is the 3") == ([3, None, 7, None, 5, 8, 5, None, None], "where is the 3")


@pytest.mark.parametrize("text", ["", "abc", "3.7: where is the 3", ".........: where is the 3", "3.7.585.."])
def test_a_text_of_no_scene(text):
    with pytest.raises(BadText) as error:
        read_scene(text)
    sentence(error)
