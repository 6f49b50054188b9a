"""The view "Matrices" of the page mHC, run as Streamlit runs it."""

import base64

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import tlmviz
from pages.streams.mhc.data import Data
from pages.streams.mhc.matrices.view import SYMBOLS
from pages.streams.mhc.state import Streams
from tests.pages import helpers
from tests.pages.helpers import SHOWN, by_title, header_of, run_snippet, sent
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


@pytest.mark.parametrize(
    "name", ["stories-mhc", "stories-hc", "stories-residual", "stories-deep-hc", "stories-deep-mhc"]
)
def test_every_model_is_shown_and_its_snippet_runs(name, capsys):
    app = opened(smodel=name)
    said, kind = words(app), tlmviz.load(name).config.connection.kind
    header = header_of(app, "tlmviz_sm")
    assert header["model"] == name and header["kind"] == kind and header["tokens"][1:]
    assert header["state"]["token"] is None and header["state"]["sublayer"] == 0  # the last token
    assert ("one stream" in said) == (kind == "residual") and ("Columns sum to 1" in said or kind != "manifold")
    assert ("Nothing binds" in said) == (kind == "hyper")
    assert len(titles(app)) == (0 if kind == "residual" else 2)
    scope = run_snippet(app)
    torch.testing.assert_close(scope["H"].float(), Data.mixing(name, TEXT).res[0, -1])
    printed = capsys.readouterr().out
    assert all(f"{name}\n" in printed for name in ("H", "rows", "eigenvalues", "from_mean", "spread"))
    assert [figure.layout.title.text.split(",")[0] for figure in scope[SHOWN]] == ["Distance from the identity"]
    assert ("parts" in scope) == (kind != "hyper") and scope["eigenvalues"].shape == scope["singular"].shape


def test_a_plain_residual_offers_a_model_with_streams():
    app = opened(smodel="stories-residual")
    app.button("smother").click().run()
    assert app.session_state["smodel"] == "stories-mhc" and header_of(app, "tlmviz_sm")["streams"] > 1


def test_a_link_brings_token_sublayer_entry_and_colours():
    app = opened(params={"stok": "2", "ssub": "5", "smij": "3.1", "smcol": "change"})
    words(app)
    state = header_of(app, "tlmviz_sm")["state"]
    assert state == {"token": 2, "sublayer": 5, "cell": [3, 1], "colors": "change"}
    torch.testing.assert_close(run_snippet(app)["H"].float(), Data.mixing("stories-mhc", TEXT).res[5, 2])


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
    header = header_of(app, "tlmviz_sm")
    assert (header["state"]["token"] or 0) >= 0 and header["state"]["sublayer"] >= 0
    assert header["state"]["colors"] == "value"
    matrices = Data.mixing("stories-mhc", TEXT).res
    assert any((matrix == run_snippet(app)["H"].float()).all() for matrix in matrices.flatten(0, 1))


def test_every_distance_has_its_map():
    app = opened()
    full = np.sqrt(Data.mixing("stories-mhc", TEXT).res.shape[-1] - 1)
    for value, what in SYMBOLS.items():
        app.segmented_control("smdist").set_value(value).run()
        assert titles(app)[0] == f"Distance {what}, every sublayer and token"
        [heatmap] = by_title(app)[titles(app)[0]]["data"]
        z = np.frombuffer(base64.b64decode(heatmap["z"]["bdata"]), np.float32)
        most = pytest.approx(max(full, z.max()), rel=1e-6)
        assert (heatmap["zmin"], heatmap["zmax"]) == (0, most), "full mixing at least, in every map"


def test_the_words_of_a_distance_follow_the_reading_level():
    app = opened(_link_read="plain", params={"smdist": "from 1/N"})
    assert app.segmented_control("smdist").value == "everything"
    assert titles(app)[0] == "Distance from full mixing, every sublayer and token"
    assert Streams.distance.default == "nothing"


ODD = ["a", "😀 cat", "<b>x</b> $x$ `code`", "a\x01b\u202ec", "word " * 600]


@pytest.mark.parametrize("text", ODD, ids=lambda text: repr(text[:12]))
def test_odd_and_long_texts(text):
    app = opened(text=text)
    words(app)
    header = header_of(app, "tlmviz_sm")
    assert len(header["tokens"]) <= 256 and len(sent(app, "tlmviz_sm")) < 1_400_000


def test_what_is_said_is_measured():
    """The largest entry off the diagonal and where it is, found once more by hand."""
    off = Data.mixing("stories-mhc", TEXT).res.clone()
    names = streams.sublayers(off.shape[0] // 2)
    off.diagonal(dim1=-2, dim2=-1).zero_()
    sublayer, token, *_ = (int(i) for i in torch.unravel_index(off.abs().argmax(), off.shape))
    said = words(opened())
    assert (
        f"mixed most by {names[sublayer]} at token {token}: an entry off the diagonal is {float(off.abs().max()):.4g}"
        in said
    )
