"""The view "Sinkhorn dial" of the page mHC: run as Streamlit runs it, and its arithmetic in the browser's language."""

import struct
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest

from pages.streams.mhc.data import Data
from pages.streams.mhc.dial import claims
from pages.streams.mhc.dial.data import Dial, Matrix, logits
from pages.streams.mhc.dial.view import PRESETS
from pages.streams.mhc.state import Streams
from tests.javascript.node import evaluate
from tests.pages.helpers import follow_link, header_of, link_of, open_page, sent
from tlmviz import kernels
from tlmviz.analysis.streams import scaling_support
from tlmviz.ui import compute as shared
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "streams/mhc"
SIXTEEN, SEVENTEEN = (";".join(["1 " * n] * n) for n in (16, 17))
SINKHORN = "pages/streams/mhc/dial/sinkhorn.js"
MATRIX = "tlmviz/ui/components/canvas/matrix.js"


def opened(**session) -> AppTest:
    return open_page(PAGE, **{"sview": "Sinkhorn dial", **session})


def own(app: AppTest, text: str, kind: str = "entries") -> AppTest:
    for key, value in {"sds": "own", "sdk": kind, "sdm": text}.items():
        app.session_state[f"_link_{key}"] = value
    return app.run()


@pytest.fixture(scope="module")
def app():
    """One session for all that does not depend on what came before."""
    return opened()


# --- a model's logits -------------------------------------------------------------------------------


def test_opens_on_the_models_own_logits_of_every_sublayer_and_token():
    app = opened()
    header, data = header_of(app, "tlmviz_sd"), sent(app, "tlmviz_sd")
    found = logits("stories-mhc", DEFAULT_TEXT)
    place = header["arrays"]["logits"]["offset"] + 4 + struct.unpack_from("<I", data)[0]
    raw = np.frombuffer(data, "<f4", found.numel(), place).reshape(found.shape)
    assert np.array_equal(raw, found.numpy()) and found.shape[0] == len(header["names"]) == 16
    assert found.shape[1] == len(header["tokens"]) and header["iterations"] == 20
    mixed = Data.mixing("stories-mhc", DEFAULT_TEXT).res
    assert torch.allclose(kernels.sinkhorn(found, 20), mixed, atol=1e-6), "the dial shows what the model uses"
    state = {name: header["state"][name] for name in ("token", "sublayer", "step", "temperature")}
    assert state == {"token": None, "sublayer": 0, "step": 2, "temperature": 1}
    assert app.latex and any("section 5.2" in caption.value for caption in app.caption)


def test_tokens_are_counted_from_0_as_in_every_view():
    """The view names a token by its place in the header, and the link says that place."""
    app = opened(stok=3)
    assert header_of(app, "tlmviz_sd")["state"]["token"] == 3 and header_of(app, "tlmviz_sd")["first"] == 0
    assert "trace(" in app.code[-1].value and "all_logits[:, 3]" in app.code[-1].value


@pytest.mark.parametrize("name", sorted(shared.stream_models()))
def test_every_model_has_a_dial(name):
    app = opened(smodel=name)
    has = header_of(app, "tlmviz_sd")["own"] is None
    assert has == ("mhc" in name)
    if has:
        assert len(sent(app, "tlmviz_sd")) < 1_500_000
    else:
        said = app.info[0].value.replace("\\", "")
        assert "matrix of your own" in said and name in said
        app.button(key="sd-model").click().run()
        assert app.session_state["smodel"] == shared.DEFAULT_STREAM_MODEL and header_of(app, "tlmviz_sd")["own"] is None


def test_the_longest_text_of_the_deepest_model_is_sent_in_one_and_a_half_megabytes():
    app = opened(smodel="stories-deep-mhc", text="the cat sat on the mat and " * 100)
    assert len(header_of(app, "tlmviz_sd")["tokens"]) > 250
    assert len(sent(app, "tlmviz_sd")) < 1_500_000


# --- a matrix of one's own --------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_read_and_judged(app, name):
    own(app, "1")
    app.button(key=f"sd-{name}").click().run()
    shown = header_of(app, "tlmviz_sd")["own"]
    assert not app.warning and app.text_area("sdm").value == PRESETS[name].text
    kind = {"Triangle": "partial", "No support": "none", "A row of zeros": "none"}.get(name, "total")
    said = {"total": "Total support", "partial": "Support, but not total", "none": "No support"}[kind]
    assert shown["support"]["kind"] == kind and shown["verdict"].startswith(said)
    marks = " ".join(markdown.value for markdown in app.markdown if "badge[" in markdown.value)
    assert "✓" in marks and "✗" not in marks


@pytest.mark.parametrize(
    "text, kind, said",
    [
        ("1 -2; 3 4", "entries", "is negative"),
        ("nan 1; 1 1", "logits", "“nan”"),
        ("two words", "logits", "“two”"),
        ("1 2 3; 4 5 6", "logits", "a square one"),
        ("", "logits", "no matrix"),
        (SEVENTEEN, "logits", "at most 16 × 16"),
        ("nine 1 " * 2000, "logits", "“nine”"),
        ("<b> *a* _x_ $y$", "logits", "is not a number"),
    ],
)
def test_what_cannot_be_read_is_one_sentence_and_stays(app, text, kind, said):
    own(app, "2 1; 1 2")
    own(app, text, kind)
    [warning] = app.warning
    assert said in warning.value and "last matrix that could be read" in warning.value
    shown = header_of(app, "tlmviz_sd")
    assert app.text_area("sdm").value == shown["state"]["matrix"] == text
    assert shown["own"]["words"] == [["2", "1"], ["1", "2"]]
    own(app, "1 1; 1 1")
    assert not app.warning


EXTREMES = [("7", "logits"), ("0", "entries"), (SIXTEEN, "logits"), ("1e4 -1e4; 3 -inf", "logits")]


@pytest.mark.parametrize("text, kind", EXTREMES)
def test_extremes_are_shown(app, text, kind):
    own(app, text, kind)
    assert not app.warning and len(header_of(app, "tlmviz_sd")["own"]["words"]) == len(text.split(";"))


def test_a_link_with_nonsense_in_it_opens():
    link = {"sdi": "999", "sdt": "hot", "sds": "x", "sdk": "y", "stok": "9999", "ssub": "77"}
    place = header_of(follow_link(PAGE, {"sview": "Sinkhorn dial", **link}), "tlmviz_sd")["state"]
    assert place["step"] == 80 and place["temperature"] == 1 and place["sublayer"] >= 15


def test_a_link_brings_the_matrix_and_the_dial_back():
    link = {"sds": "Own matrix", "sdk": "Logits", "sdm": "1 2\n3 4", "sdi": "7", "sdt": "0.5"}
    app = follow_link(PAGE, {"sview": "Sinkhorn dial", **link})
    state = header_of(app, "tlmviz_sd")["state"]
    assert state["matrix"] == link["sdm"] and state["kind"] == "logits"
    assert (state["step"], state["temperature"]) == (7, 0.5)
    assert {key: link_of(app)[key] for key in link} == link


def test_a_matrix_that_is_not_shown_is_not_in_the_link():
    app = opened(sds="Own matrix", sdm="1 2\n3 4")
    assert "sdm" in link_of(app)
    app.segmented_control("sds").set_value("model").run()
    assert not {"sds", "sdk", "sdm"} & set(link_of(app))
    app.segmented_control("sds").set_value("own").run()
    assert link_of(app)["sdm"] == "1 2\n3 4"


def test_a_bound_is_named_where_there_is_one():
    chosen = {name: control.default for name, control in Streams.controls.items()}
    said = {
        name: claims.leaves(Dial(Streams(**chosen, model=name, text="Tom saw a dog.")))
        for name in ("stories-mhc", "stories-deep-mhc")
    }
    assert (
        "bounds its logits to ±\u00a01.5" in said["stories-mhc"]
        and "bounds its logits to ±\u00a02," in said["stories-deep-mhc"]
    )
    for name, iterations in {"stories-mhc": 20, "stories-deep-mhc": 42}.items():
        assert f"this model’s {iterations} leave them off by up to 0.000" in said[name]


def test_logits_without_a_bound_are_not_said_to_have_one(monkeypatch):
    free = replace(shared.model("stories-mhc").config.connection, bound=None)
    monkeypatch.setattr(Dial, "connection", free)
    chosen = {name: control.default for name, control in Streams.controls.items()}
    said = claims.leaves(Dial(Streams(**chosen, model="stories-mhc", text="Tom saw a dog.")))
    assert "leave them off by up to" in said and "bound" not in said


def test_verdicts_name_rows_columns_and_entries():
    def said(text):
        chosen = {name: control.default for name, control in Streams.controls.items()}
        return claims.verdict(Dial(Streams(**chosen, model="stories-mhc", text="a"), Matrix(text, "entries")))

    assert "rows 2 and 3 have positive entries in column 2 alone" in said("1 2 3; 0 4 0; 0 5 0")
    assert "row 1 has no positive entry" in said("0 0; 1 1")
    assert "entry (1, 2) is 0" in said("1 1; 0 1")
    assert "(1, 2), (1, 3), (1, 4), (2, 3) and 2 more are 0" in said("1 1 1 1; 0 1 1 1; 0 0 1 1; 0 0 0 1")
    assert "2 blocks" in said("1 0; 0 1") and "becomes 1" in said("5") and "stays 0" in said("0")


# --- Copy as Python ---------------------------------------------------------------------------------


@pytest.fixture
def shown_figures(monkeypatch):
    figures: list[go.Figure] = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: figures.append(figure))
    return figures


@pytest.mark.parametrize("step", [0, 7, 80])
def test_the_models_snippet_draws_what_the_page_shows(step, shown_figures, capsys):
    app = opened(sdi=step, sdt=0.5, stok=3, ssub=5)
    scope: dict = {}
    exec(app.code[-1].value, scope)
    own_logits = logits("stories-mhc", DEFAULT_TEXT)[5, 3].double() / 0.5
    expected = halves(own_logits.numpy(), 40)[step]
    assert np.allclose(scope["matrix"], expected, atol=1e-9) and "total support" in capsys.readouterr().out
    # The theoretical rate is drawn where the limit is reached in time; cold logits of a trained model may be too slow.
    assert np.allclose(shown_figures[0].data[0].z, expected, atol=1e-6)
    assert len(shown_figures[0].data) == 5 + np.isfinite(scope["rate"])


def test_the_snippet_of_a_typed_matrix_runs_without_a_scaling(app, shown_figures, capsys):
    own(app, "0 0; 1 2")
    scope: dict = {}
    exec(app.code[-1].value, scope)
    assert "none support" in capsys.readouterr().out and np.isnan(scope["rate"]) and len(shown_figures) == 1


# --- the browser's arithmetic -----------------------------------------------------------------------


def halves(logits: np.ndarray, count: int) -> list[np.ndarray]:
    """Every half step by plain divisions in float64."""
    m = np.exp(logits - logits.max())
    steps = [m]
    for half in range(2 * count):
        m = m / m.sum(1 - half % 2, keepdims=True)
        steps.append(m)
    return steps


def in_browser(expression: str, **given):
    """The value of an expression of the script, run by Node; -Infinity travels as null."""
    imports = {SINKHORN: "depthGains, entries, errors, halfSteps, rateOf", MATRIX: "singularValues"}
    read = "const list = (x) => Float64Array.from(x, (value) => value ?? -Infinity);"
    return evaluate(imports, f"{read} const {{ {', '.join(given)} }} = given; result = {expression};", given)


def flat(logits: np.ndarray) -> list:
    return [None if value == -np.inf else value for value in logits.ravel().tolist()]


def walked(logits: np.ndarray) -> np.ndarray:
    """Every half step as the browser computes it."""
    n = len(logits)
    steps = in_browser("halfSteps(list(z), n).map((step) => [...entries(step)])", z=flat(logits), n=n)
    return np.array(steps).reshape(-1, n, n)


@pytest.mark.parametrize("n", [1, 2, 4, 16])
def test_the_browser_walks_as_numpy_does(n):
    logits = np.random.default_rng(n).normal(size=(n, n)) * 3
    steps = walked(logits)
    assert len(steps) == 81 and np.allclose(steps, halves(logits, 40), rtol=1e-10, atol=1e-15)
    iterates = kernels.sinkhorn_iterates(torch.from_numpy(logits), 40)
    assert np.allclose(steps[::2], iterates, rtol=1e-10, atol=1e-15)
    errors = in_browser("halfSteps(list(z), n).map((step) => errors(entries(step), n).both)", z=flat(logits), n=n)
    assert np.allclose(errors[::2], scaling_support.residuals(iterates), atol=1e-14)


@pytest.mark.parametrize(
    "text", ["1e4 -1e4 3; 0 0 9999; -inf 1 2", "-inf -inf; 1 2", "-inf -inf; -inf -inf", "1e4 9999; 9998 -1e4"]
)
def test_the_browser_walks_extremes_as_the_kernel_does(text):
    logits = scaling_support.parse(text, "logits")
    steps = walked(logits)
    assert np.isfinite(steps).all()
    assert np.allclose(steps[::2], kernels.sinkhorn_iterates(torch.from_numpy(logits), 40), atol=1e-9)


@pytest.mark.parametrize(
    "text",
    ["4 1 2; 1 3 1; 5 1 1", "1 5 0 0; 3 1 0 0; 0 0 1 4; 0 0 2 1", "1 0; 0 1", "3", "1 1 1; 0.02 1 1; 0.02 0.02 1"],
)
def test_the_browser_finds_the_rate_that_torch_does(text):
    logits = scaling_support.parse(text, "entries")
    found = scaling_support.support(logits > -np.inf)
    rate = in_browser("rateOf(list(z), n, blocks)", z=flat(logits), n=len(logits), blocks=found.blocks)
    assert rate == pytest.approx(scaling_support.rate(torch.from_numpy(logits), found), abs=1e-9)


def test_the_browsers_singular_values_are_numpys():
    m = np.random.default_rng(0).normal(size=(16, 16))
    found = in_browser("singularValues(list(m), 16).map((x) => x ** 2)", m=flat(m))
    assert np.allclose(found, np.linalg.svd(m)[1] ** 2, rtol=1e-9, atol=1e-12)


def test_the_browsers_gains_over_depth_are_the_packages():
    logits = torch.randn(48, 4, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64) * 2
    found = in_browser("depthGains(all.map(list), 4)", all=[flat(one) for one in logits.numpy()])
    assert np.allclose(found, scaling_support.depth_gains(logits), rtol=1e-10)
