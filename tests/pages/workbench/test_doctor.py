"""The page Doctor, run as Streamlit runs it: faults put in are named, healthy runs are not, and bad input is a
sentence."""

import ast
import os
from pathlib import Path

import numpy as np
import pytest

import tlmviz
from pages.workbench.doctor import data, view
from pages.workbench.doctor.claims import NAMES
from pages.workbench.doctor.state import MODELS, SIZED, SIZES, TWO_WAYS, WAYS, Doctor
from tests.pages.helpers import (
    assert_healthy,
    badges,
    by_title,
    chart_parts,
    charted,
    charts,
    follow_link,
    open_page,
    run_code,
    run_snippet,
    words,
)
from tests.pages.states import above_the_picture
from tlmviz.analysis.workbench import faults
from tlmviz.analysis.workbench.doctor.presets import PRESETS
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "workbench/doctor"
MODELS_LINK = Doctor.link(view=MODELS)
WAYS_LINK = Doctor.link(view=TWO_WAYS)


def examined(text=DEFAULT_TEXT, size=0.0, **given) -> data.Data:
    """What the page shows of a state."""
    return data.Data(Doctor(model="stories-rope", text=text, size=size, **given))


def test_it_opens_on_another_base_in_one_layer():
    app = open_page(PAGE)
    assert_healthy(app)
    assert "put in on purpose: RoPE base 2,500, layer 3" in badges(app)
    [said] = above_the_picture(app)
    assert "in layer 3 (of 0 to 5): RoPE turns by a base of 2,500 instead of 10,000." in said
    steps, planes = charts(app)
    assert steps["data"][1]["x"] == [steps["layout"]["xaxis"]["ticktext"].index("attn.q")]
    assert "How fast each plane of RoPE turns" in by_title(app) and len(planes["data"]) == 2


@pytest.mark.parametrize("model", ["stories-rope", "stories-gpt", "zoo-gqa"])
def test_every_fault_at_every_stop_is_named_with_its_number(model):
    lm = tlmviz.load(model)
    a = lm.trace(DEFAULT_TEXT)
    assert NAMES.keys() == faults.FAULTS.keys()
    assert SIZED.keys() == {name for name, fault in faults.FAULTS.items() if fault.sized}
    for name in faults.fitting(lm):
        fault = faults.FAULTS[name]
        for value in fault.stops:
            said = tlmviz.diagnose(a, faults.injected(lm, name, 2, value).trace(DEFAULT_TEXT))
            assert (said.cause, said.layer) == (NAMES[name], 2), (name, value, said)
            if isinstance(said.value, float):
                assert said.value == pytest.approx(value, rel=0.1, abs=0.02), (name, value, said)


def test_a_fault_leaves_the_model_as_it_is():
    lm = tlmviz.load("stories-rope")
    before = lm.trace(DEFAULT_TEXT).logits
    for name in faults.fitting(lm):
        faults.injected(lm, name, 1, faults.FAULTS[name].start).trace(DEFAULT_TEXT)
    np.testing.assert_array_equal(lm.trace(DEFAULT_TEXT).logits, before)


@pytest.mark.parametrize("name", list(faults.FAULTS))
def test_the_snippet_puts_the_same_fault_in(name):
    found = examined(fault=name, size=SIZES[name].default if name in SIZES else 0.0)
    said = run_code(view.snippet(found))["said"]
    assert said.cause == NAMES[name] == found.found.said.cause and said.layer == 3


@pytest.mark.parametrize("way", [way for way in WAYS if way != "transformers"])
def test_one_model_two_ways_is_healthy(way):
    found = examined(view=TWO_WAYS, way=way, text="Lily had a red ball.")
    assert found.found.said.healthy and run_code(view.snippet(found))["said"].healthy
    assert len(charted(view.picture, found)) == 2


def test_every_preset_of_the_library_is_offered():
    assert WAYS.keys() == PRESETS.keys()


def test_two_models_and_two_of_another_shape():
    app = follow_link(PAGE, MODELS_LINK)
    assert_healthy(app)
    [said] = above_the_picture(app)
    assert said.startswith("**Two different models**") and "before the first layer" in said
    assert "orange-badge[positions]" in badges(app) and run_snippet(app)["said"].cause == "positions"
    assert len(charts(app)) == 2
    app = follow_link(PAGE, {**MODELS_LINK, "drwith": "zoo-rope"})
    [error] = app.error
    assert "6 layers of 6 heads" in error.value and not app.exception


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Two files of passes, one with a fault, offered as `tlmviz run` offers them."""
    lm = tlmviz.load("stories-rope")
    paths = [tmp_path / "a-good.safetensors", tmp_path / "b-bad.safetensors"]
    lm.trace("Lily had a red ball.").save(paths[0])
    faults.injected(lm, "Score scale", 2, 2.0).trace("Lily had a red ball.").save(paths[1])
    monkeypatch.setenv("TLMVIZ_OPEN", os.pathsep.join(map(str, paths)))
    return tmp_path


def test_two_files_are_examined(saved):
    app = open_page(PAGE)
    assert_healthy(app)
    assert above_the_picture(app) == ["In layer 2 (of 0 to 5): every score is multiplied by 2."]
    assert run_snippet(app, saved)["said"].value == pytest.approx(2, rel=1e-4)
    assert len(charts(app)) == 2
    app = follow_link(PAGE, {**MODELS_LINK, "drwith": "stories-rope"})
    assert_healthy(app)
    assert "green-badge[healthy]" in badges(app) and run_snippet(app, saved)["said"].healthy


def test_a_file_alone_cannot_be_run_again(saved):
    app = follow_link(PAGE, WAYS_LINK)
    assert not app.exception and "holds one pass and no network" in app.info[0].value


@pytest.mark.parametrize(
    "link",
    [
        {"drfault": "<b>", "drlayer": "99", "drvalue-rope-base": "nan", "drview": "nonsense"},
        {"drvalue-rope-base": "1e999", "drlayer": "-1"},
        {**WAYS_LINK, "drway": "‮"},
        {**MODELS_LINK, "drwith": "../etc"},
    ],
)
def test_a_hostile_link_shows_the_page(link):
    app = follow_link(PAGE, link)
    assert not app.exception and len(chart_parts(app)) == 2


@pytest.mark.parametrize(
    ("text", "said"), [("x", ""), ("Tom ran. " * 100, "the first 128 are examined"), ("é ☃ 漢", "")]
)
def test_short_long_and_strange_texts(text, said):
    app = follow_link(PAGE, {"text": text}, from_the_start=True)
    assert_healthy(app)
    assert said in " ".join(part.value for part in (*app.markdown, *app.warning))
    assert "RoPE base" in words(app)


def test_an_empty_text_is_asked_for():
    app = open_page(PAGE, text="")
    assert not app.exception and not app.error and len(app.info) == 1


def test_faults_and_rules_share_no_code():
    """The page's faults import nothing of the doctor."""
    tree = ast.parse(Path(faults.__file__).read_text())
    names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any("analysis" in str(name) or "doctor" in str(name) for name in names)
