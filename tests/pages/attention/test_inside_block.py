"""The page "Inside a block", run as Streamlit runs it."""

from functools import partial

import pytest

import tlmviz
from tests.pages.helpers import by_title, open_page
from tlmviz.analysis.attention.steps import step_names

PAGE = "attention/inside_block"
STEPS = step_names(tlmviz.load("stories-rope").config)


opened = partial(open_page, PAGE)


def charts(app) -> dict[str, dict]:
    return {title or "pipeline": chart for title, chart in by_title(app).items()}


@pytest.fixture(scope="module")
def app():
    return opened()


def test_opens_on_the_embedding(app):
    shown = charts(app)
    assert app.session_state["step"] == "embed"
    assert {"pipeline"} < set(shown) and any("[B=1, T=" in title for title in shown)
    assert any(title.startswith("Logit lens") for title in shown)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_drawn(app, step):
    app.session_state["step"] = step
    shown = charts(app.run())
    words = " ".join(markdown.value for markdown in app.markdown)
    assert f"{STEPS.index(step) + 1}/{len(STEPS)} {step}.**" in words
    assert app.code[0].value and app.latex
    assert any("running sum" in title for title in shown) == (
        step in ("qkv", "scores", "mix", "project", "up", "down", "logits")
    )
    assert "✗" not in words


def test_buttons_walk_the_steps(app):
    app.session_state["step"] = "embed"
    app.run()
    assert app.button("move-1").disabled
    app.button("move1").click().run()
    assert app.session_state["step"] == "norm 1"
    app.button("move-1").click().run()
    assert app.session_state["step"] == "embed"
    app.session_state["step"] = "loss"
    assert app.run().button("move1").disabled


@pytest.mark.parametrize("layer, head", [(0, 5), (5, 0), (5, 5)])
def test_layer_and_head_reach_their_ends_and_are_shared(app, layer, head):
    app.session_state["step"] = "softmax"
    app.run()
    app.selectbox("_layer").set_value(layer).run()
    app.selectbox("_head").set_value(head).run()
    assert any(f"head {head}" in title for title in charts(app))
    assert app.session_state["_link_head"] == (layer, head)
    assert f"trace.attention({layer}, {head})" in app.code[-1].value


@pytest.mark.parametrize("token", [0, 5])
def test_the_token_s_row_is_framed_and_opened(app, token):
    app.session_state["step"] = "project"
    app.run()
    app.selectbox("_token").set_value(token).run()
    charts(app)
    assert any(f"Token {token}, " in markdown.value for markdown in app.markdown)
    assert app.session_state["_link_query"] == token


def test_columns_reach_their_ends_and_shrink_with_the_step(app):
    app.session_state["step"] = "qkv"
    app.run()
    app.slider("col").set_value(575).run()
    assert any("column of W_qkv 575" in markdown.value for markdown in app.markdown)
    app.session_state["step"] = "mix"
    charts(app.run())
    assert app.slider("col").value == 31


@pytest.mark.parametrize("text", ["a", "é 🙂 <b>x</b> $x$", "word " * 2000])
def test_odd_texts(text):
    for step in ("softmax", "up", "logits"):
        app = opened(text=text, step=step)
        shown = charts(app)
        if len(text) > 1000:
            assert any("drawn" in title for title in shown)


def test_an_empty_text_is_one_sentence():
    app = opened(text="")
    assert not app.exception and "empty" in app.info[0].value


def test_a_step_another_model_lacks_opens_the_first():
    app = opened(step="no such step")
    charts(app)
    assert app.session_state["step"] == "embed"


def test_the_lens_says_that_a_text_ends():
    shown = charts(opened(text="They were very happy. They lived happily ever after. The end."))
    [after] = [chart for title, chart in shown.items() if title.startswith("Five likeliest tokens after")]
    predicted = [name for row in after["data"][0]["text"] for name in row]
    assert "⟨end⟩" in predicted and "⟨start⟩" not in predicted
