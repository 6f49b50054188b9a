"""The view "Matrices" of the page mHC, run as Streamlit runs it."""

import json

import pytest
import torch
from streamlit.testing.v1 import AppTest

import tlmviz
from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import Reading
from pages.streams.mhc.matrices.compute import DISTANCES
from tests.pages import helpers
from tests.pages.helpers import SHOWN, by_title, run_snippet
from tlmviz.analysis.streams import mixing as streams

PAGE = "streams/mhc"
TEXT = "Tom saw a big dog."


def opened(*, params=None, **session) -> AppTest:
    return helpers.follow_link(PAGE, params or {}, **{"text": TEXT, "sview": "Matrices", **session})


def words(app: AppTest) -> str:
    helpers.assert_healthy(app)
    return " ".join([helpers.words(app), *(part.value for part in app.info)])


def titles(app: AppTest) -> list[str]:
    return list(by_title(app))


def sent(app: AppTest) -> dict:
    """The header of what travelled to the browser."""
    _, data = app.session_state["_sm_sent"]
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


@pytest.mark.parametrize(
    "name", ["stories-mhc", "stories-hc", "stories-residual", "stories-deep-hc", "stories-deep-mhc"]
)
def test_every_model_is_shown_and_its_snippet_runs(name, capsys):
    app = opened(smodel=name)
    said, kind = words(app), tlmviz.load(name).config.connection.kind
    header = sent(app)
    assert header["model"] == name and header["kind"] == kind and header["tokens"][1:]
    assert header["state"]["token"] == len(header["tokens"]) - 1 and header["state"]["sublayer"] == 0
    assert ("one stream" in said) == (kind == "residual") and ("average of" in said or kind != "manifold")
    assert ("Nothing binds" in said) == (kind == "hyper")
    assert len(titles(app)) == (0 if kind == "residual" else 2)
    scope = run_snippet(app)
    mixing = page.mixing(Reading(name, TEXT))
    torch.testing.assert_close(scope["H"].float(), mixing.res[0, -1])
    printed = capsys.readouterr().out
    assert all(f"{name}\n" in printed for name in ("H", "rows", "eigenvalues", "from_mean", "spread"))
    assert [figure.layout.title.text.split(",")[0] for figure in scope[SHOWN]] == [
        "Distance from the identity"
    ]
    assert ("parts" in scope) == (kind != "hyper") and scope["eigenvalues"].shape == scope["singular"].shape


def test_a_plain_residual_offers_a_model_with_streams():
    app = opened(smodel="stories-residual")
    app.button("smother").click().run()
    assert app.session_state["smodel"] == "stories-mhc" and sent(app)["streams"] > 1


def test_a_link_brings_token_sublayer_entry_and_colours():
    app = opened(params={"stok": "2", "ssub": "5", "smij": "3.1", "smcol": "change"})
    words(app)
    state = sent(app)["state"]
    assert state == {"token": 2, "sublayer": 5, "row": 3, "col": 1, "colors": "change", "seq": 0}
    torch.testing.assert_close(
        run_snippet(app)["H"].float(), page.mixing(Reading("stories-mhc", TEXT)).res[5, 2]
    )


@pytest.mark.parametrize(
    "params",
    [
        {"stok": "9999", "ssub": "9999", "smij": "x", "smcol": "<b>"},
        {"stok": "-1", "ssub": "", "smij": "1.", "smcol": ""},
        {"smij": "²." + "9" * 40, "stok": "a.b"},
        {"smij": "99.99", "smdist": "nonsense"},
    ],
    ids=str,
)
def test_nonsense_in_a_link_is_no_error(params):
    app = opened(params=params)
    words(app)
    header = sent(app)
    assert 0 <= header["state"]["token"] < len(header["tokens"]) and 0 <= header["state"]["sublayer"] < len(
        header["names"]
    )
    assert header["state"]["colors"] == "value"


def test_every_distance_has_its_map():
    app = opened()
    for what in DISTANCES:
        app.segmented_control("smdist").set_value(what).run()
        assert titles(app)[0] == f"Distance {what}, every sublayer and token"


ODD = ["a", "😀 cat", "<b>x</b> $x$ `code`", "a\x01b\u202ec", "word " * 600]


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_and_long_texts(text):
    app = opened(text=text)
    words(app)
    header = sent(app)
    assert len(header["tokens"]) <= 256 and len(app.session_state["_sm_sent"][1]) < 1_400_000


def test_what_is_said_is_measured():
    """The largest entry off the diagonal and where it is, found once more by hand."""
    mixing = page.mixing(Reading("stories-mhc", TEXT))
    names = streams.sublayers(mixing.res.shape[0] // 2)
    off = mixing.res.clone()
    off.diagonal(dim1=-2, dim2=-1).zero_()
    sublayer, token, *_ = (int(i) for i in torch.unravel_index(off.abs().argmax(), off.shape))
    said = words(opened())
    assert (
        f"mixed most by {names[sublayer]} at token {token}: an entry off the diagonal is {float(off.abs().max()):.4g}"
        in said
    )
