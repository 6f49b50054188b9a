"""The view "Flow" of the page mHC: what the picture is sent, its arithmetic, and the model with other iterations."""

from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.streams.mhc.flow import claims
from pages.streams.mhc.state import ALL, WIDTHS
from tests.javascript.node import evaluate
from tests.pages import helpers
from tests.pages.helpers import assert_healthy, by_title, follow_link, header_of, open_page, run_snippet
from tests.pages.states import plain
from tlmviz.analysis.streams.iterations import rerun
from tlmviz.analysis.streams.mixing import mixing_of
from tlmviz.analysis.streams.unrolled import unroll

PAGE = "streams/mhc"
TEXT = "Tom saw a big dog."
opened = partial(open_page, PAGE, text=TEXT)


def test_the_page_opens_on_the_streams_of_the_whole_family():
    app = opened()
    assert_healthy(app)
    header = header_of(app, "tlmviz_sf")
    assert [member["kind"] for member in header["members"]] == ["residual", "hyper", "manifold"]
    assert [member["streams"] for member in header["members"]] == [1, 4, 4]
    assert claims.NOTICE[0] in helpers.words(app)


@pytest.mark.parametrize("name", ["stories-hc", "stories-mhc"])
def test_carried_bands_are_the_embeddings_coefficients(name):
    mixed = mixing_of(tlmviz.load(name).trace(TEXT))
    token, (count, _, n) = 3, mixed.pre.shape
    body = """
const { bands, places } = bandsOf({ ...given, res: given.res.flat(2) }, true);
result = { bands, places: places.map((x) => [...x]) };"""
    given = {"N": n, "P": count, "res": mixed.res[:, token].tolist()}
    found = evaluate({f"pages/{PAGE}/flow/matrices.js": "bandsOf"}, body, given)
    expected = unroll(mixed).final[0, token].numpy()
    np.testing.assert_allclose(found["places"][-1], expected, rtol=1e-5)
    into = np.zeros(n)
    for band in found["bands"][-1]:
        into[band["to"]] += band["value"]
    np.testing.assert_allclose(into, expected, rtol=1e-5)


def test_the_model_runs_with_the_iterations_of_the_slider():
    app = opened(sfit=0)
    run = rerun(tlmviz.load("stories-mhc"), TEXT, 0)
    said = plain(helpers.words(app))
    assert f"**{run.loss:.4f}**" in said and f"{run.forward:.4g}**" in said
    assert "Writes with 20 iterations, as trained" in said and "Writes with 0 iterations" in said
    loss = by_title(app)["Loss by Sinkhorn iterations (nats a token)"]["data"][0]
    assert loss["x"][0] == "0" and loss["marker"]["size"][0] > loss["marker"]["size"][1]
    scope = run_snippet(app)
    assert scope["run"].loss == pytest.approx(run.loss, abs=1e-6)


def test_as_trained_the_text_is_written_once():
    app = opened()
    captions = [caption.value for caption in app.caption if "Writes with" in caption.value]
    assert captions == ["Writes with 20 iterations, as trained"]


def test_hostile_links_show_the_defaults():
    app = follow_link(PAGE, {"text": TEXT, "sfshow": "<b>", "sfwidth": "x", "stok": "99999", "ssub": "99999"})
    assert_healthy(app)
    state = header_of(app, "tlmviz_sf")["state"]
    assert (state["shown"], state["widths"]) == (ALL, WIDTHS[0])
    assert state["sublayer"] >= 15, "the last one is shown"


def test_a_family_without_plain_twin_says_so():
    app = opened(smodel="stories-deep-hc")
    assert_healthy(app)
    assert [member["kind"] for member in header_of(app, "tlmviz_sf")["members"]] == ["hyper", "manifold"]
    assert "plain residuals is here" in helpers.words(app)
