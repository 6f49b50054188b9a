"""The page "KV cache", run as Streamlit runs it: at its defaults and at each control's extremes."""

import json
from functools import partial

import pytest

from pages.caches.kv_cache.controls import CALCULATOR, COST, SIDE_BY_SIDE
from tests.pages.helpers import charts, follow_link, open_page, run_snippet, title_of, words
from tlmviz.analysis.caches import cost, shapes
from tlmviz.ui import compute, inputs

PAGE = "caches/kv_cache"
ZOO = dict(model="zoo-rope", ktok=4)


opened = partial(open_page, PAGE)


def test_opens_on_the_steps_of_forty_tokens():
    app = opened()
    [figure] = charts(app)
    assert len(figure["frames"]) == 41 and title_of(figure).startswith("stories-rope (MHA), layer 4, head 2")
    assert words(app).count("✓") == 4 and "✗" not in words(app)
    assert app.latex and "Eq. 34–37" in words(app)


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
    app = opened(**{**ZOO, "model": name}, head="1.5")
    [figure] = charts(app)
    assert kept in json.dumps(figure["data"], ensure_ascii=False)
    assert words(app).count("✓") == 4 and "✗" not in words(app)
    scope = run_snippet(app)
    assert len(scope["figure"].frames) == len(figure["frames"]) == scope["done"].steps + 1


@pytest.mark.parametrize(
    "text", ["a", "😀 cat 🐈‍⬛", "<b>x</b> $x$ `code` <|endoftext|>", "  \n\n ", "# *a* [b](c) :red[d]"]
)
def test_odd_texts(text):
    app = opened(**ZOO, text=text, ktemp=2.0, kseed=9999)
    assert charts(app) and "✗" not in words(app)
    assert app.text_input("text").value == text


def test_an_empty_text_is_one_sentence_and_the_calculator_needs_none():
    app = opened(**ZOO, text="")
    assert not app.exception and "empty" in app.info[0].value and not app.get("plotly_chart")
    app.segmented_control("kview").set_value(CALCULATOR).run()
    assert len(charts(app)) == 2


def test_no_tokens_are_one_sentence():
    app = opened(**{**ZOO, "ktok": 0})
    assert not app.exception and "generate at least 1" in app.error[0].value


def test_beyond_learned_positions_what_fits_is_generated():
    """A prompt that leaves room for fewer tokens, and one that leaves none."""
    lm = compute.model("zoo-learned")
    text = "The cat sat on the mat. " * 60
    ids = lm.tokenizer.encode(text)
    app = opened(model="zoo-learned", ktok=48, text=lm.tokenizer.decode(ids[:240]))
    [figure] = charts(app)
    sentence = app.warning[0].value
    assert "learned vectors for 256" in sentence and "RoPE" in sentence and 1 < len(figure["frames"]) <= 16
    app.text_input("text").set_value(text).run()
    assert not app.exception and not app.get("plotly_chart")
    assert any("shorten the prompt" in warning.value for warning in app.warning)
    assert app.text_input("text").value == text


def test_beyond_the_training_length_others_go_on_and_it_is_said():
    app = opened(**ZOO, text="The cat sat on the mat. " * 60)
    [figure] = charts(app)
    assert "the last 96 of 260 positions" in title_of(figure)
    assert "beyond the length" in words(app) and "✗" not in words(app)


@pytest.mark.parametrize("name", ["zoo-rope", "zoo-mla"])
def test_time_and_operations(name):
    app = opened(**{**ZOO, "model": name}, kview=COST)
    time, flops = charts(app)
    assert "measured on this server now" in title_of(time) and "by formula" in title_of(flops)
    [table] = app.dataframe
    assert len(table.value) == len(flops["data"]) == (3 if name == "zoo-mla" else 2)
    ranges = [list(map(float, cell.split(" – "))) for cell in table.value["ms, measured"]]
    assert all(0 <= low <= high for low, high in ranges) and table.value["× with the cache"].iloc[1] > 10
    scope = run_snippet(app)
    assert set(scope["timing"].ways) == set(table.value["Per token"])


def test_models_side_by_side_and_the_formula_says_what_nbytes_says():
    app = opened(kview=SIDE_BY_SIDE, klen=64)
    assert len(charts(app)) == 2
    table = app.dataframe[0].value.set_index("Model")
    assert {"zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla", "zoo-window"} == set(table.index)
    assert (table["Equal"] == "✓").all() and (table["Bytes"] == table["By formula"]).all()
    assert (
        table["Bytes per token"]["zoo-mqa"] * 8 == table["Bytes per token"]["zoo-rope"] == 4 * 2 * 8 * 16 * 4
    )
    scope = run_snippet(app)
    assert {name: sizes[0] for name, sizes in scope["sizes"].items()} == dict(table["Bytes"])
    assert all(real == formula for real, formula in scope["sizes"].values())


def test_models_that_cannot_read_so_far_are_left_out_and_none_is_a_sentence():
    app = opened(kview=SIDE_BY_SIDE, kmods=["zoo-learned", "zoo-mqa"], klen=1024)
    charts(app)
    assert "zoo-learned is left out" in app.warning[0].value and list(app.dataframe[0].value["Model"]) == [
        "zoo-mqa"
    ]
    app.multiselect("kmods").set_value([]).run()
    assert not app.exception and "choose at least one" in app.info[0].value


@pytest.mark.parametrize("shape", [shape.name for shape in shapes.SHAPES])
def test_every_published_shape_is_calculated(shape):
    app = opened(kview=CALCULATOR, kshape=shape, kbatch=8, kctx=32768, kfmt="fp8", kpage=16)
    assert len(charts(app)) == 2
    found = shapes.find(shape)
    assert app.metric[0].value == f"{cost.token_bytes(found, 8):,.0f} B"
    scope = run_snippet(app)
    assert scope["whole"] == cost.cache_bytes(found, 32768, 8, 8, 16)
    assert app.metric[3].value == f"{scope['fits']:,}"


@pytest.mark.parametrize("name", ["stories-rope", "zoo-mla", "zoo-window"])
def test_own_models_are_held_to_their_real_caches(name):
    app = opened(kview=CALCULATOR, kshape=name, kfmt="fp32", kctx=128, kmem=1)
    charts(app)
    assert "Formula = nbytes at 128" in words(app) and "✗" not in words(app)
    assert run_snippet(app)["whole"] == cost.cache_bytes(cost.Shape.of(compute.configs()[name]), 128)


@pytest.mark.parametrize(
    "change, sentence",
    [
        (dict(kbatch=0), "batch is 0"),
        (dict(kctx=0), "length is 0"),
        (dict(kmem=0), "weights alone need"),
        (dict(kbatch=10**6), "do not fit"),
        (dict(kctx=10**8), "was made to read"),
        (dict(kpage=4096), "numbers per token"),
    ],
)
def test_extremes_of_the_calculator(change, sentence):
    app = opened(kview=CALCULATOR, **change)
    charts(app)
    said = " ".join(warning.value for warning in app.warning) + words(app)
    assert sentence in said and len(app.dataframe[0].value) >= 12


def test_an_unknown_shape_in_the_link_is_named():
    app = follow_link(PAGE, {"kshape": "GPT-9"}, kview=CALCULATOR)
    charts(app)
    assert "no model shape 'GPT-9'" in app.warning[0].value and app.selectbox("kshape").value == "LLaMA 2 70B"


def test_texts_follow_from_other_pages_and_examples_are_read():
    app = opened(**ZOO)
    app.button("example-Repeats").click().run()
    charts(app)
    assert app.text_input("text").value == inputs.EXAMPLES["Repeats"]
