"""The page "KV cache", run as Streamlit runs it: at its defaults and at each control's extremes."""

import re
from functools import partial

import numpy as np
import pytest

from pages.caches.kv_cache import view
from pages.caches.kv_cache.cost.data import Data as Cost
from pages.caches.kv_cache.data import Data
from pages.caches.kv_cache.models import claims as model_claims
from pages.caches.kv_cache.models import data as models
from pages.caches.kv_cache.models.state import Compared
from pages.caches.kv_cache.state import COST, SIDE_BY_SIDE, Cache
from tests.javascript.node import evaluate
from tests.packed import unpacked
from tests.pages.helpers import (
    charts,
    drawn,
    green,
    header_of,
    open_page,
    picture,
    run_code,
    run_snippet,
    title_of,
    views,
    words,
)
from tests.pages.states import to_do
from tlmviz.ui import compute, inputs

PAGE = "caches/kv_cache"
TOLD = {"pages/caches/kv_cache/told.js": "linesOf"}
ZOO = dict(model="zoo-rope", ktok=4)


opened = partial(open_page, PAGE)


def generation(**given) -> Data:
    """What the part Steps shows of a state."""
    start = {"model": "zoo-rope", "text": inputs.DEFAULT_TEXT, "head": (0, 0), "tokens": 4}
    return Data(Cache(**start | given))


def steps_of(app) -> list:
    """The live views of the steps."""
    return [part for part in views(app) if part.proto.component_name.endswith("decode")]


def test_opens_on_the_steps_of_forty_tokens():
    app = opened()
    header, arrays = picture(app)
    assert len(header["used"]) == len(header["flops"]) == 41 == len(header["chances"]) + 1
    assert header["title"].startswith("stories-rope (MHA), L4H2") and header["state"] == {"at": None}
    shown = len(header["tokens"])
    assert arrays["weights"].shape == (shown, shown) and arrays["v"].shape == (shown, 32)
    assert words(app).count("✓") == 4 and "✗" not in words(app)
    assert app.latex and "Eq. 34–37" in words(app)
    [times] = re.findall(r"the writing alone would take (\S+) times", words(app))
    body = "result = linesOf(given, 40);"
    lines = evaluate(TOLD, body, header)
    assert f"Tokens 1 to 40 together: {times} times as many" in lines


@pytest.mark.parametrize(
    "name, kept",
    [
        ("zoo-rope", "a key and a value"),
        ("zoo-mla", "a latent (c_KV, k^R)"),
        ("zoo-window", "a key and a value"),
        ("zoo-gqa", "a key and a value"),
        ("zoo-learned", "a key and a value"),
    ],
)
def test_every_kind_of_cache_is_stepped_through(name, kept):
    shown = generation(model=name, head=(1, 5))
    header, arrays = unpacked(drawn(view.picture, shown))
    assert any(kept in line for line in evaluate(TOLD, "result = linesOf(given, 1);", header))
    full = [
        line for line in evaluate(TOLD, "result = linesOf({ ...given, prompt: 1000 }, 0);", header) if "Kept" in line
    ]
    # A window forgets the others.
    assert full[0].startswith(f"Kept: {'64' if name == 'zoo-window' else '1,000'} times ")
    assert ("v" in arrays) == (header["latent"] is None)
    assert green(shown.checks) and len(shown.checks) == 4
    scope = run_code(view.snippet(shown))
    assert scope["flops"] == [tuple(pair) for pair in header["flops"]] and scope["done"].steps == 4


@pytest.mark.parametrize(
    "text", ["a", "😀 cat 🐈‍⬛", "<b>x</b> $x$ `code` <|endoftext|>", "  \n\n ", "# *a* [b](c) :red[d]"]
)
def test_odd_texts(text):
    shown = generation(text=text, temperature=2.0, seed=9999)
    assert drawn(view.picture, shown) and green(shown.checks)


def test_an_empty_text_is_one_sentence():
    app = opened(**ZOO, text="")
    assert not app.exception and "empty" in app.info[0].value and not steps_of(app)


def test_no_tokens_are_one_sentence():
    app = opened(**{**ZOO, "ktok": 0})
    assert not app.exception and "generate at least 1" in app.error[0].value


def test_beyond_learned_positions_what_fits_is_generated():
    """A prompt that leaves room for fewer tokens, and one that leaves none."""
    lm = compute.model("zoo-learned")
    text = "The cat sat on the mat. " * 60
    ids = lm.tokenizer.encode(text)
    app = opened(model="zoo-learned", ktok=48, text=lm.tokenizer.decode(ids[:240]))
    sentence = app.warning[0].value
    assert "learned vectors for 256" in sentence and "RoPE" in sentence
    assert 1 < len(header_of(app)["used"]) <= 16
    app.text_input("text").set_value(text).run()
    assert not app.exception and not steps_of(app)
    assert any("shorten the prompt" in warning.value for warning in app.warning)
    assert app.text_input("text").value == text


def test_beyond_the_training_length_others_go_on_and_it_is_said():
    app = opened(**ZOO, text="The cat sat on the mat. " * 60)
    assert "the last 96 of 260 positions" in header_of(app)["title"]
    assert "beyond the length" in words(app) and "✗" not in words(app)


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-mla"])
@pytest.mark.parametrize("apart", [True, False])
def test_time_and_operations(name, apart, monkeypatch):
    """Times are shown where the rounds say something, and else a sentence says that they do not."""
    monkeypatch.setattr(Cost, "told_apart", apart)
    app = opened(**{**ZOO, "model": name}, kview=COST)
    flops, *time = charts(app)
    assert "by formula" in title_of(flops) and len(time) == apart
    assert not apart or "measured on this server now" in title_of(time[0])
    assert ("No times are shown" in words(app)) != apart
    [table] = app.dataframe
    assert len(table.value) == len(flops["data"]) == (3 if name == "zoo-mla" else 2)
    cells = table.value["ms, measured"]
    ranges = [list(map(float, cell.split(" – "))) for cell in cells if isinstance(cell, str)]
    assert len(ranges) == (len(cells) if apart else 0) and all(0 <= low <= high for low, high in ranges)
    assert table.value["× with the cache"].iloc[1] > 10
    again = next(button for button in app.button if button.label == "Measure again")
    again.click().run()
    assert not app.exception and not app.error
    scope = run_snippet(app)
    assert set(scope["timing"].ways) == set(table.value["Per token"])


def test_models_side_by_side_and_the_formula_says_what_nbytes_says():
    app = opened(kview=SIDE_BY_SIDE, klen=64)
    assert len(charts(app)) == 2
    table = app.dataframe[0].value.set_index("Model")
    assert {"zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla", "zoo-mla-cq", "zoo-window"} == set(table.index)
    assert (table["Equal"] == "✓").all() and (table["Bytes"] == table["By formula"]).all()
    assert (
        table["Bytes per token read"]["zoo-mqa"] * 8 == table["Bytes per token read"]["zoo-rope"] == 4 * 2 * 8 * 16 * 4
    )
    scope = run_snippet(app)
    assert {name: sizes[0] for name, sizes in scope["sizes"].items()} == dict(table["Bytes"])
    assert all(real == formula for real, formula in scope["sizes"].values())
    assert "*Tokens in the cache*" in to_do(app), "a model with a window is there already"


def test_times_of_models_are_measured_again_where_the_table_runs_alone(monkeypatch):
    """The button is below the picture, whose data stays: what it holds of the old times goes too."""
    rounds = iter([[[1.0, 2.0], [3.0, 4.0]], [[1.0, 2.0], [1.5, 4.0]]])
    monkeypatch.setattr(models.decode_steps, "step_times", lambda *_: np.array(next(rounds)))
    shown = models.Data(Compared(models=("zoo-rope", "zoo-mqa"), text=inputs.DEFAULT_TEXT, length=64))
    models.step_times.clear()
    assert shown.times == {"zoo-rope": (1.0, 2.0), "zoo-mqa": (3.0, 4.0)} and not model_claims.untimed(shown)
    shown.measure_again()
    assert shown.times == {"zoo-rope": None, "zoo-mqa": None}
    assert "zoo-rope and zoo-mqa" in model_claims.untimed(shown)


def test_models_that_cannot_read_so_far_are_left_out_and_none_is_a_sentence():
    app = opened(kview=SIDE_BY_SIDE, kmods=["zoo-learned", "zoo-mqa"], klen=1024)
    charts(app)
    assert "Add *zoo-window*" in to_do(app)
    assert "zoo-learned is left out" in app.warning[0].value and list(app.dataframe[0].value["Model"]) == ["zoo-mqa"]
    app.multiselect("kmods").set_value([]).run()
    assert not app.exception and "choose at least one" in app.info[0].value


def test_texts_follow_from_other_pages_and_examples_are_read():
    app = opened(**ZOO)
    app.button("example-Repeats").click().run()
    charts(app)
    assert app.text_input("text").value == inputs.EXAMPLES["Repeats"]
