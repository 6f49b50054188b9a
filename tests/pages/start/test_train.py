"""The page Train a transformer, run as Streamlit runs it: what it asks the browser's engine for."""

import json
import math

import pytest

from pages.start.train import data
from pages.start.train.examples import CARDS
from pages.start.train.state import BESIDE, TASKS, Choice
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, header_of, open_page, words
from tests.pages.states import states

PAGE = "start/train"
IMPORTS = {"tlmviz/browser/training/run.js": "Run", "tlmviz/browser/training/settings.js": "parametersOf"}


def test_it_opens_on_two_layers_of_four_heads_that_learn_to_go_on():
    app = open_page(PAGE)
    assert_healthy(app)
    header = header_of(app)
    [run] = header["runs"]
    asked = run["asked"]
    expected = {
        "task": "induction",
        "layers": 2,
        "heads": 4,
        "width": 64,
        "vocab": 24,
        "length": 48,
        "batch": 32,
        "rate": 1e-3,
        "positions": "rope",
        "causal": True,
        "norm": True,
        "hidden": 0,
    }
    assert expected.items() <= asked.items()
    assert header["question"] == "" and header["steps"] == 600
    assert "An untrained network of 36,032 numbers learns to go on with a run of letters" in words(app)


@pytest.mark.parametrize("beside", [name for name in BESIDE if name != "alone"])
def test_a_second_run_differs_in_one_thing_and_a_question_is_asked_first(beside):
    app = open_page(PAGE, trbeside=beside)
    assert_healthy(app)
    header = header_of(app)
    first, second = (run["asked"] for run in header["runs"])
    changed = {name for name in second if first.get(name) != second[name]}
    assert changed == set(data.CHANGES[beside])
    assert header["question"].endswith("9 of 10 right?") or "9 of 10 right at others?" in header["question"]
    assert "alike but for one thing" in words(app)


def test_a_card_that_tells_what_comes_of_it_asks_nothing():
    assert header_of(open_page(PAGE, trbeside="layer", trguess="false"))["question"] == ""


def test_what_is_so_already_is_not_offered_beside():
    app = open_page(PAGE, trtask="reverse", trlayers=1, trpos="none", trrate=0.1, trmask="false", trbeside="layer")
    assert_healthy(app)
    assert len(header_of(app)["runs"]) == 1
    assert data.Data(Choice()).offered == list(BESIDE)
    assert data.Data(Choice(task="reverse", layers=1, mask=False, positions="none", rate=0.1)).offered == ["alone"]


@pytest.mark.parametrize("task", TASKS)
def test_the_engine_takes_what_the_page_asks_for_and_counts_as_many_parameters(task):
    asked, counted = [], []
    for state in states(Choice, {"task": task, "beside": "alone", "text": Choice.text.default}):
        shown = data.Data(state)
        asked.append(shown.runs[0])
        counted.append(shown.parameters)
    body = "result = given.map((asked) => parametersOf(new Run({ ...asked, batch: 1 }).settings));"
    assert evaluate(IMPORTS, body, json.loads(json.dumps(asked))) == counted


def test_every_choice_stays_within_a_million_parameters():
    most = data.Data(Choice(layers=4, width=128, heads=8, mlp=True, positions="learned", task="pieces", pieces=512))
    assert most.parameters < 1e6


@pytest.mark.parametrize("task", ["text", "pieces"])
def test_a_text_of_ones_own_is_what_the_browser_is_handed(task):
    app = open_page(PAGE, trtask=task, trtext="abc " * 100, trpieces=64)
    assert_healthy(app)
    [run] = header_of(app)["runs"]
    assert run["asked"]["text"] == "abc " * 100
    assert run["asked"].get("pieces") == (64 if task == "pieces" else None)
    assert "nothing is sent" not in words(app)


LEARNING = """
result = given.map(({ asked, steps }) => {
  const run = new Run(asked);
  while (run.step < steps) run.advance();
  const { loss, right, whole, induction } = run.score();
  return { loss, taught: run.loss, right, whole, induction: induction && Math.max(...induction.flat()) };
});
"""


def trained(card: int, steps: list[int]) -> list[dict]:
    """Where the runs of a card are after so many steps each."""
    values = {control.key: (name, control) for name, control in Choice.controls.items()}
    said = {name: control.parse(text) for key, text in CARDS[card].link.items() for name, control in [values[key]]}
    runs = data.Data(Choice(**said)).runs
    asked = [{"asked": run, "steps": count} for run, count in zip(runs, steps, strict=True)]
    return evaluate(IMPORTS, LEARNING, asked)


@pytest.mark.slow
def test_a_head_comes_into_being_all_at_once():
    [[early], [late]] = trained(0, [200]), trained(0, [450])
    assert early["induction"] < 0.2 and early["right"] < 0.3
    assert late["induction"] > 0.7 and late["right"] > 0.95


@pytest.mark.slow
def test_one_layer_is_not_enough():
    two, one = trained(1, [150, 600])
    assert two["right"] > 0.95 and one["right"] < 0.5 and one["induction"] < 0.2


@pytest.mark.slow
def test_without_a_mask_it_is_right_for_the_wrong_reason():
    masked, bare = trained(2, [150, 300])
    assert masked["induction"] > 0.7
    assert bare["right"] > 0.9 and bare["induction"] < 0.2


@pytest.mark.slow
def test_places_are_needed_to_reverse():
    placed, bare = trained(3, [100, 400])
    assert placed["whole"] > 0.9 and bare["whole"] < 0.1


@pytest.mark.slow
def test_at_a_rate_too_large_the_loss_stays_at_guessing():
    good, large = trained(4, [150, 600])
    assert good["loss"] < 0.5 and abs(large["loss"] - math.log(data.VOCAB)) < 0.3


@pytest.mark.slow
def test_a_short_text_is_learnt_by_heart():
    [found] = trained(5, [150])
    different, _ = data.Data.encoded(Choice.text.default, 256)
    assert found["taught"] < 0.3 and found["loss"] > math.log(different)
