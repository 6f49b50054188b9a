"""Tours: their tables, what they measure, their links and what a wrong one gets."""

import importlib

import pytest
from streamlit.testing.v1 import AppTest

from pages import ALL, HOME
from tests.pages.helpers import MAIN, assert_healthy, follow_link, link_of
from tlmviz.ui.tours import bar
from tlmviz.ui.tours.parts import address
from tlmviz.ui.tours.table import TOURS

PATHS = {page.path: page for page in ALL}
START = HOME.rpartition("/")[2]
STEPS = [
    pytest.param(tour, number, id=f"{tour.name}-{number}")
    for tour in TOURS.values()
    for number in range(1, len(tour.steps) + 1)
]
ASKED = [param for param in STEPS if param.values[0].steps[param.values[1] - 1].question]


@pytest.mark.parametrize("tour", TOURS.values(), ids=lambda tour: tour.name)
def test_a_tour_is_six_to_ten_steps_of_few_words(tour):
    assert 6 <= len(tour.steps) <= 10 and tour.says.endswith((".", "?"))
    assert sum(step.question is not None for step in tour.steps) >= len(tour.steps) // 2
    for step in tour.steps:
        assert step.page in PATHS and step.place.startswith((".st", "[data-testid"))
        assert step.says.endswith((".", "?", "”")) and len(step.says) < 330
        if step.question:
            assert step.question.asks.endswith("?") and 2 <= len(step.question.answers) <= 4
            assert len(set(step.question.answers)) == len(step.question.answers)


@pytest.mark.slow
@pytest.mark.parametrize("tour, number", ASKED)
def test_an_answer_is_measured(tour, number):
    question = tour.steps[number - 1].question
    found = question.measure()
    assert 0 <= found.answer < len(question.answers)
    assert any(sign.isdigit() for sign in found.says) and found.says.endswith(".")


@pytest.mark.parametrize("tour, number", STEPS)
def test_a_step_reaches_its_state(tour, number):
    """The page of a step opens without an error, holds what the step's link names, and says the step's words."""
    step = tour.steps[number - 1]
    told = tuple(0 if each.question else None for each in tour.steps[:number])
    query = {key: list(value) if isinstance(value, tuple) else [value] for key, value in step.link.items()}
    progress = {"tour": [tour.name], "told": [bar.write_told(told)], "tourstep": [str(number)]}
    app = follow_link(PATHS[step.page].folder, query | progress, from_the_start=True)
    assert_healthy(app)
    said = [*app.warning, *app.info]  # a page says so where it cannot show what the step is about
    assert not said, [each.value for each in said]
    assert {key: app.query_params.get(key) for key in query} == {
        key: values if len(values) > 1 else values[0] for key, values in query.items()
    }
    said = [part.value for part in app.markdown]
    title = step.title if step.title.endswith("?") else f"{step.title}."
    assert any(part.startswith(f"**{title}** {step.says}") for part in said)
    if step.question:
        found = bar.measured(tour.name, number)
        assert any(
            f"**{step.question.answers[found.answer].removesuffix('.')}.** Measured now" in part
            for part in said
        )


def test_links_hold_the_step_and_the_answers():
    tour = next(iter(TOURS.values()))
    assert address("explorer", "explorer", {"a": ("1", "2")}) == "./?a=1&a=2"
    assert address("serving", "explorer", {}) == "serving?"
    told = (0, None, 2)
    assert bar._told(bar.write_told(told)) == told
    link = bar.step_address(tour, 3, START, told)
    assert f"tour={tour.name}&tourstep=3&told=0.-.2" in link
    assert "tourstep" not in bar.step_address(tour, 1, START)  # a default stays out of links


def opened(**query) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=300)
    app.query_params.update({"model": "stories-rope", **query})
    return app.run()


def test_an_answer_is_pressed_measured_and_kept_in_the_link():
    tour = TOURS["earlier-anna"]
    app = opened(tour=tour.name, **tour.steps[0].link)
    assert_healthy(app)
    app.button(key="told-1").click().run()
    assert_healthy(app)
    assert link_of(app)["told"] == "1"
    assert any("You said: a" in part.value and "**Anna.**" in part.value for part in app.markdown)
    assert not [button for button in app.button if button.key and button.key.startswith("told-")]


def test_the_end_counts_what_was_right_and_leads_on():
    tour, following, *_ = TOURS.values()
    steps = [number for number, step in enumerate(tour.steps, 1) if step.question]
    right = {number: bar.right(tour, number) for number in steps}
    wrong = {steps[0]: (right[steps[0]] + 1) % len(tour.steps[steps[0] - 1].question.answers)}
    told = tuple((right | wrong).get(number) for number in range(1, len(tour.steps) + 1))
    app = opened(
        tour=tour.name, tourstep=str(len(tour.steps)), told=bar.write_told(told), **tour.steps[-1].link
    )
    ended = " ".join(part.proto.body for part in app.get("html"))
    assert f"You guessed {len(steps) - 1} of {len(steps)} right." in ended
    assert f"Next tour: {following.title}" in ended and f"tour={following.name}" in ended
    app = opened(tour=tour.name, tourstep=str(len(tour.steps) - 1), **tour.steps[-2].link)
    assert not any("You guessed" in part.proto.body for part in app.get("html"))


def test_a_wrong_tour_step_or_answer_gets_a_sentence_or_gives_way():
    app = opened(tour="nowhere")
    assert_healthy(app)
    assert "There is no tour “nowhere”" in app.warning[0].value and "tour" not in link_of(app)
    app = opened(tour="earlier-anna", tourstep="99")
    assert_healthy(app)
    assert "has no step 99" in app.warning[0].value and "8 steps" in app.warning[0].value
    for told in ("x", "9", "-.-.-", "-." * 400, "-1"):
        app = opened(tour="earlier-anna", told=told, **TOURS["earlier-anna"].steps[0].link)
        assert_healthy(app)
        assert app.button(key="told-0")  # asked as if nothing had been said


def test_another_page_offers_the_way_back():
    tour = TOURS["earlier-anna"]
    app = follow_link("caches/kv_cache", {"tour": [tour.name], "tourstep": ["2"]}, from_the_start=True)
    assert_healthy(app)
    shown = " ".join(part.proto.body for part in app.get("html"))
    assert "Back to step 2, Attention explorer" in shown
    assert not any(tour.steps[1].says in part.value for part in app.markdown)


def test_every_tour_of_the_folder_is_in_the_table():
    from pathlib import Path

    folder = Path(bar.__file__).parent
    modules = {file.stem for file in folder.glob("*.py")} - {
        "__init__",
        "asked",
        "bar",
        "cards",
        "measures",
        "parts",
        "room",
        "table",
    }
    tours = {importlib.import_module(f"tlmviz.ui.tours.{name}").TOUR.name for name in modules}
    assert tours == set(TOURS)
