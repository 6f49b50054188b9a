"""The explorer page through AppTest: at its defaults, and at each control's extremes."""

import base64
import json
import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import tlmviz
from pages.attention.explorer import view_panels as panels
from pages.attention.explorer import writing
from pages.attention.explorer.data import Data
from pages.attention.explorer.state import Explorer
from tests.pages.helpers import MAIN, PATIENCE, assert_healthy, badges, by_title, chart_parts, link_of, run_snippet
from tlmviz.analysis.attention.attribution import attribute_logit
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.decoding.sampling import Sampling
from tlmviz.ui import compute as shared
from tlmviz.ui import inputs, link
from tlmviz.ui.deferred import PAINTED
from tlmviz.ui.visit import ARRIVED

LONG = "The cat sat on the mat and looked at the big red ball. " * 200  # about 11,000 characters
TEXTS = {
    "one character": "a",
    "emoji": "😀😀 a cat 🐈‍⬛ and 👨‍👩‍👧‍👦",
    "right to left": "שלום עולם مرحبا بالعالم",
    "control characters": "a\x01b\x02\x7fc\u200b\u202ed",
    "markup": "<b>bold</b> $x^2$ **stars** `code` <|endoftext|>",
    "many characters": LONG,
    "spaces": "     ",
}


def open_app(**params) -> AppTest:
    app = AppTest.from_file(MAIN, default_timeout=PATIENCE)
    app.session_state[PAINTED] = app.session_state[ARRIVED] = True
    app.query_params.update(params)
    return app.run()


def next_tokens(app: AppTest) -> dict:
    """What the browser gets of the most probable next tokens."""
    sent = [json.loads(part.proto.json) for part in app.get("bidi_component") if part.proto.json]
    [bars] = [data for data in sent if "rows" in data]
    return bars


def test_without_a_browser_that_has_painted_nothing_is_drawn_below_the_picture():
    app = AppTest.from_file(MAIN, default_timeout=PATIENCE)
    app.session_state[ARRIVED] = True
    app.run()
    assert_healthy(app)
    assert not chart_parts(app) and next_tokens(app)["rows"]


def test_the_defaults_show_predictions_products_and_passing_badges():
    app = open_app()
    assert_healthy(app)
    assert "Products that add up to the score" in by_title(app)
    bars = next_tokens(app)
    assert bars["after"] == "red" and len(bars["rows"]) == 10  # the pinned query of the head that it opens on
    shares = [row["p"] for row in bars["rows"]]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 1
    assert "red-badge" not in badges(app) and "Rows sum to 1" in badges(app)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_gives_a_picture_and_never_a_traceback(text):
    app = open_app()
    app.text_input(key="text").set_value(text).run()
    assert_healthy(app)
    assert by_title(app)
    assert app.text_input(key="text").value == text  # nothing the user typed is lost
    assert bool(app.warning) == (text == LONG)


def test_a_long_text_says_what_was_given_and_what_is_read():
    app = open_app()
    app.text_input(key="text").set_value(LONG).run()
    [warning] = app.warning
    assert "tokens" in warning.value and "the first" in warning.value


ENDED = "They were very happy. They played all day. They lived happily ever after. The end."


def test_a_text_that_ends_is_said_to_end():
    names = [row["name"] for row in next_tokens(open_app(text=ENDED))["rows"]]
    assert "⟨end⟩" in names and "⟨start⟩" not in names


def test_cuts_stand_where_the_filters_cut_and_the_rest_is_scaled_up():
    bars = next_tokens(open_app(text="Tom saw a dog.", topk="7", topp="0.9", minp="0.1"))
    trace = tlmviz.load("stories-rope").trace("Tom saw a dog.")
    left = Sampling(1.0, 7, 0.9, 0.1).filtered(trace.logits[-1]).softmax(-1)
    assert [row["after"] for row in bars["rows"]] == pytest.approx(
        [left[row["token"]].item() for row in bars["rows"]], abs=1e-5
    )
    assert {line["label"]: line["rows"] for line in bars["cuts"]}["top-k 7"] == 7
    [least] = [line["p"] for line in bars["cuts"] if line["label"] == "min-p 0.1"]
    assert least == pytest.approx(0.1 * bars["rows"][0]["p"])
    assert f"{int((left > 0).sum())} tokens are left of 2,048" in bars["note"]


def test_a_written_token_is_the_very_token_and_a_text_goes_on_the_same_way():
    lm = tlmviz.load("stories-rope")
    choice = Data(Explorer(model="stories-rope", text="Tom saw a dog.", view=link.View()))
    for token in choice.trace.logits[-1].topk(30).indices.tolist():
        text, said = writing.appended(choice, token)
        assert bool(said) == (lm.encode(text) != [*choice.trace.ids, token])
    pinned = Data(Explorer(model="stories-rope", text="Tom saw a dog.", view=link.View(query=2)))
    token = lm.encode("Tom saw Anna")[-1]
    assert writing.appended(pinned, token) == ("Tom saw Anna", "")  # what followed the pinned token is cut off


def test_two_branches_are_told_apart_by_what_the_model_says_of_each():
    lm = tlmviz.load("stories-rope")
    here, there = lm.trace("Tom saw a dog. He ran"), lm.trace("Tom saw a dog. She sat down")
    shared, (one, other) = writing.branches(here, there)
    assert shared.endswith("Tom saw a dog.") and (one.rest, other.rest) == (" He ran", " She sat down")
    losses = here.loss_per_token()[-one.tokens :]
    assert one.logp == pytest.approx(-losses.sum().item(), rel=1e-5) and one.tokens == 2


def test_a_kept_text_in_the_link_stands_beside_the_shown_one():
    app = open_app(text="Tom saw a dog. He ran", kept="Tom saw a dog. She sat")
    assert_healthy(app)
    [both] = [part.value for part in app.markdown if "Both begin" in part.value]
    assert "*He ran*" in both and "*She sat*" in both
    app.button(key="swap-branch").click().run()
    assert app.text_input(key="text").value == "Tom saw a dog. She sat"
    app.button(key="drop-branch").click().run()
    assert_healthy(app)
    assert not [part for part in app.markdown if "Both begin" in part.value]


def test_an_empty_text_asks_for_one_in_a_sentence():
    app = open_app()
    app.text_input(key="text").set_value("").run()
    assert_healthy(app)
    assert [info.value for info in app.info] == ["The text is empty; type at least one character."]


def test_an_unknown_model_in_the_link_is_named_and_the_default_opens():
    app = open_app(model="gpt-9")
    assert_healthy(app)
    assert "gpt-9" in app.warning[0].value
    assert app.selectbox(key="_model").value == "stories-rope"


def test_every_model_opens():
    app = open_app()
    for name in shared.offered():
        app.selectbox(key="_model").set_value(name).run()
        assert_healthy(app)


@pytest.mark.parametrize("panel", panels.PANELS)
def test_every_panel_opens_by_link(panel):
    app = open_app(panel=panel)
    assert_healthy(app)
    assert app.session_state["panel"] == panel


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_temperature_extremes_change_the_probabilities(temperature):
    app = open_app(temp=str(temperature))
    assert_healthy(app)
    rows = next_tokens(app)["rows"]
    assert (rows[0]["p"] == 1.0) == (len(rows) == 1) == (temperature == 0.0)  # what is impossible is not listed


@pytest.mark.parametrize("factor", [0.25, 4.0])
def test_scale_extremes_change_the_row_and_the_prediction(factor):
    app = open_app(panel="Scale")
    app.select_slider(key="scale").set_value(factor).run()
    assert_healthy(app)
    assert "The pinned query's weights (probability)" in by_title(app)
    [summary] = [m.value for m in app.markdown if "KL(original" in m.value]
    assert "**0.0000** nats here" not in summary


def test_the_scale_opens_where_something_has_changed():
    app = open_app(panel="Scale")
    assert app.select_slider(key="scale").value == 2.0
    [said] = [part.value for part in app.caption if "Pinned row at × 2" in part.value]
    before, after = map(float, re.search(r"entropy ([\d.]+) → ([\d.]+) bits", said).groups())
    assert after < before and "gathers on fewer tokens" in said
    assert [part.value for part in app.markdown if "KL(original" in part.value]
    app.select_slider(key="scale").set_value(1.0).run()
    assert any("Nothing has changed yet" in part.value for part in app.caption)


def test_the_gradient_of_the_loss_is_a_vector_over_the_next_token():
    app = open_app(panel="Scale", query="4", read="maths")
    figure = by_title(app)["Gradient of the loss with respect to the next-token logits, p − y"]
    lm = tlmviz.load("stories-rope")
    trace = lm.trace(app.text_input(key="text").value or lm.default_text)
    logits = trace.logits[4].clone().requires_grad_()
    torch.nn.functional.cross_entropy(logits[None], torch.tensor(trace.ids[5:6])).backward()
    largest = logits.grad.abs().topk(8).indices
    bars = figure["data"][0]
    drawn = np.frombuffer(base64.b64decode(bars["y"]["bdata"]), bars["y"]["dtype"])
    assert drawn == pytest.approx(logits.grad[largest].numpy(), abs=1e-5)
    [said] = [part.value for part in app.markdown if "the model gave" in part.value]
    assert f"“{trace.tokens[4]}”" in said and f"“{trace.tokens[5]}”" in said


def test_the_gradient_after_the_last_token_is_that_of_the_one_before():
    app = open_app(panel="Scale", text="Tom saw a dog", read="maths")
    trace = tlmviz.load("stories-rope").trace("Tom saw a dog")
    [said] = [part.value for part in app.markdown if "the model gave" in part.value]
    assert f"After “{trace.tokens[-2]}” the text has “{trace.tokens[-1]}”" in said


def test_muting_no_head_changes_nothing_and_muting_all_changes_much():
    app = open_app(panel="Mute heads")
    [summary] = [m.value for m in app.markdown if "KL(original" in m.value]
    assert "**0.0000** nats here" in summary and "**+0.0000** nats per token" in summary
    app.multiselect(key="_muted").set_value([(layer, head) for layer in range(6) for head in range(6)]).run()
    assert_healthy(app)
    [summary] = [m.value for m in app.markdown if "KL(original" in m.value]
    assert "**0.0000** nats here" not in summary


@pytest.mark.parametrize("link_of_mute", ["5.4,5.0", ["5.4", "5.0"]])
def test_muted_heads_change_the_bars_and_the_whole_model_stands_beside(link_of_mute):
    app = open_app(text="Tom saw a dog. Anna saw a", head="5.4", mute=link_of_mute)
    assert_healthy(app)
    lm = tlmviz.load("stories-rope")
    trace = lm.trace("Tom saw a dog. Anna saw a")
    without = lm.trace("Tom saw a dog. Anna saw a", edit=mute_heads([(5, 4), (5, 0)]))
    bars = next_tokens(app)
    for row in bars["rows"]:
        assert row["p"] == pytest.approx(without.probabilities()[row["token"]].item(), abs=1e-5)
        assert row["before"] == pytest.approx(trace.probabilities()[row["token"]].item(), abs=1e-5)
    assert "Without 2 heads" in bars["note"]
    assert link_of(app)["mute"] == "5.0,5.4"


def test_a_word_in_the_link_is_attributed_to_heads_and_mlps():
    text = "Tom saw a dog. Anna saw a"
    lm = tlmviz.load("stories-rope")
    word = int(lm.trace(text).logits[-1].argmax())
    app = open_app(text=text, head="5.4", word=str(word))
    assert_healthy(app)
    assert [row["token"] for row in next_tokens(app)["rows"] if row["pinned"]] == [word]
    choice = Data(Explorer(model="stories-rope", text=text, view=link.View(head=(5, 4))))
    parts = attribute_logit(lm, choice.trace, -1, word)
    sent = parts.heads.sum() + parts.mlps.sum() + parts.embedding + parts.rest
    assert sent.item() == pytest.approx(lm.trace(text).logits[-1, word].item(), abs=1e-3)


@pytest.mark.parametrize(
    "params", [{"word": "999999999", "mute": "9.9"}, {"word": "-1", "mute": "x"}, {"model": "zoo-post", "word": "5"}]
)
def test_words_and_heads_that_do_not_exist_are_left_out(params):
    assert_healthy(open_app(**params))


def test_the_link_sets_head_and_pin():
    app = open_app(head="2.3", query="4", key="1")
    assert_healthy(app)
    [caption] = [c.value for c in app.caption if c.value.startswith("L2H3")]
    assert "query 4 to key 1" in caption


def test_a_broken_link_still_opens():
    places = {"head": "99.99", "query": "100000", "key": "3", "stage": "nonsense", "overlay": "1.1,,9"}
    assert_healthy(open_app(**places))


def test_a_pinned_later_token_is_the_pair_that_is_explained():
    app = open_app(head="4.2", query="4", key="23")
    [caption] = [caption.value for caption in app.caption if "query 4 to key" in caption.value]
    assert "query 4 to key 23 is hidden, as a later token: weight 0" in caption
    products = by_title(app)["Products that add up to the score"]
    trace = shared.trace("stories-rope", inputs.DEFAULT_TEXT)
    score = trace.scores(4, 2, "scaled")[4, 23].item()
    assert products["layout"]["annotations"][0]["text"] == f"score {score:+.3f}"


def test_examples_replace_the_text_and_drop_its_pins():
    app = open_app(query="4", key="1")
    app.button(key="example-Repeats").click().run()
    assert_healthy(app)
    assert app.text_input(key="text").value == inputs.EXAMPLES["Repeats"]
    assert (app.session_state["_link_query"], app.session_state["_link_key"]) == (11, 6)  # “bird”, and what followed it


def test_typing_on_lets_go_of_the_pin_that_the_page_set_but_not_of_the_users():
    for params, kept in (({}, None), ({"query": "4"}, 4)):
        app = open_app(**params)
        app.text_input(key="text").set_value(inputs.DEFAULT_TEXT + " Then").run()
        assert_healthy(app)
        assert app.session_state["_link_query"] == kept


def test_the_snippet_runs_and_reproduces_the_map():
    app = open_app(head="1.2")
    assert len(app.code) == 1
    scope = run_snippet(app)
    assert scope["weights"].shape == (len(scope["trace"]), len(scope["trace"]))
    assert abs(scope["weights"].sum(-1) - 1).max() < 1e-4
