"""The page "Next tokens": chains and passes as sent, against the model; the snippets run; texts it cannot show."""

import pytest

import tlmviz
from pages.experts.next_tokens import data, view
from pages.experts.next_tokens import state as controls
from pages.experts.next_tokens.page import PARTS
from pages.experts.next_tokens.state import Ahead
from tests.pages.helpers import drawn, header_of, open_page, run_snippet
from tests.pages.helpers import words as said
from tests.pages.states import linked

PAGE = "experts/next_tokens"
WRITING = {"nview": "Writing"}


def named(stage: dict) -> str:
    """The token that a stage predicts."""
    return stage["top"][0][0]


def test_the_page_opens_on_four_right_tokens():
    app = open_page(PAGE)
    sent, lm = header_of(app), tlmviz.load("stories-mtp")
    ids = lm.encode(controls.DEFAULT)
    assert "".join(sent["tokens"][1:]) == controls.DEFAULT and len(sent["chains"]) == len(ids)
    chain = sent["chains"][sent["at"] - 1]
    assert [stage["right"] for stage in chain] == [True] * 4
    following = sent["tokens"][sent["at"] : sent["at"] + 4]
    assert [named(stage) for stage in chain] == following and [s["reads"] for s in chain[1:]] == following[:3]
    p = lm.ahead(controls.DEFAULT).probabilities[0]
    for place, chain in enumerate(sent["chains"]):
        assert chain[0]["top"][0][1] == pytest.approx(float(p[place].max()), abs=1e-3)
    assert "✗" not in said(app) and "twin" in said(app)
    scope = run_snippet(app)
    right = [sum(bool(chain[k]["right"]) for chain in sent["chains"]) for k in range(4)]
    assert [each[0] for each in scope["accuracy"](scope["chains"], ids)] == right


def test_the_bytes_of_a_character_stand_as_the_character():
    text = "Tom saw a 😀 and é."
    sent, lm = header_of(open_page(PAGE, {"ntext": text})), tlmviz.load("stories-mtp")
    assert len(sent["tokens"]) == len(lm.encode(text)) and "".join(sent["tokens"][1:]) == text
    assert "😀" in sent["tokens"] and "é" in sent["tokens"]
    assert not any("\ufffd" in name for chain in sent["chains"] for stage in chain for name, _ in stage["top"])


def test_told_what_lies_between():
    sent = header_of(open_page(PAGE, {"nreads": "the text"}))
    assert [len(chain) for chain in sent["chains"][-4:]] == [4, 3, 2, 1]
    for place, chain in enumerate(sent["chains"]):
        assert [stage["reads"] for stage in chain] == sent["tokens"][place : place + len(chain)]


@pytest.mark.parametrize("query", [{}, {"nfrom": "A smaller model"}, {"ntemp": "0.8", "nnew": "20"}])
def test_what_is_written_is_the_models(query):
    app = open_page(PAGE, WRITING | query)
    sent, scope = header_of(app), run_snippet(app)
    written = [
        word
        for each in sent["rounds"]
        for word in [
            *(name for name, _ in each["proposed"][: each["accepted"]]),
            *([each["added"]] * (each["added"] is not None)),
        ]
    ]
    assert "".join(written) == scope["said"].text and len(sent["rounds"]) == scope["said"].passes
    if "ntemp" not in query:
        assert scope["said"].text == scope["lm"].generate(controls.BEGINNING, 40, temperature=0)
    assert "by turns" in said(app) and "✗" not in said(app)


def test_a_link_shows_its_position_and_pass():
    assert header_of(open_page(PAGE, {"nplace": "7"}))["at"] == 7
    assert header_of(open_page(PAGE, {**WRITING, "npass": "3"}))["at"] == 3
    assert header_of(open_page(PAGE, {"nplace": "119", "ntext": "Tom ran."}))["at"] <= 5


@pytest.mark.parametrize("query, why", [({"ntext": ""}, "empty"), ({**WRITING, "nbegin": ""}, "empty")])
def test_a_text_that_cannot_be_shown_is_one_sentence(query, why):
    app = open_page(PAGE, query)
    assert not app.exception
    [error] = app.error
    assert why in error.value


@pytest.mark.parametrize("words", [130, 2000])
def test_of_a_long_text_the_page_reads_what_it_can_show(words):
    app = open_page(PAGE, {"ntext": "ball " * words})
    assert len(header_of(app)["chains"]) == controls.LONGEST and "shows the first 120" in said(app)
    app = open_page(PAGE, {**WRITING, "nbegin": "sun " * words + "The big dog"})
    sent = header_of(app)
    assert len(sent["tokens"]) <= controls.LONGEST + 1 and "".join(sent["tokens"]).endswith("The big dog")
    assert "the last 120 are read" in said(app)


@pytest.mark.parametrize(
    "query",
    [
        {"nview": "x", "nplace": "-1", "nreads": "y"},
        {**WRITING, "nnew": "0", "ntemp": "9", "nfrom": "z", "npass": "x"},
        {"ntext": "<b> 😀 $x$"},
        {**WRITING, "nnew": "120", "nbegin": "猫"},
        {**WRITING, "nnew": "1"},
    ],
)
def test_a_hostile_link_has_a_picture(query):
    found = data.compute(linked(Ahead, query))
    part = PARTS[found.chosen.part]
    assert drawn(view.picture, found) and part.code(found)
    (view.speed if found.chosen.writing else view.accuracy)(found)
