"""The parts of the page Formats that round a model, run as Streamlit runs them."""

import contextlib

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.formats.product import data as product_data
from pages.numbers.formats.product import view as product_view
from pages.numbers.formats.product.state import Product
from pages.numbers.formats.state import Rounding
from pages.numbers.formats.whole import data as whole_data
from pages.numbers.formats.whole import view as whole_view
from pages.numbers.formats.whole.state import Whole
from tests.packed import unpacked
from tests.pages.helpers import (
    assert_healthy,
    badges,
    by_title,
    charted,
    drawn,
    green,
    link_of,
    open_page,
    picture,
    run_code,
    run_snippet,
    words,
)
from tests.pages.states import linked
from tlmviz.analysis.numbers import rounded_model, scaling
from tlmviz.analysis.numbers.rounded_model import Setting, Simulator
from tlmviz.analysis.numbers.scaling import Scheme
from tlmviz.errors import BadText
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "numbers/formats"
PRODUCT, MODEL = {"nfpart": "product"}, {"nfpart": "whole"}


def product(query=None, model="stories-rope", text=DEFAULT_TEXT) -> product_data.Data:
    """What the part One product shows by a link."""
    rounding = linked(Rounding, query or {})
    return product_data.Data(linked(Product, query or {}, model=model, text=text, rounding=rounding))


def whole(query=None, model="stories-rope", text=DEFAULT_TEXT) -> whole_data.Data:
    """What the part Whole model shows by a link."""
    rounding = linked(Rounding, query or {})
    return whole_data.Data(linked(Whole, query or {}, model=model, text=text, rounding=rounding))


def test_it_opens_on_the_loudest_channel():
    app = open_page(PAGE, PRODUCT)
    header, arrays = picture(app)
    assert "layer 2 · down" in header["title"] and header["format"]["key"] == "int8"
    assert (header["state"]["see"], header["state"]["factor"]) == ("x", 0)
    lm = tlmviz.load("stories-rope")
    x, matrix = Simulator(lm).read_by(lm.encode(DEFAULT_TEXT), "2.down")
    made = scaling.rounded_product(x, matrix.weight, Scheme("int8", "block", 32))
    np.testing.assert_allclose(arrays["x_values"], x.numpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(arrays["x_errors"], (made.x.restored - x).numpy(), atol=1e-6)
    assert header["sides"]["o"]["sqnr"] == pytest.approx(float(scaling.sqnr(made.exact, made.kept)), abs=1e-3)
    rows = app.dataframe[0].value.set_index("A scale per")
    assert rows.loc["block", "X"] == pytest.approx(float(scaling.sqnr(x, made.x.restored)), abs=1e-3)
    assert badges(app).count("green-badge") == 3 and "red-badge" not in badges(app)


def test_the_worked_numbers_divide_out():
    rows = open_page(PAGE, {**PRODUCT, "scper": "per channel"}).dataframe[1].value
    for _, row in rows.iterrows():
        assert row["O_s"] / (row["S_X"] * row["S_W"]) == pytest.approx(row["Kept"], rel=1e-4)
    blocks = open_page(PAGE, PRODUCT)
    shown = blocks.dataframe[1].value
    assert (
        not {"O_s", "S_X", "S_W"} & set(shown.columns) and shown["Kept"].notna().all() and "no one O_s" in words(blocks)
    )


def test_another_matrix_is_chosen_and_linked():
    app = open_page(PAGE, PRODUCT)
    [menu] = [box for box in app.selectbox if box.label == "Matrix"]
    menu.select("5.gate").run()
    assert "layer 5 · gate" in picture(app)[0]["title"] and link_of(app)["scm"] == "5.gate"
    assert "5.gate" in app.code[-1].value


@pytest.mark.parametrize("query", [{}, {"scf": "E4M3", "scper": "per block, powers of 2", "scm": "5.v"}])
def test_the_snippet_gives_the_decibels(query):
    found = product(query)
    header, _ = unpacked(drawn(product_view.picture, found))
    made = run_code(product_view.snippet(found))["made"]
    assert float(scaling.sqnr(made.exact, made.kept)) == pytest.approx(header["sides"]["o"]["sqnr"], abs=1e-2)


def test_the_whole_model():
    app = open_page(
        PAGE, {**MODEL, "scf": "INT4", "scper": "per tensor", "scparts": ["q", "down"], "sclayers": ["2", "3"]}
    )
    assert_healthy(app)
    lm = tlmviz.load("stories-rope")
    ids, simulator = lm.encode(DEFAULT_TEXT), Simulator(lm)
    setting = Setting(Scheme("int4"), parts=("q", "down"), layers=(2, 3))
    loss = rounded_model.loss(lm, ids, simulator.logits(ids), simulator.logits(ids, setting))
    assert "KL of every prediction (nats)" in by_title(app)
    assert f"{loss.bits_per_byte[1]:.3f} bits per byte" in words(app)
    assert "4 of the model's 43 matrices" in words(app) and "true integers" in words(app)
    rows = app.dataframe[0].value.set_index("Format")
    assert rows.loc["INT4", "KL: tensor"] == pytest.approx(float(loss.divergence.mean()), rel=1e-3)
    assert list(rows.index) == ["INT8", "E4M3", "E5M2", "E2M1", "INT4", "FP16", "BF16"]
    scope = run_snippet(app)
    np.testing.assert_allclose(scope["loss"].divergence, loss.divergence, atol=1e-6)
    assert "simulated in float32" in words(open_page(PAGE, {**MODEL, "scf": "E4M3"}))


@pytest.mark.parametrize(
    "query",
    [
        {"scm": "9.down", "scsee": "z", "sccol": "<b>", "scs": "nan"},
        {"scs": "1e400", "scf": "INT5", "scper": "per row", "scblock": "7"},
        {"scm": "head", "scs": "-99", "scsee": "o"},
        {"scm": "2.down" * 100},
    ],
)
def test_hostile_links_of_a_product(query):
    assert drawn(product_view.picture, product(query))


@pytest.mark.parametrize(
    "query", [{"scparts": "z", "sclayers": "77", "scsides": "None"}, {"scparts": "", "sclayers": "0"}]
)
def test_hostile_links_of_a_model(query):
    assert charted(whole_view.picture, whole(query))


@pytest.mark.parametrize("make", [lambda **given: product(**given), lambda **given: whole(**given)])
@pytest.mark.parametrize("text", ["a", "🙂", "Tom ran.", "   ", "x" * 500])
def test_texts(make, text):
    with contextlib.suppress(BadText):
        assert _shown(make(text=text))


def _shown(found) -> bool:
    """Whether all is drawn, and the identities hold."""
    if isinstance(found, product_data.Data):
        product_view.shared_scales(found)
        return bool(drawn(product_view.picture, found))
    whole_view.beneath(found)
    return bool(charted(whole_view.picture, found)) and green(found.checks)


def test_nothing_to_read():
    app = open_page(PAGE, PRODUCT, text="")
    assert not app.exception and app.info


@pytest.mark.parametrize("model", ["zoo-mla", "stories-moe", "stories-mhc", "stories-gpt", "zoo-gqa", "zoo-window"])
@pytest.mark.parametrize(
    "make", [lambda **given: product(**given), lambda **given: whole({"scper": "per channel"}, **given)]
)
def test_other_models(model, make):
    found = make(model=model)
    assert _shown(found) and green(found.checks)


def test_an_expert_that_no_token_reaches_says_so():
    lm = tlmviz.load("stories-moe")
    simulator = Simulator(lm)
    reached = simulator.loudest(lm.encode("a"))
    missed = next(each.key for each in simulator.matrices if each.key not in reached)
    app = open_page(PAGE, {**PRODUCT, "model": "stories-moe", "scm": missed}, text="a")
    assert not app.exception and "No token of this text reaches" in app.error[0].value


def test_a_large_model_is_not_run_by_the_dozen(monkeypatch):
    monkeypatch.setattr(whole_data, "SMALL", 1)
    app = open_page(PAGE, MODEL)
    assert_healthy(app)
    assert "would take minutes" in words(app) and not app.dataframe
    assert torch.is_inference_mode_enabled() is False
