"""The page "Text and image": what is sent, against models and labels; what is put into cells; links that make no
sense."""

import re
from pathlib import Path

import numpy as np
import pytest

import tlmviz
from pages.beyond.text_and_image import claims, data, state, view
from pages.beyond.text_and_image.state import Scene, next_held_out
from tests.packed import unpacked
from tests.pages.helpers import drawn, open_page, picture, run_snippet
from tests.pages.helpers import words as said
from tests.pages.states import linked
from tlmviz import digits
from tlmviz.facades.scenes import language
from tlmviz.facades.scenes.grid import compose

ROOT = Path(__file__).resolve().parents[3]
PAGE = "beyond/text_and_image"
DRAWN = digits.written(digits.held_out().images[0])


def scene(question=state.ASKED, grid=state.DEFAULT, shown=()) -> data.Data:
    return data.Data(Scene(question=question, grid=tuple(grid), shown=shown, cell=0))


def test_the_page_opens_on_what_the_models_say():
    app = open_page(PAGE)
    header, arrays = picture(app)
    grid = scene().chosen.pictures
    answer = tlmviz.load("digits-scenes").answer(grid, state.ASKED)
    marking = tlmviz.load("digits-scenes-turned").mark(grid, state.ASKED)
    assert header["words"] == answer.words and header["asked"] == answer.asked and not header["problem"]
    np.testing.assert_allclose(arrays["asks"][: len(answer.asked)], answer.asked_maps, atol=1e-6)
    np.testing.assert_allclose(arrays["asks"][len(answer.asked) :], answer.maps, atol=1e-6)
    np.testing.assert_allclose(arrays["marks"], marking.patches, atol=1e-6)
    np.testing.assert_allclose(arrays["turned"], marking.maps, atol=1e-6)
    assert np.array_equal(arrays["pixels"], compose(grid))
    assert "✗" not in said(app)


def test_the_snippet_says_the_same():
    app = open_page(PAGE, {"tig": f"h7..{DRAWN}.......h9", "tiq": "how many digits are there"})
    scope = run_snippet(app)
    header, arrays = picture(app)
    assert scope["answer"].words == header["words"]
    np.testing.assert_allclose(scope["marking"].patches, arrays["marks"], atol=1e-6)


def test_right_and_wrong_follow_from_the_labels():
    for question in language.every_question()[::7]:
        shown = scene(question.text)
        found, labels = shown.found, shown.chosen.labels
        assert found.truth == language.answer(labels, question)
        assert ("wrong" in claims.verdict(shown)) == (found.answer.text != found.truth)
        assert (claims.marks_wrong(shown) is None) == (found.marking.marked == language.cells(labels, question))


def test_what_was_drawn_has_no_label():
    cells = ("h0", DRAWN, *[""] * 7)
    shown = scene("what is right of the 0", cells)
    found = shown.found
    assert digits.held_out().labels[0] == shown.chosen.labels[0] and shown.chosen.drawn == (1,)
    assert found.truth is None or "there" in found.truth
    counted = scene("how many digits are there", cells).found
    assert counted.truth == "two" and counted.true_cells == [0, 1]


@pytest.mark.parametrize(
    "link, why",
    [
        ({"tig": "........"}, "blank"),
        ({"tiq": "who painted the 7"}, "'who', 'painted' are no words"),
        ({"tiq": "<b>7</b>"}, "'b' is no word of this small language; ask one of those above the picture."),
        ({"tiq": "what is left of the 7 " * 500}, "has at most 200 characters, and this one has 11,000."),
        ({"tiq": ""}, "There is no question; ask one like those above the picture."),
    ],
)
def test_what_nothing_can_be_said_of_is_a_sentence_and_the_picture_stays(link, why):
    header, arrays = unpacked(drawn(view.picture, data.Data(linked(Scene, link))))
    assert why in header["problem"] and "words" not in header and arrays["pixels"].shape == (24, 24)


@pytest.mark.parametrize(
    "grid", ["a", "h1.2.3", "h9999........", "h-1........", f"{'0' * 64}........", "<b>", f"{'z' * 64}........"]
)
@pytest.mark.parametrize("shown", ["9.9", "1000.1000.1000.1000.1000", "-1.0.0.0.0"])
def test_a_hostile_link_shows_a_picture(grid, shown):
    found = data.Data(linked(Scene, {"tig": grid, "tis": shown, "tic": "99"}))
    header, _ = unpacked(drawn(view.picture, found))
    assert header["state"]["cell"] <= 8 and len(header["state"]["grid"]) == 9
    words = [*header.get("asked", []), *header.get("words", [])]
    assert len(header["opens"]) == 5 and header["opens"][0] <= len(words) and bool(words) != bool(header["problem"])


def test_the_next_held_out_picture_of_a_digit():
    labels = digits.held_out().labels
    first = next_held_out(3, "")
    second = next_held_out(3, first)
    assert labels[int(first[1:])] == labels[int(second[1:])] == 3 and first != second
    seen, cell = [], ""
    for _ in range(int((labels == 3).sum()) + 1):
        cell = next_held_out(3, cell)
        seen.append(cell)
    assert seen[-1] == seen[0] and len(set(seen)) == (labels == 3).sum()


def test_questions_to_pick_are_questions():
    for cells in (state.DEFAULT, (DRAWN, *[""] * 8), ("",) * 9):
        for pick in scene("", cells).picks:
            language.parse(pick)


def test_a_digit_is_put_into_a_cell_by_its_number():
    """What the picture sends, and what was there before decides which held-out picture it is."""
    first = next_held_out(3, "")
    for before in ("", first, DRAWN):
        told = Scene.grid.parse(".".join([f"3{before if before[:1] == 'h' else ''}", *state.DEFAULT[1:]]))
        assert told == (next_held_out(3, before), *state.DEFAULT[1:])
        assert Scene.grid.parse(Scene.grid.write(told)) == told


def test_another_question_is_shown_where_it_is_answered_best():
    """What was chosen of the last answer's words says nothing about the next one."""
    app = open_page(PAGE, {"tis": "1.1.0.1.0"})
    assert picture(app)[0]["opens"] == [1, 1, 0, 1, 0]
    app.text_input("tiq").set_value("where is the 9").run()
    assert picture(app)[0]["opens"] == scene("where is the 9").shown


def test_what_is_said_of_neighbours_is_in_the_cards():
    """Measured anew on 200 questions, so near what the cards measured, and the same as the bars beside it."""
    shown = scene()
    right, marked, _ = shown.accuracy
    told = [
        re.search(r"\| side \|[^|]*\| ([\d.]+) % \|", (ROOT / "models" / name / "card.md").read_text())
        for name in (data.READER, data.MARKER)
    ]
    assert [100 * part["side"] for part in (right, marked)] == pytest.approx(
        [float(each.group(1)) for each in told], abs=6
    )
    expected = f"it marks {marked['side']:.0%} rightly, where the first answers {right['side']:.0%}."
    assert claims.compared(shown).endswith(expected)
    assert expected in said(open_page(PAGE))
