"""The page "Text and image": what is sent, against models and labels; what is put into cells; links that make no sense."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import tlmviz
from pages.beyond.text_and_image import compute, controls, words
from pages.beyond.text_and_image.controls import Choice, next_held_out
from tests.pages.helpers import assert_healthy, open_page, run_snippet
from tests.pages.helpers import words as said
from tlmviz import digits
from tlmviz.scenes import language
from tlmviz.scenes.grid import compose

ROOT = Path(__file__).resolve().parents[3]
PAGE = "beyond/text_and_image"
DRAWN = digits.written(digits.held_out().images[0])


def picture(app) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of the one picture that is sent as bytes."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in app.get("bidi_component") if part.proto.bytes]
    size = int(np.frombuffer(data[:4], "<u4")[0])
    header, rest = json.loads(data[4 : 4 + size]), data[4 + size :]
    arrays = {}
    for name, entry in header["arrays"].items():
        kind, count = {"float32": "<f4", "uint8": "u1"}[entry["dtype"]], int(np.prod(entry["shape"]))
        arrays[name] = np.frombuffer(rest, kind, count, entry["offset"]).reshape(entry["shape"])
    return header, arrays


def test_the_page_opens_on_what_the_models_say():
    app = open_page(PAGE)
    header, arrays = picture(app)
    grid = Choice(controls.DEFAULT, controls.ASKED, (), 0).grid
    answer = tlmviz.load("digits-scenes").answer(grid, controls.ASKED)
    marking = tlmviz.load("digits-scenes-turned").mark(grid, controls.ASKED)
    assert header["words"] == answer.words and header["asked"] == answer.asked and not header["problem"]
    np.testing.assert_allclose(arrays["maps"][: len(answer.asked)], answer.asked_maps, atol=1e-6)
    np.testing.assert_allclose(arrays["maps"][len(answer.asked) :], answer.maps, atol=1e-6)
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
        choice = Choice(controls.DEFAULT, question.text, (), 0)
        found = compute.looked(choice)
        assert found.truth == language.answer(choice.labels, question)
        assert ("wrong" in words.verdict(found)) == (found.answer.text != found.truth)
        assert ("wrong" in words.marking(found)) == (
            found.marking.marked != language.cells(choice.labels, question)
        )


def test_what_was_drawn_has_no_label():
    choice = Choice(("h0", DRAWN, *[""] * 7), "what is right of the 0", (), 0)
    found = compute.looked(choice)
    assert digits.held_out().labels[0] == choice.labels[0] and choice.drawn == (1,)
    assert found.truth is None or "there" in found.truth
    counted = compute.looked(Choice(choice.cells, "how many digits are there", (), 0))
    assert counted.truth == "two" and counted.true_cells == [0, 1]


@pytest.mark.parametrize(
    "link, why",
    [
        ({"tig": "........"}, "blank"),
        ({"tiq": "who painted the 7"}, "'who', 'painted' are no words"),
        ({"tiq": "<b>7</b>"}, "'b' is no word"),
    ],
)
def test_what_nothing_can_be_said_of_is_a_sentence_and_the_picture_stays(link, why):
    header, arrays = picture(open_page(PAGE, link))
    assert why in header["problem"] and not header["words"] and arrays["pixels"].shape == (24, 24)


@pytest.mark.parametrize(
    "grid",
    ["a", "h1.2.3", "h9999........", "h-1........", f"{'0' * 64}........", "<b>", f"{'z' * 64}........"],
)
@pytest.mark.parametrize("shown", ["9.9", "1000.1000.1000.1000.1000", "-1.0.0.0.0"])
def test_a_hostile_link_shows_the_page(grid, shown):
    header, _ = picture(open_page(PAGE, {"tig": grid, "tis": shown, "tic": "99"}))
    assert header["cell"] <= 8 and len(header["cells"]) == 9


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
    for cells in (controls.DEFAULT, (DRAWN, *[""] * 8), ("",) * 9):
        for pick in words.picks(Choice(cells, "", (), 0)):
            language.parse(pick)


def test_what_is_said_of_neighbours_is_in_the_cards():
    told = [
        re.search(r"\| side \|[^|]*\| ([\d.]+) % \|", (ROOT / "models" / name / "card.md").read_text())
        for name in (compute.READER, compute.MARKER)
    ]
    first, second = (round(float(found.group(1))) for found in told)
    assert f"{second} % of the questions about a neighbour" in " ".join(words.NOTICE)
    assert f"first answers {first} %" in " ".join(words.NOTICE)
