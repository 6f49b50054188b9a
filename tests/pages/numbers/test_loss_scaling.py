"""The page Loss scaling, run as Streamlit runs it; what the browser makes of what it is sent is tested in tests/javascript."""

import json

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.loss_scaling.controls import DYNAMIC, MASTER, SCALED, STORIES, TEXT
from tests.pages.helpers import assert_healthy, by_title, open_page, run_snippet, words
from tlmviz.analysis.numbers import half_runs, loss_scaling, master_weights
from tlmviz.analysis.numbers.formats import find
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/loss_scaling"


def sent(app):
    """What the picture begins with, and its counts."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in app.get("bidi_component") if part.proto.bytes]
    size = int(np.frombuffer(data[:4], "<u4")[0])
    return json.loads(data[4 : 4 + size]), data


def array_of(header, data, name):
    """One of the arrays that came with it."""
    about, start = header["arrays"][name], 4 + int(np.frombuffer(data[:4], "<u4")[0])
    return np.frombuffer(data, about["dtype"], np.prod(about["shape"]), start + about["offset"])


def test_it_opens_on_a_batch_of_stories():
    app = open_page(PAGE)
    header, data = sent(app)
    lm = tlmviz.load("stories-rope")
    found = loss_scaling.gradients(lm, loss_scaling.batch(lm, None), loss_scaling.ACTIVATIONS)
    assert (header["format"], header["k"], header["part"]) == ("fp16", 0, "")
    assert [part["name"] for part in header["parts"]] == list(found)
    assert header["rows"] == [*map(str, range(6)), "rest"] and "attn.q" in header["names"]
    total = sum(each.numel() for each in found.values())
    low, high = (array_of(header, data, name).astype(np.int64).sum() for name in ("low", "high"))
    assert low + 65536 * high + sum(part["zeros"] + part["broken"] for part in header["parts"]) == total
    assert len(data) < 1_500_000 and "red-badge" not in words(app)
    assert any("error of the gradient in FP16" in title for title in by_title(app))


def test_the_user_s_text_and_the_snippet():
    app = open_page(PAGE, {"lsbatch": TEXT, "lskind": "weights", "lsk": "3", "lsfmt": "e5m2"})
    header, _ = sent(app)
    assert header["k"] == 3 and header["format"] == "e5m2" and header["what"] == "gradients by weights"
    lm = tlmviz.load("stories-rope")
    x = torch.cat(
        [g.flatten() for g in loss_scaling.gradients(lm, loss_scaling.batch(lm, DEFAULT_TEXT)).values()]
    )
    expected = loss_scaling.one_by_one(x, find("e5m2"), 3)
    assert run_snippet(app)["shares"].lost == pytest.approx(expected.lost, abs=1e-6)


@pytest.mark.parametrize("run", SCALED)
def test_every_logged_run(run):
    app = open_page(PAGE, {"lsview": DYNAMIC, "lsrun": run})
    assert_healthy(app)
    mine = half_runs.read().query("run == @run")
    skipped = int((mine["kept"] == 1).sum())
    assert any(f"{skipped} of 200 steps skipped" in title for title in by_title(app))
    rows = app.dataframe[0].value.set_index("Run")
    name = half_runs.RUNS[run].name
    assert rows.loc[name, "Skipped"] == skipped
    assert rows.loc[name, "Loss"] == pytest.approx(mine["loss"].tail(10).mean())
    assert run_snippet(app)["skipped"] == skipped


def test_master_weights():
    app = open_page(PAGE, {"lsview": MASTER, "lsbatch": TEXT})
    assert_healthy(app)
    titles = by_title(app)
    assert {
        "w = 0.1, 200 updates of 1.0·10⁻⁴",
        "stories-rope: weights a step leaves as they are",
    } <= titles.keys()
    assert "Unchanged throughout: BF16." in words(app) and "red-badge" not in words(app)
    scope = run_snippet(app)
    assert scope["paths"]["BF16"][-1] == master_weights.added(0.1, 1e-4, 200)["BF16"][-1]
    assert 0.5 < scope["share"] < 1 and f"{scope['share']:.0%} in BF16" in words(app)


@pytest.mark.parametrize(
    "weight, update, said",
    [
        ("", "1e-4", "is no number"),
        ("nan", "1", "is no number that FP32 holds"),
        ("1e400", "1", "is no number that FP32 holds"),
        ("0.1", "<b>", "is no number"),
        ("0.1", "1" * 300, "is no number"),
        ("-0", "0x7f", None),
        ("3e38", "3e38", None),
        ("1e-45", "-1e-45", None),
    ],
)
def test_any_numbers(weight, update, said):
    app = open_page(PAGE, {"lsview": MASTER, "lsw": weight, "lsu": update, "lsbatch": TEXT})
    assert not app.exception
    assert said is None or any(said in each.value and "Shown is " in each.value for each in app.warning)
    assert any("200 updates of" in title for title in by_title(app))


@pytest.mark.parametrize(
    "link",
    [
        {"lsk": "1e9", "lsfmt": "fp12", "lspart": "<script>"},
        {"lsk": "-17", "lspart": "x" * 500},
        {"lsview": "[]", "lsbatch": "?", "lskind": "gradients"},
        {"lsview": DYNAMIC, "lsrun": "none"},
    ],
)
def test_hostile_links(link):
    assert_healthy(open_page(PAGE, link))


@pytest.mark.parametrize("text", ["", "a", "🙂", "Tom ran."])
def test_texts(text):
    app = open_page(PAGE, {"lsbatch": TEXT}, text=text)
    assert not app.exception


@pytest.mark.parametrize("model", ["zoo-mla", "stories-mhc", "stories-gpt", "stories-moe"])
@pytest.mark.parametrize("kind", loss_scaling.KINDS)
def test_other_models(model, kind):
    header, data = sent(open_page(PAGE, {"model": model, "lskind": kind, "lsbatch": STORIES}))
    assert header["parts"] and len(data) < 1_500_000


def test_without_the_file_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(half_runs, "checkpoint_folder", lambda name: tmp_path)
    import streamlit as st

    st.cache_data.clear()
    app = open_page(PAGE, {"lsview": DYNAMIC})
    assert "has no half.csv" in app.error[0].value and not app.exception
    st.cache_data.clear()
