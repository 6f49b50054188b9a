"""The page "Inside a block", run as Streamlit runs it."""

from functools import partial

import pytest

import tlmviz
from pages.attention.inside_block import data, view
from pages.attention.inside_block.state import Choice
from tests.packed import unpacked
from tests.pages.helpers import by_title, drawn, follow_link, header_of, link_of, open_page, sent, words
from tlmviz.analysis.attention.steps import step_names
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT
from tlmviz.ui.translation import DEFAULT_SENTENCE

PAGE = "attention/inside_block"
STEPS = step_names(tlmviz.load("stories-rope").config)


opened = partial(open_page, PAGE)


def charts(app) -> dict[str, dict]:
    return by_title(app)


def block(app) -> dict:
    """The header of what the picture of all steps was sent."""
    assert len(sent(app, "tlmviz_block")) < 1_500_000
    return header_of(app, "tlmviz_block")


@pytest.fixture(scope="module")
def app():
    return opened()


def test_opens_on_the_weights_of_a_head_that_shows_something_and_a_word_that_comes_again(app):
    shown = charts(app)
    assert app.session_state["step"] == block(app)["step"] == "softmax" and "step" not in link_of(app)
    assert (app.session_state["_layer"], app.session_state["_head"]) == (5, 0)
    assert app.session_state["_token"] == 25  # the second "red": its row looks at what followed the first
    assert any("attention weight" in title for title in shown)
    assert any(title.startswith("Logit lens") for title in shown)


@pytest.mark.parametrize("step", STEPS)
def test_every_step_is_drawn(app, step):
    shown = charts(app.selectbox("step").set_value(step).run())
    said = words(app)
    assert f"**{STEPS.index(step) + 1}/{len(STEPS)} {step}.**" in said
    assert app.code[0].value and app.latex
    assert any("running sum" in title for title in shown) == (
        step in ("qkv", "scores", "mix", "project", "up", "down", "logits")
    )
    assert "✗" not in said


def test_buttons_walk_the_steps(app):
    app.selectbox("step").set_value("embed").run()
    assert app.button("move-1").disabled
    app.button("move1").click().run()
    assert app.session_state["step"] == "norm 1"
    app.button("move-1").click().run()
    assert app.session_state["step"] == "embed"
    assert app.selectbox("step").set_value("loss").run().button("move1").disabled


@pytest.mark.parametrize("layer, head", [(0, 5), (5, 0), (5, 5)])
def test_layer_and_head_reach_their_ends_and_are_shared(app, layer, head):
    app.selectbox("step").set_value("softmax").run()
    app.selectbox("_layer").set_value(layer).run()
    app.selectbox("_head").set_value(head).run()
    assert any(f"head {head}" in title for title in charts(app))
    assert app.session_state["_link_head"] == (layer, head)
    assert f"trace.attention({layer}, {head})" in app.code[-1].value


@pytest.mark.parametrize("token", [0, 5])
def test_the_token_s_row_is_framed_and_opened(app, token):
    app.selectbox("step").set_value("project").run()
    app.selectbox("_token").set_value(token).run()
    charts(app)
    assert any(f"Token {token}, " in markdown.value for markdown in app.markdown)
    assert app.session_state["_link_query"] == token


def test_columns_reach_their_ends_and_shrink_with_the_step(app):
    app.selectbox("step").set_value("qkv").run()
    app.slider("col").set_value(575).run()
    assert any("column of W_qkv 575" in markdown.value for markdown in app.markdown)
    charts(app.selectbox("step").set_value("mix").run())
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


def test_a_step_another_model_lacks_opens_the_usual_one():
    app = opened(step="no such step")
    charts(app)
    assert app.session_state["step"] == "softmax"


def test_the_lens_says_that_a_text_ends():
    text = "They were very happy. They lived happily ever after. The end."
    last = len(compute.trace("stories-rope", text)) - 1
    shown = charts(opened({"query": str(last)}, text=text))
    [after] = [chart for title, chart in shown.items() if title.startswith("Five likeliest tokens after")]
    predicted = [name for row in after["data"][0]["text"] for name in row]
    assert "⟨end⟩" in predicted and "⟨start⟩" not in predicted


def followed(model="stories-rope", text=DEFAULT_TEXT, **given) -> data.Data:
    """What the page shows of a token."""
    place = {"layer": 5, "head": 4, "position": 25, "pair": None}
    return data.Data(Choice(model=model, text=text, **place | given))


@pytest.mark.parametrize("step", ["qkv", "scores", "mix", "project", "up", "down", "logits"])
def test_a_cell_of_the_row_opens_into_its_terms(step):
    shown = followed(step=step, cell=3)
    found = shown.opened
    assert (shown.name, found["cell"], found["step"]) == (step, 3, step)
    assert found["total"] == pytest.approx(found["actual"], abs=1e-4)
    sizes = [abs(left * right) for _, left, right in found["terms"]]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) <= found["count"]


def test_a_cell_of_a_link_is_opened():
    header = block(follow_link(PAGE, {"step": "mix", "bcell": "3"}, from_the_start=True))
    assert (header["step"], header["state"]["cell"], header["opened"]["step"]) == ("mix", 3, "mix")


def test_a_cell_that_does_not_exist_opens_nothing():
    assert followed(step="mix", cell=99_999).opened is None


@pytest.mark.parametrize("name", ["zoo-post", "zoo-mla", "stories-mhc", "stories-gpt"])
def test_every_model_has_a_row_of_each_step_but_the_loss(name):
    header, _ = unpacked(drawn(view.rows, followed(model=name, layer=1, every=True)))
    assert [row["name"] for row in header["rows"]] == list(step_names(tlmviz.load(name).config)[:-1])
    assert {row["inside"] for row in header["rows"]} == {"", "attention", "MLP"}
    few, _ = unpacked(drawn(view.rows, followed(model=name, layer=1)))
    assert [row["name"] for row in few["rows"]] == ["embed", "softmax", "add 1", "add 2", "logits"]
    whole = {row["name"]: row for row in header["rows"]}
    assert few["rows"] == [whole[row["name"]] for row in few["rows"]]


def test_the_chosen_step_has_a_row_among_the_few():
    header, _ = unpacked(drawn(view.rows, followed(step="mask")))
    assert [row["name"] for row in header["rows"]] == ["embed", "mask", "softmax", "add 1", "add 2", "logits"]


@pytest.fixture(scope="module")
def pair():
    return follow_link(PAGE, {"model": "eng-fra"})


def test_a_translation_model_opens_on_cross_attention(pair):
    header, said = block(pair), words(pair)
    assert header["step"] == "cross softmax" and "step" not in link_of(pair)
    row = next(row for row in header["rows"] if row["name"] == "cross softmax")
    assert row["labels"] == tlmviz.load("eng-fra").names(tlmviz.load("eng-fra").encode(DEFAULT_SENTENCE))
    assert "Token 7 · manteau through the decoder" in header["title"] and "Residual" not in said
    assert "Forbidden = 0" in said and "✗" not in said
    assert any("attention weight" in title for title in charts(pair))


@pytest.mark.parametrize("which", ["decoder", "encoder"])
def test_every_step_of_both_stacks_is_drawn(pair, which):
    pair.segmented_control("bstack").set_value(which).run()
    steps = list(pair.selectbox("step").options)
    assert ("cross mix" in steps) == (which == "decoder") and ("memory" in steps) == (which == "encoder")
    for step in steps:
        shown = charts(pair.selectbox("step").set_value(step).run())
        said = words(pair)
        rows = [row["name"] for row in block(pair)["rows"]]
        assert set(rows) <= set(steps) and "✗" not in said
        assert f"**{steps.index(step) + 1}/{len(steps)} {step}.**" in said
        assert any("every head writes" in title for title in shown) == ("per head" in step)


def test_what_the_heads_write_is_added_up_in_a_badge(app):
    shown = charts(app.selectbox("step").set_value("per head").run())
    assert any("what every head writes" in title for title in shown)
    assert "Heads sum to the output" in words(app)


def test_another_translation_is_read_and_one_too_long_is_a_sentence(pair):
    pair.segmented_control("bstack").set_value("decoder").run()
    pair.text_input("edfr").set_value("Il fait froid.").run()
    assert "fait" in " ".join(pair.selectbox("_token").options) and not pair.exception
    pair.text_input("edfr").set_value("mot " * 300).run()
    assert not pair.exception and "shorten it" in pair.warning[0].value
    pair.text_input("edfr").set_value("").run()
    assert block(pair)["rows"]


@pytest.mark.parametrize(
    "link", [{"bstack": "neither", "bcell": "77777"}, {"step": "cross softmax", "bstack": "encoder"}]
)
def test_hostile_links_of_a_translation_open_something(link):
    assert block(follow_link(PAGE, {"model": "eng-fra", **link}))["rows"]


def test_a_cell_of_cross_attention_opens_with_the_source_s_words():
    opened_cell = block(follow_link(PAGE, {"model": "eng-fra", "step": "cross mix", "bcell": "3"}))["opened"]
    assert opened_cell["total"] == pytest.approx(opened_cell["actual"], abs=1e-4)
    assert all(name.startswith("source token") for name, _, _ in opened_cell["terms"])
    assert "red" in opened_cell["terms"][0][0]


def test_a_recurrent_model_is_not_offered():
    app = follow_link(PAGE, {"model": "eng-fra-dot"})
    assert not app.exception and "There is no model “eng-fra-dot” here" in app.warning[0].value
