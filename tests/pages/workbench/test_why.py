"""The page Why it looks there, run as Streamlit runs it."""

import numpy as np
import pytest

from pages.workbench.why import view
from pages.workbench.why.data import Data
from pages.workbench.why.state import Why
from tests.packed import unpacked
from tests.pages.helpers import assert_healthy, badges, drawn, green, open_page, picture, run_code, words
from tests.pages.states import above_the_picture, linked
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "workbench/why"
TWO = {"head": "5.0", "query": "25", "key": "17", "whypath": "4.2.17.16", "whyat": "1"}


def opened(**query):
    return open_page(PAGE, query=query)


def why(query=None, model="stories-rope", text=DEFAULT_TEXT, pin=None) -> Data:
    """What the page shows by a link, of the weight that is most worth explaining unless another is given."""
    found = Data.striking(model, text)
    place = (found.layer, found.head, found.query, found.key)
    return Data(linked(Why, query or {}, model=model, text=text, pin=pin or place))


def test_it_opens_on_a_key_that_a_head_wrote():
    app = open_page(PAGE)
    assert_healthy(app)
    assert "✗" not in badges(app) and badges(app).count("✓") == 1
    header, arrays = picture(app, "tlmviz_why")
    [step] = header["steps"]
    assert (step["place"], step["from"], step["to"]) == ([5, 0, 25, 17], "“red” (25)", "“ball” (17)")
    found = compute.model("stories-rope").explain(DEFAULT_TEXT, 5, 0, 25, 17)
    assert arrays["values"].sum() == pytest.approx(found.score, abs=1e-3)
    assert header["score"] == f"{found.score:.2f}" and header["total"] == len(found.names)
    assert arrays["values"].shape == (10, 10)
    [said] = above_the_picture(app)
    assert "L4H2 draws it there most" in said
    assert "L4H2 reads the token before it, “red” (16): 3.21 of the score 12.31" in said
    assert header["written"]["promoted"][0][0] == " ball"
    assert sum(share for _, share in header["written"]["shares"]) == pytest.approx(
        header["written"]["promoted"][0][1], abs=1e-3
    )
    weights = compute.trace("stories-rope", DEFAULT_TEXT).attention(5, 0)
    np.testing.assert_allclose(arrays["weights"], weights, atol=1e-6)


def test_a_path_in_the_link_is_shown():
    app = opened(**TWO)
    assert_healthy(app)
    header, arrays = picture(app, "tlmviz_why")
    assert [step["name"] for step in header["steps"]] == ["L5H0", "L4H2"] and header["at"] == 1
    found = compute.model("stories-rope").explain(DEFAULT_TEXT, 4, 2, 17, 16)
    assert arrays["values"].sum() == pytest.approx(found.score, abs=1e-3)


def test_all_sources():
    header, arrays = unpacked(drawn(view.score, why({"whyall": "1"})))
    assert len(header["rows"]) == len(header["columns"]) == header["total"] == 37
    found = compute.model("stories-rope").explain(DEFAULT_TEXT, 5, 0, 25, 17)
    np.testing.assert_allclose(arrays["values"], found.scores, atol=1e-5)


def test_all_pairs_of_heads():
    app = opened(whyview="All pairs of heads")
    assert_healthy(app)
    header, arrays = picture(app, "why-heads")
    assert (header["layers"], header["heads"], header["state"]["kind"]) == (6, 6, "k")
    assert divmod(int(arrays["k"].argmax()), 36) == (6, 26)  # L1H0 and L4H2


@pytest.mark.parametrize("query", [{}, {"whypath": "4.2.17.16", "whyat": "1"}])
def test_the_snippet_says_what_the_page_says(query):
    found = why(query)
    header, _ = unpacked(drawn(view.score, found))
    assert f"{run_code(view.snippet(found))['found'].score:.2f}" == header["score"]


def test_the_snippet_of_all_pairs():
    scores = run_code(view.snippet(why({"whyview": "All pairs of heads"})))["scores"]
    assert float(scores.max()) == pytest.approx(0.40, abs=0.005)


@pytest.mark.parametrize(
    "query",
    [
        {"whypath": "nonsense"},
        {"whypath": "9.9.9.9"},
        {"whypath": "4.2.17"},
        {"whypath": "4.2.17.99999"},
        {"whyat": "99"},
        {"whyat": "-1"},
        {"whykind": "z"},
        {"whyall": "maybe"},
        {"whypath": ",".join(["4.2.17.16"] * 50)},
    ],
)
def test_hostile_links(query):
    header, _ = unpacked(drawn(view.score, why(query)))
    assert len(header["steps"]) <= 13 and 0 <= header["at"] < len(header["steps"])


@pytest.mark.parametrize("query", [{"head": "99.99", "query": "999", "key": "3"}, {"query": "3", "key": "9"}])
def test_a_pin_that_is_not_there(query):
    app = opened(**query)
    assert_healthy(app)
    assert picture(app, "tlmviz_why")[0]["at"] == 0


@pytest.mark.parametrize("text", ["a", "Lily", "word " * 150, "🦄 <b>x</b>"])
def test_texts(text):
    found = why(text=text)
    header, arrays = unpacked(drawn(view.score, found))
    assert len(header["places"]) == len(arrays["weights"]) <= 160 and green(found.checks)


def test_latent_attention_has_no_composition():
    app = open_page(PAGE, query={"model": "zoo-mla", "whyview": "All pairs of heads"})
    assert not app.exception
    assert [error for error in app.error if "latent" in error.value]


def test_norms_behind_sublayers_name_no_tokens():
    app = open_page(PAGE, query={"model": "zoo-post"})
    assert_healthy(app)
    header, _ = picture(app, "tlmviz_why")
    assert header["written"] is None and "tokens cannot be named" in words(app)
