"""The explorer's panel Flow through AppTest: what the graph gets, its threshold, its held target, and where there is
none."""

import pytest

import tlmviz
from tests.pages.attention.test_explorer import open_app
from tests.pages.helpers import assert_healthy, badges, header_of, link_of, words
from tlmviz.analysis.attention.flow import follow

TEXT = "Lily had a red ball. One day, Lily lost the red"


@pytest.fixture(scope="module")
def followed():
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(TEXT)
    return follow(lm, trace, 8, int(trace.logits[8].argmax()))


def test_the_graph_has_the_edges_of_the_pinned_prediction(followed):
    app = open_app(text=TEXT, panel="Flow", query="8", key="2", head="5.0")
    assert_healthy(app)
    data = header_of(app, "tlmviz_flow")
    assert data["position"] == 8 and data["columns"][-1] == 8 and data["state"]["edge"] == [5, 0, 8, 2]
    shown = int((followed.edges.flow >= 0.01).sum())
    assert [edge[:4] for edge in data["edges"]] == followed.edges.where[:shown].tolist()
    assert [edge[4] for edge in data["edges"]] == pytest.approx(followed.edges.flow[:shown].tolist(), abs=1e-5)
    assert f"{shown} edges" in words(app) and "Stream = its parts" in badges(app)


def test_the_threshold_and_the_held_target_are_in_the_link(followed):
    app = open_app(text=TEXT, panel="Flow", query="3", flowto="8", flowmin="2.0%")
    data = header_of(app, "tlmviz_flow")
    assert data["position"] == 8 and data["least"] == 0.02
    assert len(data["edges"]) == int((followed.edges.flow >= 0.02).sum())
    assert link_of(app)["flowto"] == "8"
    app.button(key="flow-release").click().run()
    assert_healthy(app)
    assert header_of(app, "tlmviz_flow")["position"] == 3 and "flowto" not in link_of(app)


@pytest.mark.parametrize(
    ("model", "said"), [("zoo-post", "pre-norm"), ("zoo-mla", "MLA"), ("stories-mhc", "residual streams")]
)
def test_models_without_flow_say_so(model, said):
    app = open_app(text=TEXT, panel="Flow", model=model)
    assert_healthy(app)
    assert any(said in info.value for info in app.info)


@pytest.mark.parametrize("params", [{"flowto": "9999", "flowmin": "7", "word": "999999999"}, {"flowto": "x"}])
def test_nonsense_in_the_link_is_left_out(params):
    app = open_app(text="a", panel="Flow", **params)
    assert_healthy(app)
    assert header_of(app, "tlmviz_flow")["position"] == len(tlmviz.load("stories-rope").trace("a")) - 1
